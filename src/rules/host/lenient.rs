//! Every host that some reader may see in a text, for deny and ask.

use super::{HOST_BYTES, is_host_byte, is_scheme, is_special, normal_host};
use crate::sort;

/// The longest authority that is given to the full parser.
const AUTHORITY_BYTES: usize = 1024;

/// The hosts in their comparable spelling, sorted, without duplicates; numeric IPv4 also as it is written.
///
/// Read are WHATWG's host, and the names before and after each `@` of every authority that is found with and without a scheme,
/// with `\` as slash or not, with percent encoding decoded or not, with control characters dropped or not.
#[must_use]
pub fn hosts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let trimmed = text.trim_matches(|letter: char| letter <= ' ');
    let dense: String = trimmed
        .chars()
        .filter(|letter| !is_dropped(*letter))
        .map(narrow)
        .collect();
    let slashed = dense.replace('\\', "/");
    for variant in [trimmed, &dense, &slashed] {
        if let Some(host) = whatwg(variant).as_ref().and_then(url::Url::host_str) {
            add(host, &mut found);
        }
        for rest in rests(variant) {
            let authority = rest.split('/').next().unwrap_or_default();
            names(&decoded(authority, |byte| byte.is_ascii()), &mut found);
        }
    }
    sort::set(&mut found);
    found
}

/// WHATWG's reading; `None` also for an authority that is encoded, not ASCII or far too long to be read in reasonable time.
pub(super) fn whatwg(text: &str) -> Option<url::Url> {
    let after = text.split_once(':').map_or(text, |(_, rest)| rest);
    let authority = after.trim_start_matches(|letter| letter <= ' ' || matches!(letter, '/' | '\\'));
    let authority = authority.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    if authority.len() > AUTHORITY_BYTES || !authority.is_ascii() || authority.contains('%') {
        return None;
    }
    url::Url::parse(text).ok()
}

/// Some readers leave these out: line ends, tabs and characters without a width.
fn is_dropped(letter: char) -> bool {
    matches!(
        letter,
        '\t' | '\n' | '\r' | '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}'
    )
}

/// A full-width or ideographic form as the ASCII that hosts are mapped to.
fn narrow(letter: char) -> char {
    match u32::from(letter) {
        0x3002 | 0xFF61 => '.',
        code @ 0xFF01..=0xFF5E => char::from_u32(code.saturating_sub(0xFEE0)).unwrap_or(letter),
        _ => letter,
    }
}

/// Every place where an authority may begin.
fn rests(text: &str) -> impl Iterator<Item = &str> {
    let bare = text.trim_start_matches(['/', '\\']);
    let after = text.split_once(':').filter(|(scheme, rest)| {
        !is_scheme(scheme) || is_special(scheme) || rest.starts_with(['/', '\\']) || rest.contains('@')
    });
    let later = text.split_once("://").map(|(_, rest)| rest);
    // `name:8443/x` and `user:secret@name`, but not `https://…` nor `javascript:…`.
    let schemeless = match text.split_once(':') {
        Some((scheme, rest)) => {
            !is_scheme(scheme)
                || scheme.contains('.')
                || (rest.contains('@') && !rest.starts_with("//"))
                || rest.starts_with(|first: char| first.is_ascii_digit())
        }
        None => true,
    };
    [schemeless.then_some(bare), after.map(|(_, rest)| rest), later]
        .into_iter()
        .flatten()
        .map(|rest| rest.trim_start_matches(['/', '\\']))
}

/// Adds what may be a host between the separators of an authority.
fn names(authority: &str, found: &mut Vec<String>) {
    let separates = |letter: char| letter <= ' ' || matches!(letter, '@' | '\\' | '/' | '?' | '#' | ';' | ',' | '%');
    for piece in authority.split(separates) {
        let end = match piece.strip_prefix('[') {
            Some(address) => address.find(']').map_or(piece.len(), |at| at.saturating_add(2)),
            None => piece.find(':').unwrap_or(piece.len()),
        };
        add(piece.get(..end).unwrap_or(piece), found);
    }
}

/// Adds a host in its comparable spelling and, where it differs, as it is written.
fn add(name: &str, found: &mut Vec<String>) {
    let name = name.trim_end_matches('.');
    if name.is_empty() || name.len() > HOST_BYTES {
        return;
    }
    if let Some(host) = normal_host(name) {
        if let Some(address) = mapped(&host) {
            found.push(address);
        }
        found.push(host);
    }
    if let Some(address) = decimal(name) {
        found.push(address);
    }
    if name.bytes().all(is_host_byte) {
        found.push(name.to_ascii_lowercase());
    }
}

/// The IPv4 address in an IPv6 one.
fn mapped(host: &str) -> Option<String> {
    let address = host
        .strip_prefix('[')?
        .strip_suffix(']')?
        .parse::<std::net::Ipv6Addr>()
        .ok()?;
    Some(address.to_ipv4_mapped()?.to_string())
}

/// Four numbers read as decimal ones whatever zeros they begin with.
fn decimal(name: &str) -> Option<String> {
    let mut numbers = Vec::with_capacity(4);
    for label in name.split('.') {
        numbers.push(
            label
                .parse::<u8>()
                .ok()
                .filter(|_| !label.starts_with('+'))?
                .to_string(),
        );
    }
    (numbers.len() == 4).then(|| numbers.join("."))
}

/// The text with those encoded bytes decoded that are ASCII and `plain`.
pub(super) fn decoded(text: &str, plain: fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let digits = after
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match (byte.filter(|byte| byte.is_ascii() && plain(*byte)), after.get(2..)) {
            (Some(byte), Some(tail)) => {
                out.push(char::from(byte));
                tail
            }
            _ => {
                out.push('%');
                after
            }
        };
    }
    out.push_str(rest);
    out
}
