use super::*;

fn wild(segments: &[&str]) -> Content {
    Content::Wild(Wild::new(segments.iter().map(|text| (*text).to_owned()).collect()).unwrap())
}

fn matches(content: &str, text: &str) -> bool {
    parse(content).unwrap().matches(text, Blanks::Any)
}

#[test]
fn reads_each_form() {
    let cases = [
        ("", Content::Any),
        ("git status", Content::Exact("git status".into())),
        (r"2\*3", Content::Exact("2*3".into())),
        (r"a\\\*\b", Content::Exact(r"a\*\b".into())),
        (r"C:\x\", Content::Exact(r"C:\x\".into())),
        ("git:*", Content::Prefix("git".into())),
        (r"a*b\*c\\*:*", Content::Prefix(r"a*b*c\*".into())),
        (r"a\:*", Content::Prefix(r"a\".into())),
        (r"a:\*", Content::Exact("a:*".into())),
        ("a:**", wild(&["a:", ""])),
        ("*", wild(&["", ""])),
        ("***", wild(&["", ""])),
        ("a**b", wild(&["a", "b"])),
        (r"a\\*b", wild(&[r"a\", "b"])),
        (r"a\**", wild(&["a*", ""])),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn reads_domains() {
    let cases = [
        ("domain:Example.COM.", "example.com", false),
        ("domain:*.example.com", "example.com", true),
        ("domain:xn--bcher-kva.example", "xn--bcher-kva.example", false),
        ("domain:a_b.test", "a_b.test", false),
        ("domain:0x7f.1", "127.0.0.1", false),
        ("domain:[::1]", "[::1]", false),
        ("domain:[0:0::1]", "[::1]", false),
    ];
    for (text, host, subdomains) in cases {
        let host = host.to_owned();
        assert_eq!(parse(text), Ok(Content::Domain { host, subdomains }), "{text}");
    }
}

#[test]
fn says_what_is_wrong_and_where() {
    let cases = [
        (":*", 0, "prefix before `:*` is empty", None),
        (" :*", 0, "prefix before `:*` is empty", None),
        (" \t", 0, "is blank", None),
        ("domain:", 7, "empty part", None),
        ("domain:.", 7, "empty part", None),
        ("domain:.example.com", 7, "empty part", Some("domain:*.example.com")),
        ("domain:a..b", 7, "empty part", None),
        ("domain:*", 7, "host only", None),
        ("domain:*.", 9, "empty part", None),
        ("domain:a.*.com", 9, "host only", None),
        ("domain:*example.com", 7, "host only", None),
        (
            "domain:https://example.com/x",
            12,
            "host only",
            Some("domain:example.com"),
        ),
        ("domain:example.com:8080", 18, "host only", Some("domain:example.com")),
        ("domain:example.com/*", 18, "host only", Some("domain:example.com")),
        ("domain:*.example.com:*", 20, "host only", Some("domain:*.example.com")),
        ("domain:u:p@example.com", 8, "host only", Some("domain:example.com")),
        ("domain:u@example.com", 8, "host only", Some("domain:example.com")),
        ("domain:bücher.example", 8, "`xn--`", None),
        ("domain:a b", 8, "host only", None),
        ("domain:a%2eb", 8, "host only", None),
        ("domain:*.127.0.0.1", 7, "nothing is below", Some("domain:127.0.0.1")),
        ("domain:1.2.3.4.5", 7, "is no host", None),
    ];
    for (text, at, message, hint) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!((error.at, error.hint.as_deref()), (at, hint), "{text}");
    }
    assert!(parse(&"a".repeat(MAX_BYTES)).is_ok());
    assert_eq!(parse(&"é".repeat(2049)).unwrap_err().at, MAX_BYTES);
    assert_eq!(parse(&format!("a{}", "é".repeat(2049))).unwrap_err().at, MAX_BYTES - 1);
}

#[test]
fn prefixes_end_at_a_blank() {
    for text in ["git", "git ", "git x", "git\tx", "git\nx", "git\r\nx"] {
        assert!(matches("git:*", text), "{text:?}");
    }
    for text in ["gi", "gitx", "git-x", "git\u{b}x", "git\u{a0}x", " git", "GIT"] {
        assert!(!matches("git:*", text), "{text:?}");
    }
    assert!(!parse("git:*").unwrap().matches("git\tx", Blanks::One));
    assert!(matches("ls *:*", "ls * -l") && !matches("ls *:*", "ls a -l"));
}

#[test]
fn stars_stand_for_any_run() {
    let yes = [
        ("*", ""),
        ("*", "a\nb"),
        ("a*b*a", "aba"),
        ("/src/*", "/src/a/b"),
        ("*ab*ba*", "xabbay"),
        ("git *", "git"),
        ("git *", "git "),
        ("git *", "git x\ny"),
        ("docker exec * df *", "docker exec c df"),
        ("docker exec * df *", "docker exec c df -h"),
        ("* *", "a"),
        ("é*é", "éxé"),
    ];
    for (content, text) in yes {
        assert!(matches(content, text), "{content} {text:?}");
    }
    let no = [
        ("a*a", "a"),
        ("ab*ba", "aba"),
        ("*ab*ba*", "aba"),
        ("a*b*a", "abab"),
        ("/src/*", "/SRC/a"),
        ("git *", "gitx"),
        ("git *", "gi"),
        ("git*", "gi"),
        ("git\t*", "git"),
        ("git * x", "git x"),
        ("docker exec * df *", "docker exec c"),
        ("docker exec * df *", "docker exec c dfx"),
        (r"a\*", "ab"),
        ("a?c*", "abcd"),
    ];
    for (content, text) in no {
        assert!(!matches(content, text), "{content} {text:?}");
    }
}

#[test]
fn a_hostile_pattern_takes_linear_time() {
    let text = "a".repeat(200_000);
    for content in [
        format!("{}b", "a*".repeat(2000)),
        format!("*{}b*", "a".repeat(4000)),
        "*a".repeat(2048),
    ] {
        let Ok(Content::Wild(wild)) = parse(&content) else {
            panic!("{content}")
        };
        let _ = wild.matches(&text);
    }
}

#[test]
fn tells_the_kind_by_the_form() {
    let url = ["domain:a", "https://a/*", "*://a", "http*://a", "git+ssh://a"];
    let path = [
        "/a",
        "~",
        "~/a",
        "./a",
        "../a",
        r"C:\a",
        "c:/a",
        r"\\server\share",
        "//server/a",
    ];
    let text = [
        "",
        "git status:*",
        "a:b",
        "C:",
        "1a://b",
        "echo http://a",
        "://a",
        ".a",
        "..",
        ".git/*",
        "é:/a",
    ];
    for (contents, kind) in [
        (&url[..], ContentKind::Url),
        (&path, ContentKind::Path),
        (&text, ContentKind::Text),
    ] {
        for content in contents {
            assert_eq!(kind_of(content), kind, "{content}");
        }
    }
}

#[test]
fn what_cannot_be_said_is_not() {
    for text in ["", " ", "\n", "domain:a"] {
        assert_eq!((exact(text), prefix(text)), (None, None), "{text:?}");
    }
    assert_eq!(exact("a:*").as_deref(), Some(r"a:\*"));
    assert_eq!(exact(r"ls \*.rs").as_deref(), Some(r"ls \\\*.rs"));
    assert_eq!(prefix("ls *").as_deref(), Some("ls *:*"));
    assert_eq!(prefix(r"ls \*").as_deref(), Some(r"ls \\*:*"));
    assert_eq!(exact(&"*".repeat(4000)), None);
}

#[cfg(not(target_family = "wasm"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// The slow, plain way.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', after)), None) => naive(after, text),
            (Some(('*', after)), Some((_, rest))) => naive(after, text) || naive(pattern, rest),
            (Some((expected, after)), Some((found, rest))) => expected == found && naive(after, rest),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn stars_match_as_the_plain_way_does(pattern in r"[ab \n]{0,3}\*[ab *]{0,5}", text in r"[ab \n]{0,8}") {
            prop_assume!(!pattern.ends_with(":*"));
            let bare = chars(&pattern).into_iter().fold(Vec::new(), |mut bare, c| {
                if c != '*' || bare.last() != Some(&'*') { bare.push(c) }
                bare
            });
            let without = bare.strip_suffix(&[' ', '*']);
            let expected = naive(&bare, &chars(&text)) || without.is_some_and(|bare| naive(bare, &chars(&text)));
            prop_assert_eq!(matches(&pattern, &text), expected, "{:?} {:?}", pattern, text);
        }

        #[test]
        fn exact_matches_its_text_and_no_other(text in r#"[a*\\ :()"'é]{0,8}"#, other in r#"[a*\\ :]{0,4}"#) {
            if let Some(content) = exact(&text) {
                let read = parse(&content).unwrap();
                prop_assert_eq!(&read, &Content::Exact(text.clone()));
                prop_assert!(read.matches(&text, Blanks::Any));
                prop_assert_eq!(read.matches(&other, Blanks::Any), other == text);
            } else {
                prop_assert!(text.trim().is_empty());
            }
        }

        #[test]
        fn prefix_matches_its_text_and_what_follows_a_blank(text in r#"[a*\\ :()"'é]{0,8}"#, rest in "[ a\t]{0,3}") {
            if let Some(content) = prefix(&text) {
                let read = parse(&content).unwrap();
                prop_assert_eq!(&read, &Content::Prefix(text.clone()));
                let expected = rest.is_empty() || rest.starts_with([' ', '\t']);
                prop_assert_eq!(read.matches(&format!("{text}{rest}"), Blanks::Any), expected);
            } else {
                prop_assert!(text.trim().is_empty());
            }
        }

        #[test]
        fn any_content_is_read_or_refused_at_a_place_in_it(text in r"(domain:)?[a.*:\\@/\[\]é]{0,8}|.{0,9}") {
            if let Err(error) = parse(&text) {
                prop_assert!(text.is_char_boundary(error.at), "{} {}", text, error.at);
            }
            let _ = kind_of(&text);
        }
    }
}
