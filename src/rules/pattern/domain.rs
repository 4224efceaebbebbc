//! The host of a `domain:` content.

use super::{Content, DOMAIN};
use crate::rules::spelling::Misspelled;

/// Reads what stands after `domain:`.
pub(super) fn parse(written: &str) -> Result<Content, Misspelled> {
    let (subdomains, name) = match written.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, written),
    };
    let start = DOMAIN.len() + written.len() - name.len();
    let is_ipv6 = name.starts_with('[') && name.ends_with(']');
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte) || (is_ipv6 && b"[]:".contains(&byte));
    if let Some(at) = name.bytes().position(|byte| !fits(byte)) {
        let at = start + at;
        if !name.is_ascii()
            && name
                .get(at - start..)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii()))
        {
            return Err(Misspelled::new(
                at,
                "the host is not ASCII: write it in its `xn--` form",
                None,
            ));
        }
        let message =
            "`domain:` takes a host only: write `domain:example.com`, or `domain:*.example.com` for what is below it";
        return Err(Misspelled::new(
            at,
            message,
            host_in(written).map(|host| format!("{DOMAIN}{host}")),
        ));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() || (!is_ipv6 && name.split('.').any(str::is_empty)) {
        let rest = name.trim_matches('.');
        let hint = (!rest.is_empty() && !rest.contains("..")).then(|| format!("{DOMAIN}*.{rest}"));
        return Err(Misspelled::new(
            start,
            "the host has an empty part: write `domain:example.com`",
            hint,
        ));
    }
    // Spelled as the URL's own host will be: `0x7f.1` is `127.0.0.1`.
    let host = url::Host::parse(name).map_err(|_| {
        let message = format!("`{name}` is no host: write `domain:example.com`");
        Misspelled::new(start, message, None)
    })?;
    if subdomains && !matches!(host, url::Host::Domain(_)) {
        let message = format!("nothing is below the address `{name}`: write `domain:{host}`");
        return Err(Misspelled::new(DOMAIN.len(), message, Some(format!("{DOMAIN}{host}"))));
    }
    let host = host.to_string();
    Ok(Content::Domain { host, subdomains })
}

/// The host that a URL, an authority or a host with other stars was meant to name.
fn host_in(written: &str) -> Option<&str> {
    let rest = written.split_once("://").map_or(written, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host);
    let bare = host.strip_prefix("*.").unwrap_or(host);
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    (!bare.is_empty() && bare.bytes().all(fits)).then_some(host)
}
