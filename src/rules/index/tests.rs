use super::*;
use crate::rules::pattern::parse;

fn build(rules: impl IntoIterator<Item = String>) -> Index {
    let mut builder = Builder::new();
    for (id, rule) in (0..).zip(rules) {
        builder.add(7, &parse(&rule).unwrap(), id);
    }
    builder.build()
}

fn best(index: &Index, text: &str) -> (Option<u32>, u64) {
    let mut looked = 0;
    (index.best(&[7], text, Blanks::Any, &mut looked), looked)
}

/// The most rules looked at for one of these subjects, and how many found one.
fn most(index: &Index, subjects: &[String]) -> (u64, usize) {
    let results: Vec<(Option<u32>, u64)> = subjects.iter().map(|text| best(index, text)).collect();
    let hits = results.iter().filter(|(rule, _)| rule.is_some()).count();
    (results.iter().map(|(_, looked)| *looked).max().unwrap(), hits)
}

fn stays_flat(rule: impl Fn(usize) -> String, subject: impl Fn(usize) -> Vec<String>) {
    let subjects = |count: usize| -> Vec<String> { (0..count).step_by(count / 50).flat_map(&subject).collect() };
    let few = build((0..100).map(&rule));
    let many = build((0..10_000).map(&rule));
    for (name, subjects) in [("low", subjects(100)), ("high", subjects(10_000))] {
        let (looked, _) = most(&few, &subjects);
        let (looked_many, hits) = most(&many, &subjects);
        assert!(
            looked_many <= 2 * looked.max(4),
            "{name}: {looked} became {looked_many}"
        );
        assert!(
            hits >= 50 && hits < subjects.len(),
            "{name}: {hits} of {}",
            subjects.len()
        );
    }
}

fn word(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
    (0..6).map(|place| letter(number / 26_usize.pow(place))).collect()
}

#[test]
fn a_realistic_mix_stays_flat() {
    let rule = |number: usize| match number % 3 {
        0 => format!("npm run task-{number}"),
        1 => format!("git sub-{number}:*"),
        _ => format!("docker exec * cmd-{number} *"),
    };
    stays_flat(rule, |number| {
        vec![
            format!("npm run task-{number}"),
            format!("npm run task-{number} --watch"),
            format!("git sub-{number} -a -b c"),
            format!("git sub-{number}"),
            format!("docker exec web cmd-{number} --all"),
            format!("docker exec web cmd-{number}"),
            format!("docker exec web {number}-cmd"),
            "ls -la".into(),
        ]
    });
}

#[test]
fn words_between_stars_stay_flat() {
    for spread in [1, 7919, 20_117] {
        let rule = |number: usize| format!("*{}*", word(number * spread));
        stays_flat(rule, |number| {
            vec![
                format!("see {} here", word(number * spread)),
                word(number * spread),
                format!("see {} here", &word(number * spread)[..5]),
                word(number * spread).repeat(20),
                "nothing of it".into(),
            ]
        });
    }
}

#[test]
fn short_tails_stay_flat() {
    stays_flat(
        |number| format!("/repo/src/*/common/index*.x{number}"),
        |number| {
            vec![
                format!("/repo/src/a/common/index.x{number}"),
                format!("/repo/src/a/b/common/index-{number}.x{number}"),
                format!("/repo/src/a/common/index.y{number}"),
                format!("/repo/src/a/common/index.x{number}.js"),
                format!("/home/src/a/common/index.x{number}"),
                "/repo/src/a/common/index.ts".into(),
            ]
        },
    );
}

#[test]
fn the_most_specific_rule_is_the_best() {
    let rules = [
        "*",
        "git *",
        "git:*",
        "git push:*",
        "git push",
        "*push*",
        "git push * main",
        "git push",
        "b *",
        "*x",
    ];
    let index = build(rules.map(Into::into));
    let cases = [
        ("git push", Some(4)),
        ("git push origin main", Some(3)),
        ("git pull", Some(2)),
        ("git\tpull", Some(2)),
        ("x push y", Some(5)),
        ("gitx push * main", Some(5)),
        ("b", Some(8)),
        ("b x", Some(8)),
        ("", Some(0)),
    ];
    for (text, expected) in cases {
        assert_eq!(best(&index, text).0, expected, "{text}");
    }
}

