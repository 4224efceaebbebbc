use super::*;
use crate::rules::pattern::{self as content, Blanks};
use crate::rules::shell::{Role, Span};

/// A word: `$…` is open, a word with `*` is a glob, anything else is literal.
fn word(text: &str) -> Word {
    let text = text.to_owned();
    let piece = match text.as_str() {
        "" => return Word::default(),
        open if open.starts_with('$') => Piece::Open(text),
        glob if glob.contains('*') => Piece::Glob(text),
        _ => Piece::Literal(text),
    };
    Word {
        pieces: vec![piece],
        quoted: false,
    }
}

fn command(assignments: &[(&str, &str)], words: &[&str]) -> Command {
    let assignment = |(name, value): &(&str, &str)| Assignment {
        name: (*name).into(),
        value: word(value),
    };
    Command {
        words: words.iter().copied().map(word).collect(),
        assignments: assignments.iter().map(assignment).collect(),
        role: Role::Plain,
        unknown: None,
        directories: None,
        span: Span::default(),
    }
}

fn encoded(rule: &str) -> Option<Content> {
    pattern(&content::parse(rule).unwrap())
}

fn allows(rule: &str, command: &Command) -> bool {
    let rule = encoded(rule).unwrap();
    allow_forms(command).iter().any(|form| rule.matches(form, Blanks::One))
}

fn denies(rule: &str, command: &Command) -> bool {
    let rule = encoded(rule).unwrap();
    deny_forms(command).iter().any(|form| rule.matches(form, Blanks::One))
}

