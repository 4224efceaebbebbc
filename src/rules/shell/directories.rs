//! Where commands run: what `cd` before them does, as far as the text says it.

use std::rc::Rc;

use super::model::Directories;

/// More possible directories than this are anywhere.
const MOST: usize = 4;
/// A longer joined path is anywhere.
const LONGEST: usize = 512;

/// A set of directories, relative to the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place(Option<Rc<[String]>>);

impl Place {
    pub fn start() -> Self {
        Self(Some(Rc::from([String::from(".")])))
    }

    pub fn anywhere() -> Self {
        Self(None)
    }

    /// After `exit`: nothing runs there.
    pub fn nowhere() -> Self {
        Self(Some(Rc::from([])))
    }

    pub fn union(&self, other: &Self) -> Self {
        let (Some(first), Some(second)) = (&self.0, &other.0) else {
            return Self(None);
        };
        if second.iter().all(|directory| first.contains(directory)) {
            return self.clone();
        }
        let more = second.iter().filter(|directory| !first.contains(directory));
        let all: Vec<String> = first.iter().chain(more).cloned().collect();
        Self((all.len() <= MOST).then(|| Rc::from(all)))
    }

    /// After `cd directory`; `~` and `~/…` stand for the home directory.
    pub fn join(&self, directory: &str) -> Self {
        if directory.is_empty() || directory.len() > LONGEST {
            return Self(None);
        }
        if directory.starts_with(['/', '~']) {
            let nowhere = self.0.as_ref().is_some_and(|list| list.is_empty());
            return if nowhere {
                self.clone()
            } else {
                Self(Some(Rc::from([directory.to_owned()])))
            };
        }
        let Some(list) = &self.0 else {
            return Self(None);
        };
        let mut joined = Vec::with_capacity(list.len());
        for base in list.iter() {
            let path = match base.as_str() {
                "." => directory.to_owned(),
                base if base.ends_with('/') => [base, directory].concat(),
                base => [base, "/", directory].concat(),
            };
            if path.len() > LONGEST {
                return Self(None);
            }
            joined.push(path);
        }
        Self(Some(Rc::from(joined)))
    }

    /// The list for a command; an unreachable one is anywhere.
    pub fn list(&self) -> Directories {
        let list = self.0.as_ref()?;
        (!list.is_empty()).then(|| list.to_vec())
    }
}

/// How the directory goes on after a command.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    /// Where the next command runs, if the last one succeeded.
    pub here: Place,
    /// Where it runs if the last one failed.
    pub failed: Place,
    /// Something moved.
    pub moved: bool,
}

impl Flow {
    pub fn at(here: Place) -> Self {
        let failed = here.clone();
        Self {
            here,
            failed,
            moved: false,
        }
    }

    /// The next command runs whatever the last one gave.
    pub fn settle(&mut self) {
        if self.here != self.failed {
            self.here = self.here.union(&self.failed);
        }
        self.failed = self.here.clone();
    }

    /// Goes on from `here`, keeping that something moved.
    pub fn stay(&mut self, here: Place) {
        self.failed = here.clone();
        self.here = here;
    }

    /// `cd` to what `join` gives: it may fail.
    pub fn go(&mut self, place: Place) {
        self.failed = std::mem::replace(&mut self.here, place);
        self.moved = true;
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn too_many_or_too_long_is_anywhere() {
        let many = ["a", "b", "c"]
            .iter()
            .fold(Place::start(), |place, name| place.union(&Place::start().join(name)));
        assert_eq!(many.list().unwrap().len(), 4);
        assert_eq!(many.union(&Place::start().join("d")).list(), None);
        assert_eq!(Place::start().join(&"x/".repeat(300)).list(), None);
        assert_eq!(Place::start().join("a").join("../b").list().unwrap(), ["a/../b"]);
        assert_eq!(Place::anywhere().join("b").list(), None);
        assert_eq!(Place::anywhere().join("/b").list().unwrap(), ["/b"]);
        assert_eq!(Place::nowhere().list(), None);
        assert_eq!(Place::nowhere().join("/b").list(), None);
    }
}