#[test]
fn groups_are_kept_apart() {
    let mut builder = Builder::new();
    for (group, content, id) in [
        (1, "a", 9),
        (1, "a", 5),
        (2, "a", 3),
        (2, "b:*", 4),
        (3, "*c*", 6),
        (9, "a*", 8),
        (9, "a*", 1),
        (9, "domain:a", 0),
    ] {
        builder.add(group, &parse(content).unwrap(), id);
    }
    builder.add(4, &Content::Any, 0);
    let index = builder.build();
    let cases = [
        (&[1][..], "a", Some(5)),
        (&[1, 2], "a", Some(3)),
        (&[1, 2, 9], "a", Some(3)),
        (&[1], "b x", None),
        (&[2], "b x", Some(4)),
        (&[1, 2], "xcx", None),
        (&[1, 3], "xcx", Some(6)),
        (&[], "a", None),
        (&[8], "a", None),
        (&[9], "a", Some(1)),
    ];
    for (groups, text, expected) in cases {
        assert_eq!(
            index.best(groups, text, Blanks::Any, &mut 0),
            expected,
            "{groups:?} {text}"
        );
    }
    assert_eq!(index.best(&[2], "b\tx", Blanks::One, &mut 0), None);
}

#[test]
fn a_repeated_gram_is_looked_up_once() {
    let index = build((0..50).map(|number| format!("*abcd*{number}")));
    let (rule, looked) = best(&index, &"abcd".repeat(10_000));
    assert!(rule.is_none() && looked <= 50, "{looked}");
}

#[cfg(not(target_family = "wasm"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Looks at every rule.
    fn naive(rules: &[(u32, Content)], groups: &[u32], text: &str, blanks: Blanks) -> Option<u32> {
        let specificity = |content: &Content| match content {
            Content::Exact(_) => (2, 0),
            Content::Prefix(text) => (1, text.len()),
            Content::Wild(wild) => (0, wild.literal_len()),
            Content::Any | Content::Domain { .. } => unreachable!(),
        };
        let rules = (0..)
            .zip(rules)
            .filter(|(_, (group, content))| groups.contains(group) && content.matches(text, blanks));
        rules
            .min_by_key(|(id, (_, content))| (std::cmp::Reverse(specificity(content)), *id))
            .map(|(id, _)| id)
    }

    fn rule() -> impl Strategy<Value = (u32, String)> {
        let content = prop_oneof![
            r"[ab ]{0,3}[ab]",
            r"[ab *]{0,3}[ab]:\*",
            r"[abé]{0,2}[ \*][ab \*]{0,4}[ab]\*?",
            r"[ab \*]{0,5}( \*|\*)",
        ];
        (0..3_u32, content)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn the_best_is_what_looking_at_every_rule_finds(
            rules in proptest::collection::vec(rule(), 0..24),
            groups in proptest::sample::subsequence(vec![0_u32, 1, 2, 3], 0..4),
            texts in proptest::collection::vec("[ab \t*é]{0,8}", 1..8),
            one in any::<bool>(),
        ) {
            let blanks = if one { Blanks::One } else { Blanks::Any };
            let rules: Vec<(u32, Content)> = rules.into_iter().filter_map(|(group, text)| {
                parse(&text).ok().filter(|content| *content != Content::Any).map(|content| (group, content))
            }).collect();
            let mut builder = Builder::new();
            for (id, (group, content)) in (0..).zip(&rules) {
                builder.add(*group, content, id);
            }
            let index = builder.build();
            for text in texts {
                let expected = naive(&rules, &groups, &text, blanks);
                prop_assert_eq!(index.best(&groups, &text, blanks, &mut 0), expected, "{:?} {:?}", rules, text);
            }
        }
    }
}
