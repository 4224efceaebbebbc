//! One stable sort for all types: each instance of the standard library's is 4 KB of the module.

use std::cmp::Ordering;

/// Sorts what has a natural order and leaves out what is there twice.
pub(crate) fn set<T: Ord>(items: &mut Vec<T>) {
    by(items, T::cmp);
    items.dedup();
}

/// Sorts by `compare`, in n log n comparisons; equals keep their order.
pub(crate) fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &mut |a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b).is_gt(),
        _ => false,
    });
    arrange(&mut order, &mut |a, b| items.swap(a, b));
}

/// The positions `0..count` in their new order: runs are merged to runs of twice the length.
fn order(count: usize, follows: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
                if follows(*a, *b) {
                    merged.push(*b);
                    right = right_rest;
                } else {
                    merged.push(*a);
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        order = merged;
        width *= 2;
    }
    order
}

/// Moves to each position what `order` has there, cycle by cycle.
fn arrange(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while let Some(from) = order.get_mut(at).map(|from| std::mem::replace(from, at)) {
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_and_keeps_equals_in_order() {
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 1000] {
            let mut seed = 1_u32;
            let mut items: Vec<(u32, usize)> = Vec::new();
            for at in 0..count {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                items.push((seed >> 28, at));
            }
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            by(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
            items.reverse();
            set(&mut items);
            assert_eq!(items, expected);
        }
    }
}
