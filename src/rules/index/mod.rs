//! Finds the most specific rule for a text without looking at all of them.

mod grams;
mod table;
#[cfg(test)]
mod tests;

pub use super::pattern::Blanks;
use super::pattern::{Content, Wild};
use crate::sort;
use grams::Grams;
use table::Table;

/// Collects rules.
#[derive(Debug, Default)]
pub struct Builder {
    exact: Vec<(u32, String, u32)>,
    prefix: Vec<(u32, String, u32)>,
    wild: Vec<(u32, Wild, u32)>,
}

/// What is known about the rules of one group.
#[derive(Debug, Default)]
struct Group {
    /// The longest exact text in bytes.
    longest: Option<usize>,
    /// Every length of a prefix in bytes, ascending.
    lengths: Vec<usize>,
    wild: grams::Group,
}

impl Builder {
    /// No rule yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the rule `id` to a group; the lower of two ids wins. `Any` and `Domain` are not looked up by text and do nothing.
    pub fn add(&mut self, group: u32, content: &Content, id: u32) {
        match content {
            Content::Exact(text) => self.exact.push((group, text.clone(), id)),
            Content::Prefix(text) => self.prefix.push((group, text.clone(), id)),
            Content::Wild(wild) => self.wild.push((group, wild.clone(), id)),
            Content::Any | Content::Domain { .. } => {}
        }
    }

    /// Sorts everything; near-linear in the bytes of all contents.
    #[must_use]
    pub fn build(self) -> Index {
        let mut names: Vec<u32> = Vec::new();
        names.extend(self.exact.iter().map(|(group, ..)| *group));
        names.extend(self.prefix.iter().map(|(group, ..)| *group));
        names.extend(self.wild.iter().map(|(group, ..)| *group));
        sort::set(&mut names);
        let mut groups: Vec<Group> = names.iter().map(|_| Group::default()).collect();
        let at = |name: &u32| names.binary_search(name).unwrap_or(usize::MAX);
        for (name, text, _) in &self.exact {
            if let Some(group) = groups.get_mut(at(name)) {
                group.longest = group.longest.max(Some(text.len()));
            }
        }
        for (name, text, _) in &self.prefix {
            if let Some(group) = groups.get_mut(at(name)) {
                group.lengths.push(text.len());
            }
        }
        for group in &mut groups {
            sort::set(&mut group.lengths);
        }
        let mut views: Vec<&mut grams::Group> = groups.iter_mut().map(|group| &mut group.wild).collect();
        let grams = Grams::new(self.wild, &names, &mut views);
        Index {
            names,
            groups,
            exact: Table::new(self.exact),
            prefix: Table::new(self.prefix),
            grams,
        }
    }
}

/// Rules, ready to be looked up; each belongs to a group.
#[derive(Debug)]
pub struct Index {
    // INVARIANT: ascending; `groups` has the same order.
    names: Vec<u32>,
    groups: Vec<Group>,
    exact: Table,
    prefix: Table,
    grams: Grams,
}

impl Index {
    /// The most specific rule of these groups that matches: an exact one, else the longest prefix, else the wildcard with most
    /// literal bytes, else the lowest id. `looked` counts the rules that were compared.
    #[must_use]
    pub fn best(&self, groups: &[u32], text: &str, blanks: Blanks, looked: &mut u64) -> Option<u32> {
        let positions = groups.iter().filter_map(|name| self.names.binary_search(name).ok());
        let found: Vec<(usize, &Group)> = positions
            .filter_map(|position| Some((position, self.groups.get(position)?)))
            .collect();
        self.literal(groups, &found, text, blanks, looked).or_else(|| {
            let mut best = None;
            for (position, group) in found {
                self.grams.better(position, &group.wild, text, &mut best, looked);
            }
            best.and_then(|rank| self.grams.id(rank))
        })
    }

    fn literal(
        &self,
        names: &[u32],
        groups: &[(usize, &Group)],
        text: &str,
        blanks: Blanks,
        looked: &mut u64,
    ) -> Option<u32> {
        let longest = |group: &Group| group.longest.max(group.lengths.last().copied());
        let reach = groups.iter().filter_map(|(_, group)| longest(group)).max()?;
        let is_length = |at: usize| groups.iter().any(|(_, group)| group.lengths.binary_search(&at).is_ok());
        let (mut hash, mut ends) = (table::SEED, Vec::new());
        for (at, byte) in text.bytes().take(reach.saturating_add(1)).enumerate() {
            if blanks.has(byte) && is_length(at) {
                ends.push((at, hash));
            }
            hash = table::step(hash, byte);
        }
        if text.len() <= reach {
            let exact = self.exact.lowest(names, hash, text, looked);
            if exact.is_some() {
                return exact;
            }
            if is_length(text.len()) {
                ends.push((text.len(), hash));
            }
        }
        let mut longest_first = ends.into_iter().rev();
        longest_first.find_map(|(end, hash)| self.prefix.lowest(names, hash, text.get(..end)?, looked))
    }
}
