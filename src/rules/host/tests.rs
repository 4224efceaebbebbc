use crate::named::Named;

use proptest::prelude::*;

use super::*;
use crate::rules::model::{Environment, List, Origin, RuleSpec};
use crate::rules::ruleset::RuleSet;
use crate::rules::selector::Side;

fn host(text: &str) -> Result<String, UrlError> {
    read(text).map(|url| url.host)
}

#[test]
fn what_may_satisfy_an_allow() {
    let table = [
        ("https://docs.test@evil.test/", Err(UrlError::Credentials)),
        ("https://docs.test:pw@evil.test/", Err(UrlError::Credentials)),
        ("https://docs.test%20@evil.test/", Err(UrlError::Credentials)),
        ("https://docs.test%3A@evil.test/", Err(UrlError::Credentials)),
        ("https://@evil.test/", Err(UrlError::Credentials)),
        ("https://docs.test\\@evil.test/", Err(UrlError::Ambiguous)),
        ("https:\\\\evil.test", Err(UrlError::Ambiguous)),
        ("https://DOCS.test:8443/x", Ok("docs.test")),
        ("https://docs.test./", Ok("docs.test")),
        ("https://docs.test../", Err(UrlError::Ambiguous)),
        ("https://./", Err(UrlError::Ambiguous)),
        ("http:///evil.com", Err(UrlError::Ambiguous)),
        ("http:/evil.com", Err(UrlError::Ambiguous)),
        ("https:evil.com", Err(UrlError::Ambiguous)),
        ("2130706433", Err(UrlError::Unparsable)),
        ("http://2130706433/", Ok("127.0.0.1")),
        ("http://0177.0.0.1/", Ok("127.0.0.1")),
        ("http://0x7f.1/", Ok("127.0.0.1")),
        ("http://127.1/", Ok("127.0.0.1")),
        ("http://256.0.0.1/", Err(UrlError::Unparsable)),
        ("http://[::1]:80/", Ok("[::1]")),
        ("http://[0:0::0:1]/", Ok("[::1]")),
        ("http://[fe80::1%25eth0]/", Err(UrlError::Ambiguous)),
        ("javascript:alert(1)", Err(UrlError::NoHost)),
        ("file:///etc/hostname", Err(UrlError::NoHost)),
        ("file://docs.test/x", Err(UrlError::NoHost)),
        ("about:blank", Err(UrlError::NoHost)),
        ("blob:https://docs.test/x", Err(UrlError::NoHost)),
        ("http://", Err(UrlError::NoHost)),
        ("http://:80/", Err(UrlError::NoHost)),
        ("docs.test/x", Err(UrlError::Unparsable)),
        ("docs.test:8443/x", Err(UrlError::NoHost)),
        ("//docs.test/x", Err(UrlError::Unparsable)),
        ("", Err(UrlError::Unparsable)),
        ("ht tp://docs.test", Err(UrlError::Ambiguous)),
        (" https://docs.test", Err(UrlError::Ambiguous)),
        ("https://docs.test/\n", Err(UrlError::Ambiguous)),
        ("https://do\tcs.test/", Err(UrlError::Ambiguous)),
        ("https://docs.test/a\u{7f}", Err(UrlError::Ambiguous)),
        ("https://ex%61mple.com", Err(UrlError::Ambiguous)),
        ("https://docs.test;evil.test/", Err(UrlError::Ambiguous)),
        ("https://docs.test:pw/", Err(UrlError::Unparsable)),
        ("https://docs.test:65536/", Err(UrlError::Unparsable)),
        ("https://d\u{43e}cs.test", Err(UrlError::NotAscii)),
        ("https://A\u{ae}.test", Err(UrlError::NotAscii)),
        ("https://\u{ff44}ocs.test", Err(UrlError::NotAscii)),
        ("https://docs\u{3002}test", Err(UrlError::NotAscii)),
        ("https://xn--dcs-wed.test/", Ok("xn--dcs-wed.test")),
        ("https://docs.test/a/..%2f..%2Fadmin", Err(UrlError::Ambiguous)),
        ("https://docs.test/a/%2e%2e%5cadmin", Err(UrlError::Ambiguous)),
        ("https://docs.test/group%2Fproject", Ok("docs.test")),
        ("git://Docs.test/x", Ok("docs.test")),
        ("https://evil.test/docs.test", Ok("evil.test")),
        ("https://evil.test/?u=@docs.test", Ok("evil.test")),
        ("https://evil.test#@docs.test", Ok("evil.test")),
    ];
    for (text, expected) in table {
        assert_eq!(host(text), expected.map(str::to_owned), "{text:?}");
    }
}

