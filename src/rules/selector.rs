//! Which rules are for a tool: names, servers, families.

use super::pattern::{Wild, segments};
use super::spelling;
use crate::named::{Named, Names};
use crate::sort;

/// The family of file-writing tools whose rules also stand for a command's redirects.
const FILES: &str = "@files";

/// A tool as a call names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName {
    /// The MCP server; absent: the host's own.
    pub server: Option<String>,
    /// The tool's name on its server.
    pub tool: String,
}

impl ToolName {
    /// The name of a call. A joined `mcp__server__tool` is read as the two parts where there is only one way to.
    #[must_use]
    pub fn of(server: Option<&str>, tool: &str) -> Self {
        let (server, tool) = match (server, joined(tool).as_slice()) {
            (Some(server), _) => (Some(server.to_owned()), tool.to_owned()),
            (None, [(server, tool)]) => (Some(server.clone()), tool.clone()),
            (None, _) => (None, tool.to_owned()),
        };
        Self { server, tool }
    }

    /// The key of `tools` and `tiers`: `server/tool`, or the name of the host's own tool.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}/{}", self.tool),
            None => self.tool.clone(),
        }
    }

    /// Every reading of the name, for what forbids or asks: as it is, joined, and each way to split a joined one.
    #[must_use]
    pub fn readings(&self) -> Vec<(Option<String>, String)> {
        let mut readings = vec![(self.server.clone(), self.tool.clone())];
        let whole = match &self.server {
            Some(server) => format!("mcp__{server}__{}", self.tool),
            None => self.tool.clone(),
        };
        readings.extend(joined(&whole).into_iter().map(|(server, tool)| (Some(server), tool)));
        readings.extend(self.server.is_some().then_some((None, whole)));
        readings
    }

    /// Joined, and in more than one way: no allow is for it.
    fn ambiguous(&self) -> bool {
        self.server.is_none() && self.tool.starts_with("mcp__")
    }
}

/// Of a longer joined name, in bytes, only the first ways to split it are looked at: it is no tool's.
const LONG: usize = 512;

/// The ways to split a joined name, none for a plain one.
fn joined(name: &str) -> Vec<(String, String)> {
    // Two, so that it stays ambiguous.
    let most = if name.len() > LONG { 2 } else { LONG };
    let Some(rest) = name.strip_prefix("mcp__") else {
        return Vec::new();
    };
    let splits = rest.match_indices('_').filter_map(|(at, _)| {
        let (server, tool) = (rest.get(..at)?, rest.get(at..)?.strip_prefix("__")?);
        (!server.is_empty() && !tool.is_empty()).then(|| (server.to_owned(), tool.to_owned()))
    });
    splits.take(most).collect()
}

/// The server's name in a rule has a star for what stands there.
fn starred(wanted: &str, server: &str) -> bool {
    wanted.contains('*') && Wild::new(segments(wanted)).is_some_and(|wild| wild.matches(server))
}

/// What a set of rules is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Forbids or asks: any match counts, in doubt it matches.
    Restrict,
    /// Lets run: everything must match, in doubt it does not.
    Permit,
}

/// The rules' tools, as groups: one for each distinct (tool, server).
#[derive(Debug, Clone, Default)]
pub struct Selectors {
    // INVARIANT: a group is the number of its name.
    groups: Names,
    exact: Named<Vec<(Option<String>, u32)>>,
    wild: Named<Vec<(Wild, Option<String>, u32)>>,
    /// The longest key of `wild`, in bytes.
    longest: usize,
    files: Vec<u32>,
}

impl Selectors {
    /// The group of a rule's tool.
    pub fn add(&mut self, tool: &str, server: Option<&str>, families: &Named<Vec<String>>) -> u32 {
        let before = self.groups.len();
        let number = self.groups.number(key(tool, server));
        let group = u32::try_from(number).unwrap_or(u32::MAX);
        if number < before {
            return group;
        }
        if tool == FILES {
            self.files.push(group);
        }
        match tool.strip_prefix('@').map(|family| families.get(family)) {
            Some(members) => {
                for member in members.into_iter().flatten() {
                    let (member_server, member) = spelling::name(member);
                    self.name(&member, member_server.or_else(|| server.map(str::to_owned)), group);
                }
            }
            None => self.name(tool, server.map(str::to_owned), group),
        }
        group
    }

    fn name(&mut self, tool: &str, server: Option<String>, group: u32) {
        // The one built-in case, in one direction.
        if tool == "Edit" {
            let server = server.clone();
            self.exact.change("Write".into(), |list| list.push((server, group)));
        }
        // A name knows neither a prefix nor a domain: `fs:*` is a star behind a colon.
        let mut literals = segments(tool);
        match Wild::new(literals.clone()) {
            Some(wild) => {
                let prefix = wild.segments().first().cloned().unwrap_or_default();
                self.longest = self.longest.max(prefix.len());
                self.wild.change(prefix, |list| list.push((wild, server, group)));
            }
            None => {
                let name = literals.pop().unwrap_or_default();
                self.exact.change(name, |list| list.push((server, group)));
            }
        }
    }

    /// The groups that cover a tool.
    #[must_use]
    pub fn covering(&self, name: &ToolName, side: Side) -> Vec<u32> {
        let mut found = Vec::new();
        match side {
            Side::Permit if name.ambiguous() => {}
            Side::Permit => self.collect(name.server.as_deref(), &name.tool, side, &mut found),
            Side::Restrict => {
                for (server, tool) in name.readings() {
                    self.collect(server.as_deref(), &tool, side, &mut found);
                }
            }
        }
        sort::set(&mut found);
        found
    }

    /// The groups that cover what a command writes: rules for `Write` and for the family `@files`.
    #[must_use]
    pub fn writes(&self, side: Side) -> Vec<u32> {
        let mut found = self.files.clone();
        self.collect(None, "Write", side, &mut found);
        sort::set(&mut found);
        found
    }

    fn collect(&self, server: Option<&str>, tool: &str, side: Side, found: &mut Vec<u32>) {
        let serves = |wanted: &Option<String>| match (wanted.as_deref(), server) {
            (None, None) => true,
            (None, Some(_)) => side == Side::Restrict,
            (Some(_), None) => false,
            (Some(wanted), Some(server)) => wanted == server || starred(wanted, server),
        };
        let exact = self.exact.get(tool).into_iter().flatten();
        found.extend(exact.filter(|(wanted, _)| serves(wanted)).map(|(_, group)| *group));
        // INVARIANT: a wildcard stands under the text before its first star, so every one that can match is probed.
        let ends = tool.char_indices().map(|(at, _)| at).chain([tool.len()]);
        let ends = ends.take_while(|end| *end <= self.longest);
        for prefix in ends.filter_map(|end| tool.get(..end)) {
            let wild = self.wild.get(prefix).into_iter().flatten();
            let fits = wild.filter(|(wild, wanted, _)| serves(wanted) && wild.matches(tool));
            found.extend(fits.map(|(_, _, group)| *group));
        }
    }
}

/// One text for a tool and its server, as no two of them share it.
fn key(tool: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => format!("{}:{server}{tool}", server.len()),
        None => format!(":{tool}"),
    }
}
