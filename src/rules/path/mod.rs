//! Paths in one comparable spelling, by text alone: nothing here looks at a disk.

mod fold;
mod parts;
mod pattern;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;
mod windows;

pub use fold::fold;
pub use pattern::{escapes_star, pattern};

use super::model::Environment;
use parts::{Anchor, Parts};

/// A path without `//`, `.`, `..` and trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clean {
    /// `/`-separated: `/x`, `c:/x`, `//server/share/x`, or where `absolute` is false `x`, `../x`, `~/x` without a known home,
    /// and on Windows `/x` without a known drive.
    pub text: String,
    /// It names one place, wherever the process stands.
    pub absolute: bool,
}

/// Why a path can't be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// It has a NUL.
    Nul,
    /// Windows: `\\.\…`, or a `\\?\…` that is neither a drive nor UNC, or has names that only that form keeps.
    DeviceNamespace,
    /// Windows: a server without a name, a share `.` or `..`, or a drive's administrative share.
    NetworkName,
    /// Windows: `C:x`, relative to a directory that only the process knows.
    DriveRelative,
    /// Windows: a colon in a name.
    AlternateStream,
    /// Windows: `CON`, `nul.txt` and the like.
    ReservedName,
    /// Windows: a name of nothing but dots and blanks, other than `.` and `..`.
    DotsAndBlanks,
    /// `~user`.
    UserHome,
    /// It climbs out of a home directory that is not known, or needs that directory.
    UnknownHome,
    /// It is relative where an absolute path is needed.
    NotAbsolute,
}

impl PathError {
    /// A few words for people.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Nul => "it has a NUL",
            Self::DeviceNamespace => "it is in the device namespace",
            Self::NetworkName => "its server or share is not a plain one",
            Self::DriveRelative => "it is relative to a drive's own directory",
            Self::AlternateStream => "it names an alternate data stream",
            Self::ReservedName => "it has a reserved name",
            Self::DotsAndBlanks => "a name has only dots and blanks",
            Self::UserHome => "it is another user's home",
            Self::UnknownHome => "the home directory is not known",
            Self::NotAbsolute => "it is not absolute",
        }
    }
}

/// A call's path, cleaned; a relative one starts at `directory`, which itself may be relative to the working directory.
///
/// `..` stops at a root. What the environment does not know stays out: see [`Clean::text`].
///
/// # Errors
/// [`PathError`] when the path, or a directory it needs, can't be compared.
pub fn subject(path: &str, environment: &Environment, directory: Option<&str>) -> Result<Clean, PathError> {
    parts::anchored(path, environment, directory)?.clean()
}

/// A call's path made absolute with every `..` kept: what a resolver of symbolic links must be asked.
///
/// # Errors
/// [`PathError`] as [`subject`], and when it can't be made absolute.
pub fn written(path: &str, environment: &Environment, directory: Option<&str>) -> Result<String, PathError> {
    let parts = parts::anchored(path, environment, directory)?;
    match parts.anchor {
        Anchor::Full => Ok(parts.text()),
        Anchor::Home => Err(PathError::UnknownHome),
        Anchor::Nothing | Anchor::Drive => Err(PathError::NotAbsolute),
    }
}

/// What a resolver of symbolic links answered, cleaned; `~` is an ordinary name in it.
///
/// # Errors
/// [`PathError`] when it can't be compared or is not absolute.
pub fn real(result: &str, environment: &Environment) -> Result<Clean, PathError> {
    let parts = Parts::read(result, environment.platform)?;
    if parts.anchor != Anchor::Full {
        return Err(PathError::NotAbsolute);
    }
    parts.clean()
}

/// The text is written as a path on some platform: `/…`, `~…`, `./…`, `../…`, `.`, `..`, `C:\…`, `C:/…`, `\\server…`.
#[must_use]
pub fn is_path_form(text: &str) -> bool {
    let leads = ["/", "~", "./", "../", "\\\\"];
    let drive = match text.as_bytes() {
        [letter, b':', b'/' | b'\\', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    };
    drive || matches!(text, "." | "..") || leads.iter().any(|lead| text.starts_with(lead))
}
