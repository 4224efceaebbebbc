//! Wildcards, found by the rarest run of up to four bytes that a matching text must have.

use super::super::pattern::{Shape, Wild};
use crate::sort;

/// Bytes that no text has stand for its start and its end.
const START: u8 = 0xfe;
const END: u8 = 0xff;

/// Up to so many wildcards of a group are looked at one by one.
const FEW: usize = 4;

/// Which grams and which other wildcards one group has.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Bit `n`: a gram of `n + 1` bytes is used.
    sizes: u8,
    /// The ranks of wildcards without a gram, ascending.
    listed: Vec<u32>,
}

/// Every wildcard of every group.
#[derive(Debug)]
pub(super) struct Grams {
    /// By rank: the most specific first.
    rules: Vec<(Wild, u32)>,
    // INVARIANT: ascending.
    keys: Vec<(u64, u32)>,
    /// One bit for each hash of a key.
    filter: Vec<u64>,
    /// The bits of that hash.
    bits: u32,
}

struct Rule {
    literal: usize,
    id: u32,
    group: usize,
    wild: Wild,
}

impl Grams {
    pub(super) fn new(wilds: Vec<(u32, Wild, u32)>, names: &[u32], groups: &mut [&mut Group]) -> Self {
        let mut rules: Vec<Rule> = wilds
            .into_iter()
            .filter_map(|(name, wild, id)| {
                let (group, literal) = (names.binary_search(&name).ok()?, wild.literal_len());
                Some(Rule {
                    literal,
                    id,
                    group,
                    wild,
                })
            })
            .collect();
        sort::by(&mut rules, |a, b| b.literal.cmp(&a.literal).then(a.id.cmp(&b.id)));
        let mut sizes = vec![0_usize; groups.len()];
        for rule in &rules {
            if let Some(size) = sizes.get_mut(rule.group) {
                *size += 1;
            }
        }
        let is_indexed = |rule: &Rule| sizes.get(rule.group).is_some_and(|size| *size > FEW);
        let bytes = rules
            .iter()
            .filter(|rule| is_indexed(rule))
            .map(|rule| rule.literal + 8)
            .sum();
        let mut counts = Counts::new(bytes);
        for rule in rules.iter().filter(|rule| is_indexed(rule)) {
            for shape in rule.wild.shapes() {
                counts.next();
                each(rule.group, shape, &mut |key| counts.add(key));
            }
        }
        let mut keys = Vec::new();
        for (rank, rule) in (0_u32..).zip(&rules) {
            let Some(group) = groups.get_mut(rule.group) else {
                continue;
            };
            let shapes = rule.wild.shapes().filter(|_| is_indexed(rule));
            let chosen = shapes
                .map(|shape| counts.choose(rule.group, shape))
                .collect::<Option<Vec<u64>>>();
            match chosen.filter(|chosen| !chosen.is_empty()) {
                Some(chosen) => {
                    for key in chosen {
                        group.sizes |= 1 << size_of(key);
                        keys.push((key, rank));
                    }
                }
                None => group.listed.push(rank),
            }
        }
        sort::set(&mut keys);
        let bits = bits_for(keys.len().saturating_mul(32)).clamp(6, 24);
        let mut filter = vec![0_u64; 1 << (bits - 6)];
        for (key, _) in &keys {
            let (word, bit) = place(*key, bits);
            if let Some(word) = filter.get_mut(word) {
                *word |= bit;
            }
        }
        let rules = rules.into_iter().map(|rule| (rule.wild, rule.id)).collect();
        Self {
            rules,
            keys,
            filter,
            bits,
        }
    }

    pub(super) fn id(&self, rank: u32) -> Option<u32> {
        self.rule(rank).map(|(_, id)| *id)
    }

    /// Lowers `best`, a rank, if the group that stands at `position` has a better match.
    pub(super) fn better(&self, position: usize, group: &Group, text: &str, best: &mut Option<u32>, looked: &mut u64) {
        self.first(group.listed.iter().copied(), text, best, looked);
        if group.sizes == 0 {
            return;
        }
        let mut seen = Vec::new();
        let mut gram = u32::from(START);
        for byte in text.bytes().chain([END]) {
            gram = (gram << 8) | u32::from(byte);
            for size in (0..4).filter(|size| group.sizes & (1 << size) != 0) {
                let key = key(position, size, gram);
                let (word, bit) = place(key, self.bits);
                if self.filter.get(word).is_some_and(|word| word & bit != 0) {
                    self.bucket(key, &mut seen, text, best, looked);
                }
            }
        }
    }

