//! A rule content that is a URL with wildcards.

use super::lenient::{decoded, whatwg};
use super::star::Stars;
use super::{Url, hosts, is_address, is_host_byte, is_scheme, normal_host, of_parsed};

/// A content `scheme://HOST[:PORT][/…]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPattern {
    scheme: String,
    host: Stars,
    port: Option<u16>,
    rest: Stars,
}

/// Reads a content with `scheme://`; `*` in the host never reaches beyond it, in the rest it is any run.
///
/// Without a rest only the origin's root is meant.
///
/// # Errors
/// A sentence that says what to write instead.
pub fn pattern(content: &str) -> Result<UrlPattern, String> {
    let Some((scheme, after)) = content.split_once("://") else {
        return Err(format!("`{content}` has no `://`: write `https://HOST/*`"));
    };
    if !is_scheme(scheme) {
        return Err(format!(
            "the scheme `{scheme}` must be letters, digits, `+`, `-` and `.`: write `https` or `http`"
        ));
    }
    let scheme = scheme.to_ascii_lowercase();
    if scheme == "file" {
        return Err("`file:` has no host: write the path instead".to_owned());
    }
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    let (host, port) = authority_of(authority, &scheme)?;
    Ok(UrlPattern {
        scheme,
        host,
        port,
        rest: rest_of(rest)?,
    })
}

fn authority_of(authority: &str, scheme: &str) -> Result<(Stars, Option<u16>), String> {
    if authority.contains('@') {
        return Err(format!(
            "`{authority}` has credentials, which no URL may have: leave them out"
        ));
    }
    let bracket = authority.rfind(']').map_or(0, |at| at.saturating_add(1));
    let colon = authority.rfind(':').filter(|at| *at >= bracket);
    let (host, port) = match colon {
        Some(at) => (
            authority.get(..at).unwrap_or_default(),
            authority.get(at.saturating_add(1)..),
        ),
        None => (authority, None),
    };
    let port = port.map(|port| port_of(port, scheme)).transpose()?.flatten();
    Ok((host_of(host)?, port))
}

/// The port, or `None` for the scheme's own.
fn port_of(text: &str, scheme: &str) -> Result<Option<u16>, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let port = text.parse::<u16>().ok().filter(|_| digits);
    let Some(port) = port else {
        return Err(format!(
            "the port `{text}` must be a number up to 65535: write one rule for each port"
        ));
    };
    let own = match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    };
    Ok(Some(port).filter(|port| Some(*port) != own))
}

fn host_of(text: &str) -> Result<Stars, String> {
    if !text.is_ascii() {
        return Err(format!("the host `{text}` is not ASCII: write it as `xn--…`"));
    }
    if !text.contains('*') {
        let host = normal_host(text).ok_or_else(|| format!("`{text}` is no host: write `https://HOST/*`"))?;
        return Ok(Stars::parse(&host));
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    if !name.bytes().all(|byte| is_host_byte(byte) || byte == b'*') || name.split('.').any(str::is_empty) {
        return Err(format!("`{text}` is no host: write `https://HOST/*`"));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if name != "*" && last.contains('*') {
        return Err(format!(
            "`{text}` would also match hosts of others: end the host before the star, as in `https://HOST/*`"
        ));
    }
    Ok(Stars::parse(&name.to_ascii_lowercase()))
}

fn rest_of(text: &str) -> Result<Stars, String> {
    if text.contains('#') {
        return Err("a fragment is never sent: leave `#` and what follows it out".to_owned());
    }
    if text.starts_with('?') {
        return Err("a query needs a path: write `/` before the `?`".to_owned());
    }
    let path = text.split('?').next().unwrap_or_default();
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("`.` and `..` never stay in a URL: write the path that they lead to".to_owned());
    }
    let mut encoded = String::with_capacity(text.len());
    for letter in text.chars() {
        let mut bytes = [0; 4];
        match letter.is_ascii() {
            true => encoded.push(letter),
            false => letter
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| push_encoded(byte, &mut encoded)),
        }
    }
    Ok(Stars::parse(if encoded.is_empty() { "/" } else { &encoded }))
}

fn push_encoded(byte: u8, out: &mut String) {
    let digit = |value: u8| {
        char::from_digit(u32::from(value), 16)
            .unwrap_or('0')
            .to_ascii_uppercase()
    };
    out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
}

impl UrlPattern {
    /// The one host that is meant, in the spelling of [`Url::host`]; `None` when there is a wildcard in it.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        let host = self.host.segments().first().filter(|_| self.host.is_exact());
        host.map(String::as_str)
    }

    /// Whether this URL is meant, for an allow.
    #[must_use]
    pub fn matches(&self, url: &Url) -> bool {
        self.is_origin_of(url) && self.rest.matches(&url.path_and_query)
    }

    /// Whether some reader of the text may end up where this pattern says, for deny and ask.
    ///
    /// Where a reader other than WHATWG's would find the host, scheme, port and path are not compared.
    #[must_use]
    pub fn concerns(&self, text: &str) -> bool {
        let parsed = whatwg(text).and_then(|url| of_parsed(&url).ok());
        if let Some(url) = &parsed
            && self.is_host(&url.host)
        {
            let decoded = decoded(&url.path_and_query, is_unreserved);
            let rest = self.rest.matches(&url.path_and_query) || self.rest.matches(&decoded);
            if self.is_origin_of(url) && rest {
                return true;
            }
        }
        let seen = parsed.map(|url| url.host);
        hosts(text)
            .iter()
            .any(|host| Some(host) != seen.as_ref() && self.is_host(host))
    }

    fn is_origin_of(&self, url: &Url) -> bool {
        self.scheme == url.scheme && self.port == url.port && self.is_host(&url.host)
    }

    fn is_host(&self, host: &str) -> bool {
        if self.host.is_exact() {
            return self.host.matches(host);
        }
        let whole = self.host.segments().iter().all(String::is_empty);
        if !whole && is_address(host) {
            return false;
        }
        self.host.matches(host)
    }
}

/// A byte that means the same whether it is encoded or not.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The content for everything of the URL's origin: `https://docs.test/*`.
#[must_use]
pub fn origin_content(url: &Url) -> String {
    [url.origin.as_str(), "/*"].concat()
}
