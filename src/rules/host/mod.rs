//! URLs as a fetcher reads them, and every host that another reader may see in one.

mod lenient;
mod pattern;
mod star;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;

pub use lenient::hosts;
pub use pattern::{UrlPattern, origin_content, pattern};

/// A DNS name has no more bytes.
const HOST_BYTES: usize = 253;

/// A URL that every parser reads the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Lower case, without the colon.
    pub scheme: String,
    /// Lower case, without a final dot, numeric IPv4 as four decimals, IPv6 in brackets.
    pub host: String,
    /// Only where it is not the scheme's own.
    pub port: Option<u16>,
    /// The whole, as WHATWG writes it.
    pub href: String,
    /// `scheme://host[:port]`.
    pub origin: String,
    /// From the slash after the origin, without the fragment.
    pub path_and_query: String,
}

/// Why a URL can't satisfy an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlError {
    /// It is no URL.
    Unparsable,
    /// It leads to no host; `file:` and `javascript:` never count as leading to one.
    NoHost,
    /// It has a user name or a password.
    Credentials,
    /// Two parsers may read it differently: a backslash, a blank or control character, no or too many slashes before the
    /// host, a host with more than letters, digits, `.`, `-` and `_`, or an encoded `..` in the path.
    Ambiguous,
    /// Its host is not ASCII.
    NotAscii,
}

impl UrlError {
    /// A few words for people.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Unparsable => "it is no URL",
            Self::NoHost => "it has no host",
            Self::Credentials => "it has credentials",
            Self::Ambiguous => "parsers may read it differently",
            Self::NotAscii => "its host is not ASCII",
        }
    }
}

/// Reads a URL that may satisfy an allow.
///
/// # Errors
/// [`UrlError`] for everything else.
pub fn read(text: &str) -> Result<Url, UrlError> {
    if text.bytes().any(|byte| byte <= b' ' || byte == 0x7F || byte == b'\\') {
        return Err(UrlError::Ambiguous);
    }
    let (scheme, rest) = scheme_of(text).ok_or(UrlError::Unparsable)?;
    // Whatever follows `javascript:` is code, two slashes are a comment.
    if ["file", "javascript"]
        .iter()
        .any(|none| scheme.eq_ignore_ascii_case(none))
    {
        return Err(UrlError::NoHost);
    }
    let Some(rest) = rest.strip_prefix("//") else {
        return Err(if is_special(scheme) {
            UrlError::Ambiguous
        } else {
            UrlError::NoHost
        });
    };
    let authority = authority(rest);
    if authority.is_empty() {
        let more = is_special(scheme) && rest.starts_with('/');
        return Err(if more { UrlError::Ambiguous } else { UrlError::NoHost });
    }
    if authority.contains('@') {
        return Err(UrlError::Credentials);
    }
    if !authority.is_ascii() {
        return Err(UrlError::NotAscii);
    }
    if authority.starts_with(':') {
        return Err(UrlError::NoHost);
    }
    if !is_plain(authority) || authority.len() > HOST_BYTES.saturating_add(7) {
        return Err(UrlError::Ambiguous);
    }
    let url = url::Url::parse(text).map_err(|_| UrlError::Unparsable)?;
    if has_encoded_climb(url.path()) {
        return Err(UrlError::Ambiguous);
    }
    of_parsed(&url)
}

/// What is compared of a parsed URL.
fn of_parsed(url: &url::Url) -> Result<Url, UrlError> {
    let host = normal_host(url.host_str().ok_or(UrlError::NoHost)?).ok_or(UrlError::Ambiguous)?;
    let scheme = url.scheme().to_owned();
    let port = url.port();
    let mut origin = [scheme.as_str(), "://", &host].concat();
    if let Some(port) = port {
        origin.push(':');
        origin.push_str(&port.to_string());
    }
    let mut path_and_query = url.path().to_owned();
    if path_and_query.is_empty() {
        path_and_query.push('/');
    }
    if let Some(query) = url.query() {
        path_and_query.push('?');
        path_and_query.push_str(query);
    }
    Ok(Url {
        scheme,
        host,
        port,
        href: url.as_str().to_owned(),
        origin,
        path_and_query,
    })
}

/// The scheme, and what follows its colon.
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    is_scheme(scheme).then_some((scheme, rest))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// A scheme for which WHATWG finds a host whatever the slashes.
fn is_special(scheme: &str) -> bool {
    ["http", "https", "ws", "wss", "ftp"]
        .iter()
        .any(|special| scheme.eq_ignore_ascii_case(special))
}

fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// An authority without credentials in which nobody sees anything but a name or address and a port.
fn is_plain(authority: &str) -> bool {
    if let Some(address) = authority.strip_prefix('[') {
        return address
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.' | b']'));
    }
    authority.bytes().all(|byte| is_host_byte(byte) || byte == b':')
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

/// A host in the one spelling in which hosts are compared; `None` for what is no host of a special scheme.
fn normal_host(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text);
    if name.len() > HOST_BYTES || !name.is_ascii() || name.contains('%') {
        return None;
    }
    let host = url::Host::parse(name).ok()?.to_string();
    let labels =
        host.starts_with('[') || host.bytes().all(is_host_byte) && host.split('.').all(|label| !label.is_empty());
    labels.then_some(host)
}

/// The host is an address, which has no subdomains.
pub(super) fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// `..` next to an encoded slash, which a server may take for a step up.
fn has_encoded_climb(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    if !path.contains("%2f") && !path.contains("%5c") {
        return false;
    }
    let path = path.replace("%2f", "/").replace("%5c", "/").replace("%2e", ".");
    path.split('/').any(|segment| segment == "..")
}