    /// Looks at the wildcards of one gram, once for each text.
    fn bucket(&self, key: u64, seen: &mut Vec<u64>, text: &str, best: &mut Option<u32>, looked: &mut u64) {
        let start = self.keys.partition_point(|(known, _)| *known < key);
        let bucket = self.keys.get(start..).unwrap_or_default();
        if bucket.first().is_none_or(|(known, _)| *known != key) {
            return;
        }
        if seen.is_empty() {
            seen.resize(self.keys.len() / 64 + 1, 0);
        }
        let bit = 1 << (start % 64);
        match seen.get_mut(start / 64) {
            Some(word) if *word & bit == 0 => *word |= bit,
            Some(_) | None => return,
        }
        let ranks = bucket
            .iter()
            .take_while(|(known, _)| *known == key)
            .map(|(_, rank)| *rank);
        self.first(ranks, text, best, looked);
    }

    /// The first of ascending ranks that matches, if it is better.
    fn first(&self, ranks: impl Iterator<Item = u32>, text: &str, best: &mut Option<u32>, looked: &mut u64) {
        for rank in ranks.take_while(|rank| best.is_none_or(|best| *rank < best)) {
            *looked += 1;
            if self.rule(rank).is_some_and(|(wild, _)| wild.matches(text)) {
                *best = Some(rank);
                return;
            }
        }
    }

    fn rule(&self, rank: u32) -> Option<&(Wild, u32)> {
        self.rules.get(usize::try_from(rank).ok()?)
    }
}

/// What is known about a gram; grams that share a slot share the numbers, which are then too high.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// How many shapes have it.
    shapes: u32,
    /// The last shape that was counted.
    last: u32,
    /// How many shapes are found by it.
    load: u32,
}

struct Counts {
    slots: Vec<Slot>,
    bits: u32,
    shape: u32,
}

impl Counts {
    fn new(bytes: usize) -> Self {
        let bits = bits_for(bytes.saturating_mul(4)).clamp(6, 19);
        Self {
            slots: vec![Slot::default(); 1 << bits],
            bits,
            shape: 0,
        }
    }

    fn next(&mut self) {
        self.shape = self.shape.wrapping_add(1);
    }

    fn add(&mut self, key: u64) {
        let shape = self.shape;
        if let Some(slot) = self.slot(key).filter(|slot| slot.last != shape) {
            slot.last = shape;
            slot.shapes = slot.shapes.saturating_add(1);
        }
    }

    /// How often a text may have this gram in vain: what is already found by it, and a little for every shape that has it.
    fn cost(&mut self, key: u64) -> u32 {
        self.slot(key)
            .map_or(u32::MAX, |slot| slot.load.saturating_add(slot.shapes.max(1).ilog2()))
    }

    /// The gram that costs least, the longest among equals; `None` when the shape has none.
    fn choose(&mut self, group: usize, shape: Shape<'_>) -> Option<u64> {
        let mut chosen: Option<(u32, u64)> = None;
        each(group, shape, &mut |key| {
            let cost = self.cost(key);
            let better =
                chosen.is_none_or(|(least, best)| cost < least || (cost == least && size_of(key) > size_of(best)));
            if better {
                chosen = Some((cost, key));
            }
        });
        let (_, key) = chosen?;
        if let Some(slot) = self.slot(key) {
            slot.load = slot.load.saturating_add(1);
        }
        Some(key)
    }

    fn slot(&mut self, key: u64) -> Option<&mut Slot> {
        self.slots.get_mut(usize::try_from(hash(key, self.bits)).ok()?)
    }
}

/// Every gram that a text of this shape must have.
fn each(group: usize, shape: Shape<'_>, see: &mut dyn FnMut(u64)) {
    let mut run = vec![START];
    run.extend_from_slice(shape.first.as_bytes());
    let Some(last) = shape.last else {
        run.push(END);
        return windows(group, &run, see);
    };
    if !shape.first.is_empty() {
        windows(group, &run, see);
    }
    for segment in shape.middle {
        windows(group, segment.as_bytes(), see);
    }
    if !last.is_empty() {
        run.clear();
        run.extend_from_slice(last.as_bytes());
        run.push(END);
        windows(group, &run, see);
    }
}

fn windows(group: usize, run: &[u8], see: &mut dyn FnMut(u64)) {
    let mut gram = 0_u32;
    for (at, byte) in run.iter().enumerate() {
        gram = (gram << 8) | u32::from(*byte);
        let ends = *byte == START || *byte == END;
        for size in (0..4).filter(|size| *size <= at && !(*size == 0 && ends)) {
            see(key(group, u32::try_from(size).unwrap_or(0), gram));
        }
    }
}

/// The last `size + 1` bytes of a gram, in a group.
fn key(group: usize, size: u32, gram: u32) -> u64 {
    let gram = gram & (u32::MAX >> (8 * (3 - size)));
    ((group as u64) << 34) | (u64::from(size) << 32) | u64::from(gram)
}

fn size_of(key: u64) -> u32 {
    ((key >> 32) & 3) as u32
}

fn hash(key: u64, bits: u32) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)
}

/// The word and the bit of a key in the filter.
fn place(key: u64, bits: u32) -> (usize, u64) {
    let hash = hash(key, bits);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

fn bits_for(count: usize) -> u32 {
    count.max(1).next_power_of_two().trailing_zeros()
}
