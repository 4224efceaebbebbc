//! Compiled policies by number. They are immutable; a number is never used twice.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::Error;
use crate::rules::{Book, Environment, Policy};

#[derive(Default)]
struct Kept {
    last: u32,
    policies: Vec<(u32, Rc<Policy>)>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::new(Kept::default());
}

/// Keeps a policy; its number, never 0.
pub(super) fn keep(policy: Policy) -> Result<u32, Error> {
    KEPT.with_borrow_mut(|kept| {
        let next = kept.last.checked_add(1);
        kept.last = next.ok_or_else(|| Error::Internal("no number is left for a policy".into()))?;
        kept.policies.push((kept.last, Rc::new(policy)));
        Ok(kept.last)
    })
}

/// The policy of a number; 0 is the one without rules, compiled when it is first wanted.
pub(super) fn policy(number: u32) -> Result<Rc<Policy>, Error> {
    KEPT.with_borrow_mut(|kept| {
        if number == 0 && kept.policies.first().is_none_or(|(first, _)| *first != 0) {
            let none = Policy::compile(Book::default(), &Environment::default());
            let none = none.map_err(|_| Error::Internal("an empty policy has errors".into()))?;
            kept.policies.insert(0, (0, Rc::new(none)));
        }
        let found = kept.policies.iter().find(|(known, _)| *known == number);
        let policy = found.map(|(_, policy)| Rc::clone(policy));
        policy.ok_or_else(|| Error::Internal(format!("there is no policy {number}")))
    })
}

/// Forgets a policy.
pub(super) fn forget(number: u32) {
    KEPT.with_borrow_mut(|kept| kept.policies.retain(|(known, _)| *known != number));
}
