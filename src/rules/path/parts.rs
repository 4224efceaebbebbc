//! A path as a root and names, and what it becomes relative to another.

use super::super::model::{Environment, Platform};
use super::{Clean, PathError, windows};

/// What a path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Relative.
    Nothing,
    /// The home directory, which is not known.
    Home,
    /// Windows: the root of a drive, which is not known.
    Drive,
    /// Absolute.
    Full,
}

/// A path taken apart; names are never empty or `.`, and may be `..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    pub anchor: Anchor,
    /// Without a slash at its end: empty, `~`, `c:`, `//server/share`.
    pub root: String,
    pub names: Vec<String>,
}

impl Parts {
    pub fn nothing() -> Self {
        Self {
            anchor: Anchor::Nothing,
            root: String::new(),
            names: Vec::new(),
        }
    }

    /// Takes a path apart; `~` is an ordinary name.
    pub fn read(path: &str, platform: Platform) -> Result<Self, PathError> {
        if path.contains('\0') {
            return Err(PathError::Nul);
        }
        match platform {
            Platform::Posix => {
                let anchor = if path.starts_with('/') {
                    Anchor::Full
                } else {
                    Anchor::Nothing
                };
                Ok(Self {
                    anchor,
                    root: String::new(),
                    names: names(path),
                })
            }
            Platform::Windows => windows::read(path),
        }
    }

    /// This path as seen from `base`.
    pub fn onto(self, base: Self) -> Self {
        match self.anchor {
            Anchor::Full | Anchor::Home => self,
            Anchor::Drive if base.anchor == Anchor::Full => Self {
                names: self.names,
                ..base
            },
            Anchor::Drive => self,
            Anchor::Nothing => {
                let mut joined = base;
                joined.names.extend(self.names);
                joined
            }
        }
    }

    /// Takes every `..` back with the name before it.
    pub fn clean(self) -> Result<Clean, PathError> {
        let mut kept: Vec<String> = Vec::with_capacity(self.names.len());
        for name in self.names {
            if name != ".." {
                kept.push(name);
                continue;
            }
            let climbs = kept.last().is_none_or(|last| last == "..");
            match self.anchor {
                Anchor::Home if climbs => return Err(PathError::UnknownHome),
                Anchor::Nothing if climbs => kept.push(name),
                // INVARIANT: there is nothing above a root, so `..` there is the root itself.
                Anchor::Full | Anchor::Drive | Anchor::Home | Anchor::Nothing => drop(kept.pop()),
            }
        }
        let parts = Self {
            anchor: self.anchor,
            root: self.root,
            names: kept,
        };
        Ok(Clean {
            text: parts.text(),
            absolute: parts.anchor == Anchor::Full,
        })
    }

    /// The path as text, without a trailing slash but at a root.
    pub fn text(&self) -> String {
        let tail = self.names.join("/");
        match (self.anchor, tail.is_empty()) {
            (Anchor::Nothing, true) => ".".to_owned(),
            // A relative name is never to be read as a home directory.
            (Anchor::Nothing, false) if tail.starts_with('~') => ["./", &tail].concat(),
            (Anchor::Nothing, false) => tail,
            (Anchor::Home, true) => self.root.clone(),
            (Anchor::Full, true) if self.root.starts_with("//") => self.root.clone(),
            (Anchor::Full | Anchor::Drive | Anchor::Home, _) => [self.root.as_str(), "/", &tail].concat(),
        }
    }
}

/// The names between slashes.
pub(super) fn names(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .map(str::to_owned)
        .collect()
}

/// What stands after a leading `~`, when it is one's own home: empty or from the slash on.
///
/// An error for `~user`, `None` when there is no `~`.
pub(super) fn below_home(path: &str, platform: Platform) -> Option<Result<&str, PathError>> {
    let rest = path.strip_prefix('~')?;
    let own = rest.is_empty() || rest.starts_with('/') || (platform == Platform::Windows && rest.starts_with('\\'));
    Some(if own { Ok(rest) } else { Err(PathError::UserHome) })
}

/// Reads a path and expands `~`.
fn expanded(path: &str, environment: &Environment) -> Result<Parts, PathError> {
    let Some(rest) = below_home(path, environment.platform) else {
        return Parts::read(path, environment.platform);
    };
    let mut parts = home(environment)?;
    let below = Parts::read(&["./", rest?].concat(), environment.platform)?;
    parts.names.extend(below.names);
    Ok(parts)
}

/// The home directory, or the mark for one that is not known.
pub(super) fn home(environment: &Environment) -> Result<Parts, PathError> {
    Ok(
        known(environment.home.as_deref(), environment.platform)?.unwrap_or_else(|| Parts {
            anchor: Anchor::Home,
            root: "~".to_owned(),
            names: Vec::new(),
        }),
    )
}

/// The working directory, or nothing.
pub(super) fn cwd(environment: &Environment) -> Result<Parts, PathError> {
    Ok(known(environment.cwd.as_deref(), environment.platform)?.unwrap_or_else(Parts::nothing))
}

/// A directory that the host gave, when it is absolute.
fn known(directory: Option<&str>, platform: Platform) -> Result<Option<Parts>, PathError> {
    let parts = directory
        .map(|directory| Parts::read(directory, platform))
        .transpose()?;
    Ok(parts.filter(|parts| parts.anchor == Anchor::Full))
}

/// Reads a path as far from the root as the environment allows.
pub(super) fn anchored(path: &str, environment: &Environment, directory: Option<&str>) -> Result<Parts, PathError> {
    let mut parts = expanded(path, environment)?;
    if let (Some(directory), Anchor::Nothing | Anchor::Drive) = (directory, parts.anchor) {
        parts = parts.onto(expanded(directory, environment)?);
    }
    match parts.anchor {
        Anchor::Full | Anchor::Home => Ok(parts),
        Anchor::Nothing | Anchor::Drive => Ok(parts.onto(cwd(environment)?)),
    }
}
