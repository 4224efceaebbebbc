//! Compiled policies by number. They are immutable; a number is never used twice.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::Error;
use crate::rules::{Book, Environment, Policy};

#[derive(Default)]
struct Kept {
    last: u32,
    policies: BTreeMap<u32, Rc<Policy>>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::new(Kept::default());
}

/// Keeps a policy; its number, never 0.
pub(super) fn keep(policy: Policy) -> Result<u32, Error> {
    KEPT.with_borrow_mut(|kept| {
        kept.last = kept
            .last
            .checked_add(1)
            .ok_or_else(|| Error::Internal("no number is left for a policy".into()))?;
        kept.policies.insert(kept.last, Rc::new(policy));
        Ok(kept.last)
    })
}

/// The policy of a number; 0 is the one without rules.
pub(super) fn policy(number: u32) -> Result<Rc<Policy>, Error> {
    if number == 0 {
        let compiled = Policy::compile(Book::default(), &Environment::default());
        return compiled
            .map(Rc::new)
            .map_err(|_| Error::Internal("an empty policy has errors".into()));
    }
    let kept = KEPT.with_borrow(|kept| kept.policies.get(&number).cloned());
    kept.ok_or_else(|| Error::Internal(format!("there is no policy {number}")))
}

/// Forgets a policy.
pub(super) fn forget(number: u32) {
    KEPT.with_borrow_mut(|kept| kept.policies.remove(&number));
}
