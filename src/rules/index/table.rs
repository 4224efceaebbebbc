//! Texts by group, found by a hash that grows with the text.

use crate::sort;

/// The hash of nothing.
pub(super) const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of a text with one byte more.
pub(super) fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

#[derive(Debug)]
struct Row {
    hash: u64,
    group: u32,
    text: String,
    id: u32,
}

impl Row {
    fn key(&self) -> (u64, u32, &str) {
        (self.hash, self.group, &self.text)
    }
}

/// The lowest id of each text in each group.
#[derive(Debug)]
pub(super) struct Table {
    // INVARIANT: ascending by key, no key twice: equal hashes cost no more than others.
    rows: Vec<Row>,
}

impl Table {
    pub(super) fn new(texts: Vec<(u32, String, u32)>) -> Self {
        let row = |(group, text, id): (u32, String, u32)| Row {
            hash: text.bytes().fold(SEED, step),
            group,
            text,
            id,
        };
        let mut rows: Vec<Row> = texts.into_iter().map(row).collect();
        sort::by(&mut rows, |a, b| a.key().cmp(&b.key()).then(a.id.cmp(&b.id)));
        rows.dedup_by(|later, first| later.key() == first.key());
        Self { rows }
    }

    /// The lowest id that this text has in these groups; `hash` is the text's.
    pub(super) fn lowest(&self, groups: &[u32], hash: u64, text: &str, looked: &mut u64) -> Option<u32> {
        let mut lowest = None;
        for group in groups {
            let at = self.rows.binary_search_by(|row| row.key().cmp(&(hash, *group, text)));
            if let Some(row) = at.ok().and_then(|at| self.rows.get(at)) {
                *looked += 1;
                lowest = Some(lowest.map_or(row.id, |id: u32| id.min(row.id)));
            }
        }
        lowest
    }
}
