//! What a rule's content matches.

mod domain;
mod wild;

pub(super) use wild::Shape;
pub use wild::Wild;

use super::model::ContentKind;
use super::spelling::Misspelled;

/// The longest content in bytes.
pub const MAX_BYTES: usize = 4096;

const DOMAIN: &str = "domain:";

/// A content that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Every call.
    Any,
    /// This text only.
    Exact(String),
    /// This text, alone or with a blank after it.
    Prefix(String),
    /// Text with `*` for any run.
    Wild(Wild),
    /// The host of a URL.
    Domain {
        /// In lower case, without a final dot.
        host: String,
        /// One or more labels before it, and not the host itself.
        subdomains: bool,
    },
}

/// What ends the prefix of a [`Content::Prefix`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// Only the space: in encoded commands.
    One,
    /// Space, tab, CR and LF: in text.
    Any,
}

impl Blanks {
    /// Whether this byte ends a prefix.
    #[must_use]
    pub fn has(self, byte: u8) -> bool {
        match self {
            Self::One => byte == b' ',
            Self::Any => matches!(byte, b' ' | b'\t' | b'\r' | b'\n'),
        }
    }
}

impl Content {
    /// Whether a text that is no URL's host matches.
    #[must_use]
    pub fn matches(&self, text: &str, blanks: Blanks) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(exact) => exact == text,
            Self::Prefix(prefix) => text
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.bytes().next().is_none_or(|byte| blanks.has(byte))),
            Self::Wild(wild) => wild.matches(text),
            Self::Domain { .. } => false,
        }
    }
}

/// Reads a content; an empty one is [`Content::Any`].
///
/// # Errors
///
/// It is blank, too long, an empty prefix, or a `domain:` that is no host.
pub fn parse(content: &str) -> Result<Content, Misspelled> {
    if content.is_empty() {
        return Ok(Content::Any);
    }
    if content.len() > MAX_BYTES {
        let at = content.floor_char_boundary(MAX_BYTES);
        return Err(Misspelled::new(
            at,
            format!("the content is longer than {MAX_BYTES} bytes: shorten it"),
            None,
        ));
    }
    if is_blank(content) {
        return Err(Misspelled::new(
            0,
            "the content is blank: leave it out for every call",
            None,
        ));
    }
    if let Some(host) = content.strip_prefix(DOMAIN) {
        return domain::parse(host);
    }
    if let Some((word, host)) = content.split_at_checked(DOMAIN.len())
        && word.eq_ignore_ascii_case(DOMAIN)
    {
        let hint = domain::parse(host).is_ok().then(|| [DOMAIN, host].concat());
        return Err(Misspelled::new(0, "`domain:` is written in lower case", hint));
    }
    if let Some(prefix) = content.strip_suffix(":*") {
        if is_blank(prefix) {
            let message =
                "the prefix before `:*` is empty: name what it starts with, or leave the content out for every call";
            return Err(Misspelled::new(0, message, None));
        }
        return Ok(Content::Prefix(segments(prefix).join("*")));
    }
    let mut segments = segments(content);
    match segments.pop() {
        Some(text) if segments.is_empty() => Ok(Content::Exact(text)),
        last => {
            segments.extend(last);
            Wild::new(segments)
                .map(Content::Wild)
                .ok_or_else(|| Misspelled::new(0, "the content can't be read", None))
        }
    }
}

/// What a content is compared with, told by its form.
#[must_use]
pub fn kind_of(content: &str) -> ContentKind {
    let is_scheme = |text: &str| {
        let first = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'*');
        first
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.*".contains(&byte))
    };
    let is_url = content.starts_with(DOMAIN) || content.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme));
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let is_path = ["/", "~", "./", "../", r"\\"]
        .into_iter()
        .any(|start| content.starts_with(start));
    if is_url {
        ContentKind::Url
    } else if is_path || drive(content.as_bytes()) {
        ContentKind::Path
    } else {
        ContentKind::Text
    }
}

/// The content that matches exactly this text; `None` when none does: an empty, blank or too long text, or `domain:…`.
#[must_use]
pub fn exact(text: &str) -> Option<String> {
    let content = escaped(text, "\\*");
    let is_exact = matches!(parse(&content), Ok(Content::Exact(read)) if read == text);
    is_exact.then_some(content)
}

/// The content `TEXT:*`; `None` when there is none: an empty, blank or too long text, or `domain:…`.
#[must_use]
pub fn prefix(text: &str) -> Option<String> {
    let mut content = escaped(text, "*");
    content.push_str(":*");
    let is_prefix = matches!(parse(&content), Ok(Content::Prefix(read)) if read == text);
    is_prefix.then_some(content)
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| Blanks::Any.has(byte))
}

/// The literal texts around the stars that are not escaped.
pub(super) fn segments(content: &str) -> Vec<String> {
    let (mut segments, mut segment, mut backslashes) = (Vec::new(), String::new(), 0_usize);
    for character in content.chars() {
        if character == '\\' {
            backslashes += 1;
            continue;
        }
        let star = character == '*';
        let literal = if star { backslashes / 2 } else { backslashes };
        segment.extend(std::iter::repeat_n('\\', literal));
        if star && backslashes.is_multiple_of(2) {
            segments.push(std::mem::take(&mut segment));
        } else {
            segment.push(character);
        }
        backslashes = 0;
    }
    segment.extend(std::iter::repeat_n('\\', backslashes));
    segments.push(segment);
    segments
}

/// Writes `star` for each star, and what stands before it so that it reads the same.
fn escaped(text: &str, star: &str) -> String {
    let (mut content, mut backslashes) = (String::with_capacity(text.len() + 2), 0_usize);
    for character in text.chars() {
        if character == '*' {
            content.extend(std::iter::repeat_n('\\', backslashes));
            content.push_str(star);
        } else {
            content.push(character);
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
    }
    content
}

#[cfg(test)]
mod tests;
