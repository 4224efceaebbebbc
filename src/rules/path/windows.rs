//! What only Windows paths have: drives, network shares, the verbatim prefix and names that are not files.

use super::PathError;
use super::parts::{Anchor, Parts, names};

/// Takes a Windows path apart.
pub(super) fn read(path: &str) -> Result<Parts, PathError> {
    let unified = path.replace('\\', "/");
    let (rest, verbatim) = match without_prefix(&unified)? {
        Some(rest) => (rest, true),
        None => (unified, false),
    };
    let mut parts = rooted(&rest)?;
    for name in &mut parts.names {
        let stripped = plain(name)?;
        if stripped.len() != name.len() {
            if verbatim {
                return Err(PathError::DeviceNamespace);
            }
            *name = stripped.to_owned();
        }
    }
    Ok(parts)
}

/// What `//?/C:/x`, `//./C:/x` and `//?/UNC/server/share` mean; `None` when there is no such prefix.
fn without_prefix(path: &str) -> Result<Option<String>, PathError> {
    let Some(rest) = path.strip_prefix("//?/").or_else(|| path.strip_prefix("//./")) else {
        return if matches!(path, "//?" | "//.") {
            Err(PathError::DeviceNamespace)
        } else {
            Ok(None)
        };
    };
    match unc(rest) {
        Some(share) => Ok(Some(["//", share].concat())),
        None if matches!(rest.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic()) => {
            Ok(Some(rest.to_owned()))
        }
        None => Err(PathError::DeviceNamespace),
    }
}

/// What stands after `UNC/`.
pub(super) fn unc(text: &str) -> Option<&str> {
    let (word, rest) = text.split_once('/')?;
    word.eq_ignore_ascii_case("UNC").then_some(rest)
}

/// A drive's letter in lower case and what stands after the colon, also of `/C:…`.
pub(super) fn drive(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('/').unwrap_or(text);
    let (letter, rest) = text.split_once(':')?;
    let [byte] = letter.as_bytes() else { return None };
    byte.is_ascii_alphabetic()
        .then(|| ([letter, ":"].concat().to_ascii_lowercase(), rest))
}

fn rooted(path: &str) -> Result<Parts, PathError> {
    if let Some(share) = path.strip_prefix("//") {
        return network(share);
    }
    if let Some((root, rest)) = drive(path) {
        let full = rest.starts_with('/');
        return if full {
            Ok(Parts {
                anchor: Anchor::Full,
                root,
                names: names(rest),
            })
        } else {
            Err(PathError::DriveRelative)
        };
    }
    let anchor = if path.starts_with('/') {
        Anchor::Drive
    } else {
        Anchor::Nothing
    };
    Ok(Parts {
        anchor,
        root: String::new(),
        names: names(path),
    })
}

fn network(path: &str) -> Result<Parts, PathError> {
    let mut pieces = path.splitn(3, '/');
    let server = pieces.next().unwrap_or_default();
    let share = pieces.next().unwrap_or_default();
    let rest = pieces.next().unwrap_or_default();
    let dots = |name: &str| name.trim_end_matches(['.', ' ']).len() != name.len();
    // `c$` is the drive under a second name, which no rule for the drive would see.
    let drive = matches!(share.as_bytes(), [letter, b'$'] if letter.is_ascii_alphabetic());
    if matches!(server, "" | "?") || share.is_empty() || dots(server) || dots(share) || drive {
        return Err(PathError::NetworkName);
    }
    if server.contains(':') || share.contains(':') {
        return Err(PathError::AlternateStream);
    }
    let root = ["//", server, "/", share].concat().to_ascii_lowercase();
    Ok(Parts {
        anchor: Anchor::Full,
        root,
        names: names(rest),
    })
}

/// A name as the file system keeps it: without trailing dots and blanks.
fn plain(name: &str) -> Result<&str, PathError> {
    if name == ".." {
        return Ok(name);
    }
    if name.contains(':') {
        return Err(PathError::AlternateStream);
    }
    let kept = name.trim_end_matches(['.', ' ']);
    // `/??/C:/x` is another spelling of `//?/C:/x`, and no file has a question mark.
    if kept == "??" {
        return Err(PathError::DeviceNamespace);
    }
    if kept.is_empty() {
        return Err(PathError::DotsAndBlanks);
    }
    if is_reserved(kept) {
        return Err(PathError::ReservedName);
    }
    Ok(kept)
}

/// A device, whatever the extension.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    if devices.iter().any(|device| stem.eq_ignore_ascii_case(device)) {
        return true;
    }
    let (Some(port), Some(number)) = (stem.get(..3), stem.get(3..)) else {
        return false;
    };
    let mut digits = number.chars();
    let numbered = matches!(
        (digits.next(), digits.next()),
        (Some('0'..='9' | '¹' | '²' | '³'), None)
    );
    numbered && (port.eq_ignore_ascii_case("COM") || port.eq_ignore_ascii_case("LPT"))
}