#[test]
fn encodes_patterns_as_a_shell_reads_words() {
    let exact = [
        ("git  status\t-s", "git status -s"),
        (" git status ", "git status"),
        ("git commit -m \"a b\"", "git commit -m a\u{1}b"),
        ("git commit -m 'a  b'", "git commit -m a\u{1}\u{1}b"),
        ("a\\ b", "a\u{1}b"),
        ("a \"\" ''", "a \u{7}0 \u{7}0"),
        ("a\"\"b", "ab"),
        (r#"echo "a\"b\c""#, r#"echo a"b\c"#),
        (r#"echo 'a\"b'"#, r#"echo a\"b"#),
        (r"C:\x", "C:x"),
        ("a\\\nb", "ab"),
        ("ls\nrm x", "ls \u{3} rm x"),
        ("\r\nls\r\n", "ls"),
        ("'a\tb\nc\rd'", "a\u{2}b\u{3}c\u{4}d"),
        ("a\u{1}\u{7}", "a\u{7}A\u{7}G"),
        ("\u{5}", "\u{7}E"),
        ("it's here", "it's here"),
        ("say \"a b", "say \"a b"),
        (r"end \", r"end \"),
        (r"echo \*", "echo *"),
        (r"echo '\*'", "echo *"),
    ];
    for (rule, expected) in exact {
        assert_eq!(encoded(rule), Some(Content::Exact(expected.into())), "{rule:?}");
    }
    assert_eq!(
        encoded("PLUGINS=\"\" uv  run:*"),
        Some(Content::Prefix("PLUGINS= uv run".into()))
    );
    assert_eq!(encoded("git :*"), Some(Content::Prefix("git".into())));
    assert_eq!(encoded("domain:a.b"), None);
    assert_eq!(encoded(""), Some(Content::Any));
    assert_eq!(pattern(&Content::Prefix(" ".into())), None);
    let wild = |rule: &str| match encoded(rule) {
        Some(Content::Wild(wild)) => wild.segments().to_vec(),
        other => panic!("{rule}: {other:?}"),
    };
    assert_eq!(wild("git *"), ["git ", ""]);
    assert_eq!(wild("git \t* "), ["git ", ""]);
    assert_eq!(wild("git 'a *'"), ["git a\u{1}", ""]);
    assert_eq!(wild("* a*b\"*\""), ["", " a", "b", ""]);
    assert_eq!(wild(r"a\\*"), [r"a\", ""]);
    assert_eq!(wild(r"a\* *"), ["a* ", ""]);
}

#[test]
fn words_are_never_mistaken_for_each_other() {
    let apart = [
        vec!["a b"],
        vec!["a", "b"],
        vec!["a", "", "b"],
        vec!["a", "b", ""],
        vec!["a\u{1}b"],
        vec!["a\u{7}Ab"],
        vec!["a\tb"],
        vec!["a\nb"],
        vec!["$x"],
        vec!["\u{5}"],
        vec![""],
        vec!["\u{7}0"],
        vec!["\u{7}E"],
        vec!["*"],
        vec!["\u{6}"],
        vec![],
    ];
    let forms: std::collections::BTreeSet<String> = apart
        .iter()
        .flat_map(|words| allow_forms(&command(&[], words)))
        .collect();
    assert_eq!(forms.len(), apart.len());
}

#[test]
fn allow_compares_words_and_written_names() {
    assert!(allows(
        "git commit -m \"a b\"",
        &command(&[], &["git", "commit", "-m", "a b"])
    ));
    assert!(!allows(
        "git commit -m a b",
        &command(&[], &["git", "commit", "-m", "a b"])
    ));
    assert!(!allows("git status:*", &command(&[], &["git status"])));
    assert!(allows("git status:*", &command(&[], &["git", "status", "$x"])));
    assert!(!allows("git status:*", &command(&[], &["git", "$x"])));
    assert!(!allows("rm:*", &command(&[], &["/bin/rm", "x"])));
    assert!(allows("/bin/rm:*", &command(&[], &["/bin/rm", "x"])));
    assert!(allows("ls *", &command(&[], &["ls", "*.rs"])));
    assert!(!allows(r"ls \*.rs", &command(&[], &["ls", "*.rs"])));
    assert!(!allows("echo $x", &command(&[], &["echo", "$x"])));
    assert!(allows("cat ~/x", &command(&[], &["cat", "~/x"])));
}

#[test]
fn assignments_are_part_of_what_is_allowed() {
    let lang = command(&[("LANG", "C"), ("LC_ALL", "C")], &["ls", "-l"]);
    assert_eq!(allow_forms(&lang), ["LANG=C LC_ALL=C ls -l", "ls -l"]);
    for (name, value) in [("LD_PRELOAD", "x"), ("LANG", "$x"), ("LANGUAGE", "C"), ("PATH", "")] {
        let command = command(&[("TZ", "UTC"), (name, value)], &["ls", "-l"]);
        assert_eq!(allow_forms(&command).len(), 1, "{name}");
        assert!(!allows("ls:*", &command), "{name}");
    }
    assert!(allows(
        "PLUGINS=\"\" uv run:*",
        &command(&[("PLUGINS", "")], &["uv", "run", "x"])
    ));
    assert!(
        !allows("A=b c:*", &command(&[], &["A=b", "c"])),
        "a program of that name"
    );
    assert!(allows("./A=b c:*", &command(&[], &["./A=b", "c"])));
    assert_eq!(allow_forms(&command(&[("LANG", "C")], &[])), ["LANG=C"]);
    assert_eq!(allow_forms(&command(&[], &[])), [""]);
}

#[test]
fn deny_looks_past_assignments_paths_and_options() {
    let push = command(
        &[("A", "b")],
        &["/usr/bin/git", "-C", "../site", "push", "--force", "origin"],
    );
    let forms = deny_forms(&push);
    let expected = [
        "A=b /usr/bin/git -C ../site push --force origin",
        "/usr/bin/git -C ../site push --force origin",
        "/usr/bin/git ../site push --force origin",
        "/usr/bin/git push --force origin",
        "A=b git -C ../site push --force origin",
        "git -C ../site push --force origin",
        "git ../site push --force origin",
        "git push --force origin",
    ];
    assert_eq!(forms, expected);
    assert!(denies("git push --force:*", &push) && denies("A=b git:*", &push));
    assert!(denies("rm -rf:*", &command(&[], &["C:\\bin\\rm", "-rf", "x"])));
    assert!(denies(
        "git push:*",
        &command(&[], &["git", "-p", "-c", "a=b", "-C", "-d", "push"])
    ));
    assert!(denies("git push:*", &command(&[], &["git", "$x", "y", "push"])));
    assert!(!denies("git push:*", &command(&[], &["git", "stash", "push"])));
    assert!(!denies(
        "git push:*",
        &command(&[], &["git", "-C", "x", "stash", "push"])
    ));
    assert!(denies(r"rm \*", &command(&[], &["rm", "*"])));
    assert!(denies("rm -rf $HOME:*", &command(&[], &["rm", "-rf", "$HOME"])));
    assert!(denies("A=b", &command(&[("A", "b")], &[])));
    assert_eq!(deny_forms(&command(&[], &["ls"])), ["ls"]);
}

#[test]
fn padding_with_options_is_seen() {
    let pad = |before: usize, after: usize| {
        let mut words = vec!["git"];
        words.extend(std::iter::repeat_n(["-c", "a=b"], before).flatten());
        words.extend(["-p", "push"]);
        words.extend(std::iter::repeat_n(["-o", "x"], after).flatten());
        command(&[("A", "b")], &words)
    };
    for (before, after) in [(0, 0), (1, 0), (200, 0), (0, 200), (3, 3), (15, 0), (16, 0)] {
        assert!(denies("git push:*", &pad(before, after)), "{before} {after}");
        assert_eq!(
            hides_subcommand(&pad(before, after)),
            before + after + 1 > MAX_TAILS,
            "{before} {after}"
        );
    }
    assert!(!denies("git push:*", &pad(100, 100)) && hides_subcommand(&pad(100, 100)));
    assert!(deny_forms(&pad(100, 100)).len() <= MAX_FORMS);
    assert!(!hides_subcommand(&command(&[], &[])));
}

#[cfg(not(target_family = "wasm"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    fn quoted(word: &str) -> String {
        format!("'{}'", word.replace('\'', r"'\''"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn an_exact_rule_allows_its_words_and_no_others(
            words in proptest::collection::vec("[a *\\\\\"'\n\t\u{1}\u{5}\u{7}0E=-]{0,4}", 1..4),
            others in proptest::collection::vec("[a *0E=\u{1}\u{7}]{0,2}", 1..4),
        ) {
            let literal = |words: &[String]| Command {
                words: words.iter().map(|text| Word { pieces: vec![Piece::Literal(text.clone())], quoted: true }).collect(),
                ..command(&[], &[])
            };
            prop_assume!(!is_assignment(&words[0]) && !is_assignment(&others[0]));
            let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            let rule = content::exact(&text).unwrap();
            prop_assert!(allows(&rule, &literal(&words)), "{}", rule);
            prop_assert_eq!(allows(&rule, &literal(&others)), words == others, "{}", rule);
            let rule = content::prefix(&text).unwrap();
            let mut more = words.clone();
            more.push(others[0].clone());
            prop_assert!(allows(&rule, &literal(&words)) && allows(&rule, &literal(&more)), "{}", rule);
            prop_assert_eq!(allows(&rule, &literal(&others)), others.starts_with(&words), "{}", rule);
            prop_assert!(deny_forms(&literal(&words)).len() <= MAX_FORMS);
        }

        #[test]
        fn any_content_has_a_form_or_none(text in "[a*:'\"\\\\ \n]{0,10}|.{0,8}") {
            if let Ok(content) = content::parse(&text) {
                let _ = pattern(&content);
            }
        }
    }
}