#[test]
fn the_full_parser_refuses_what_is_not_ascii_too() {
    for text in [
        "https://d\u{43e}cs.test",
        "https://\u{ff44}ocs.test",
        "https://b\u{fc}cher.test",
    ] {
        assert!(url::Url::parse(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_known_of_a_url() {
    let url = read("HTTPS://DOCS.test.:8443/a/../b?c=d#e").unwrap();
    assert_eq!(url.scheme, "https");
    assert_eq!(url.port, Some(8443));
    assert_eq!(url.origin, "https://docs.test:8443");
    assert_eq!(url.path_and_query, "/b?c=d");
    assert_eq!(url.href, "https://docs.test.:8443/b?c=d#e");
    assert_eq!(read("https://docs.test:443").unwrap().origin, "https://docs.test");
    assert_eq!(read("git://docs.test").unwrap().path_and_query, "/");
    assert_eq!(read("git://docs.test?a").unwrap().path_and_query, "/?a");
}

#[test]
fn every_host_that_somebody_may_see() {
    let table: [(&str, &[&str]); 33] = [
        ("https://docs.test@evil.test/", &["docs.test", "evil.test"]),
        ("https://docs.test:pw@evil.test/", &["docs.test", "evil.test"]),
        ("https://docs.test%20@evil.test/", &["docs.test", "evil.test"]),
        ("https://a@docs.test@evil.test/", &["a", "docs.test", "evil.test"]),
        ("https://docs.test\\@evil.test/", &["docs.test", "evil.test"]),
        ("https://evil.test\\.docs.test/", &["evil.test"]),
        ("https://DOCS.test:8443/x", &["docs.test"]),
        ("https://docs.test./", &["docs.test"]),
        ("http:///evil.com", &["evil.com"]),
        ("https:evil.com", &["evil.com"]),
        ("http:\\\\evil.com", &["evil.com"]),
        ("2130706433", &["127.0.0.1"]),
        ("http://0177.0.0.1/", &["127.0.0.1", "177.0.0.1", "0177.0.0.1"]),
        ("http://127.1/", &["127.0.0.1"]),
        ("http://[::1]:80/", &["[::1]"]),
        ("http://[::ffff:10.0.0.1]/", &["10.0.0.1"]),
        ("[::1]:80", &["[::1]"]),
        ("docs.test/x", &["docs.test"]),
        ("docs.test:8443/x", &["docs.test"]),
        ("docs.test:/x", &["docs.test"]),
        ("//docs.test/x", &["docs.test"]),
        ("me:pw@docs.test/x", &["docs.test"]),
        ("ht tp://docs.test", &["docs.test"]),
        ("https://do\tcs.te\nst/", &["docs.test"]),
        ("\u{1}https://docs.test", &["docs.test"]),
        ("https://ex%61mple.com", &["example.com"]),
        ("https://%65%76il.test%2f@docs.test/", &["evil.test", "docs.test"]),
        ("https://\u{ff44}ocs\u{3002}test", &["docs.test"]),
        ("https://do\u{ad}cs.test", &["docs.test"]),
        ("http://evil.test#@docs.test/", &["evil.test", "docs.test"]),
        ("http://evil.test?@docs.test/", &["evil.test", "docs.test"]),
        ("https://docs.test;evil.test/", &["docs.test", "evil.test"]),
        ("blob:https://docs.test/x", &["docs.test"]),
    ];
    for (text, expected) in table {
        let found = hosts(text);
        for host in expected {
            assert!(
                found.iter().any(|one| one == host),
                "{text:?}: {host} is not in {found:?}"
            );
        }
    }
    // The full parser's own checks must not see these.
    for text in ["https://A\u{ae}/", "https://%41%C2%AE/", "https://me@%41%C2%AE/"] {
        assert!(!hosts(text).iter().any(|host| host.contains("xn--")), "{text}");
    }
    for text in ["", "javascript:alert(1)", "file:///etc/hostname", "about:blank"] {
        let found = hosts(text);
        assert!(found.iter().all(|host| host == "etc"), "{text:?}: {found:?}");
    }
    for (text, other) in [
        ("https://evil.test/docs.test", "docs.test"),
        ("https://evil.test/?u=https://docs.test/", "docs.test"),
    ] {
        assert!(!hosts(text).iter().any(|host| host == other), "{text}");
    }
}

#[test]
fn long_authorities_are_read_in_time() {
    let label = ["xn--", &"a".repeat(1990), "."].concat();
    let long = ["https://", &label.repeat(300), "evil.test/"].concat();
    assert_eq!(read(&long), Err(UrlError::Ambiguous));
    drop(hosts(&long));
    let many = ["https://", &"docs.test@".repeat(50_000), "evil.test/"].concat();
    assert_eq!(hosts(&many), ["docs.test", "evil.test"]);
}

/// Whether an allow with this content covers the host; `None`: it can't be written.
fn covers(host: &str, content: &str) -> Option<bool> {
    let rule = RuleSpec {
        list: List::Allow,
        tool: "fetch".into(),
        server: None,
        content: content.into(),
        kind: None,
        reason: None,
        alternative: None,
        examples: Vec::new(),
        written: content.into(),
        origin: Origin::default(),
    };
    let (set, found) = RuleSet::compile(Side::Permit, vec![rule], &Named::new(), &Environment::default());
    let groups = set.every_group();
    found.is_empty().then(|| set.domain(&groups, host, &mut 0).is_some())
}

#[test]
fn domains_and_their_subdomains() {
    let table = [
        ("docs.test", "domain:docs.test", Some(true)),
        ("www.docs.test", "domain:docs.test", Some(false)),
        ("docs.test", "domain:*.docs.test", Some(false)),
        ("a.b.lib.test", "domain:*.lib.test", Some(true)),
        ("notlib.test", "domain:*.lib.test", Some(false)),
        ("127.0.0.1", "domain:*.0.0.1", None),
        ("127.0.0.1", "domain:*.1", None),
        ("127.0.0.1", "domain:127.0.0.1", Some(true)),
        ("[::1]", "domain:[::1]", Some(true)),
        ("a.", "domain:*.", None),
    ];
    for (host, content, expected) in table {
        assert_eq!(covers(host, content), expected, "{host} {content}");
    }
}

#[test]
fn patterns_match_their_origin_only() {
    let table = [
        ("https://docs.test/*", "https://docs.test/b", true),
        ("https://docs.test/*", "https://DOCS.test.:443/", true),
        ("https://docs.test/*", "http://docs.test/b", false),
        ("https://docs.test/*", "https://docs.test:8443/b", false),
        ("https://docs.test/*", "https://docs.test.evil.test/b", false),
        ("https://docs.test/*", "https://evil.test/docs.test/", false),
        ("https://docs.test:443/*", "https://docs.test/b", true),
        ("https://docs.test:8443/*", "https://docs.test:8443/b", true),
        ("https://docs.test", "https://docs.test/", true),
        ("https://docs.test", "https://docs.test/b", false),
        ("https://docs.test/api/*", "https://docs.test/api/x/y?z", true),
        ("https://docs.test/api/*", "https://docs.test/api/../admin", false),
        ("https://docs.test/api/*", "https://docs.test/api/%2e%2e/admin", false),
        ("https://docs.test/*.md", "https://docs.test/a/b.md", true),
        ("https://docs.test/*.md", "https://docs.test/a.md?x", false),
        ("https://docs.test/a\\*b", "https://docs.test/a*b", true),
        ("https://docs.test/a\\*b", "https://docs.test/axb", false),
        ("https://docs.test/\u{e4}", "https://docs.test/\u{e4}", true),
        ("https://*.docs.test/*", "https://a.b.docs.test/", true),
        ("https://*.docs.test/*", "https://docs.test/", false),
        ("https://*.docs.test/*", "https://evil.test/.docs.test/", false),
        ("https://*.docs.test/*", "https://evil.test/?.docs.test/", false),
        ("https://api-*.docs.test/*", "https://api-1.docs.test/", true),
        ("https://*/*", "https://anything.test/x", true),
        ("https://*/*", "https://127.0.0.1/x", true),
        ("http://*.0.0.1/*", "http://127.0.0.1/", false),
        ("http://127.1/*", "http://127.0.0.1/x", true),
        ("http://[::1]:8080/*", "http://[0::1]:8080/x", true),
        ("HTTPS://Docs.Test/*", "https://docs.test/x", true),
    ];
    for (content, text, expected) in table {
        let url = read(text).unwrap();
        assert_eq!(pattern(content).unwrap().matches(&url), expected, "{content} {text}");
    }
}

#[test]
fn a_pattern_knows_its_host() {
    assert_eq!(pattern("https://Docs.test./*").unwrap().host(), Some("docs.test"));
    assert_eq!(pattern("http://[0::1]:8080/*").unwrap().host(), Some("[::1]"));
    assert_eq!(pattern("https://*.docs.test/*").unwrap().host(), None);
    assert_eq!(pattern("https://*/*").unwrap().host(), None);
}

#[test]
fn malformed_patterns_say_what_to_do() {
    let table = [
        ("docs.test", "https://HOST/*"),
        ("*://docs.test/*", "the scheme `*`"),
        ("http*://docs.test/*", "the scheme `http*`"),
        ("https://", "no host"),
        ("https:///x", "no host"),
        ("file:///etc/*", "path"),
        ("https://docs.test:*/x", "port `*`"),
        ("https://docs.test:/x", "port ``"),
        ("https://docs.test:+80/x", "port `+80`"),
        ("https://me@docs.test/", "credentials"),
        ("https://docs.test*", "end the host"),
        ("https://docs.*/x", "end the host"),
        ("https://d\u{43e}cs.test/", "xn--"),
        ("https://docs..test/", "no host"),
        ("https://*..test/", "no host"),
        ("https://ex%61mple.com/", "no host"),
        ("https://docs.test\\x/", "no host"),
        ("https://docs.test?x", "before the `?`"),
        ("https://docs.test/#x", "fragment"),
        ("https://docs.test/a/../b", "lead to"),
    ];
    for (content, part) in table {
        let message = pattern(content).unwrap_err();
        assert!(message.contains(part), "{content}: {message}");
    }
}

#[test]
fn deny_patterns_see_through_spellings() {
    let table = [
        ("https://evil.test/*", "https://me@evil.test/x", true),
        ("https://evil.test/*", "https://evil.test@docs.test/", true),
        ("https://evil.test/*", "https://docs.test\\@evil.test/", true),
        ("https://evil.test/*", "evil.test/x", true),
        ("https://evil.test/*", "http://evil.test/x", false),
        ("https://evil.test/*", "https://docs.test/evil.test", false),
        ("https://docs.test/admin*", "https://docs.test/%61dmin", true),
        ("https://docs.test/admin*", "https://docs.test/public", false),
        ("https://docs.test/admin*", "https://docs.test/x/..\\admin", true),
    ];
    for (content, text, expected) in table {
        assert_eq!(pattern(content).unwrap().concerns(text), expected, "{content} {text}");
    }
}

#[test]
fn stars_are_linear() {
    assert!(!star::Stars::parse(&["*", &"a*".repeat(2000), "b"].concat()).matches(&"a".repeat(200_000)));
    assert!(star::Stars::parse("a\\\\*").matches("a\\b"));
    assert!(!star::Stars::parse("ab*b").matches("ab"));
}

fn naive(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|at| naive(rest, text.get(at..).unwrap_or_default())),
        Some((byte, rest)) => text
            .split_first()
            .is_some_and(|(first, tail)| first == byte && naive(rest, tail)),
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in any::<String>(), pieces in "[htps:/\\\\@.%#?\\[\\]a-c0-9*\t -]{0,30}") {
        for text in [text, ["https://", &pieces].concat(), pieces] {
            drop(hosts(&text));
            drop(pattern(&text).map(|pattern| pattern.concerns(&text)));
            if let Ok(url) = read(&text) {
                prop_assert!(hosts(&text).contains(&url.host), "{}", text);
                let content = origin_content(&url);
                let again = pattern(&content);
                prop_assert!(again.as_ref().is_ok_and(|pattern| pattern.matches(&url)), "{} {:?}", content, again);
                prop_assert!(again.is_ok_and(|pattern| pattern.concerns(&text)), "{}", content);
            }
        }
    }

    #[test]
    fn stars_agree_with_a_naive_matcher(wanted in "[ab*]{0,8}", text in "[ab]{0,8}") {
        prop_assert_eq!(star::Stars::parse(&wanted).matches(&text), naive(wanted.as_bytes(), text.as_bytes()));
    }
}
