//! What other parsers find in a text: the literal programs of simple commands.

use std::panic::catch_unwind;

/// The names that rable finds.
pub fn rable(text: &str) -> Vec<String> {
    // It takes cubic time for deep nesting.
    if text.matches("$(").count() > 20 {
        return Vec::new();
    }
    let text = text.to_owned();
    let tree = catch_unwind(|| rable::parse(&text, false).ok().map(|nodes| format!("{nodes:?}")));
    let tree = tree.ok().flatten().unwrap_or_default();
    let words = tree.split("words: [Node { kind: Word { value: \"").skip(1);
    let names = words.filter_map(|rest| rest.split('"').next());
    names.filter(|name| is_plain(name)).map(str::to_owned).collect()
}

/// The names that shuck finds. Its tree's types are in a crate of their own, its debug text has all that is needed.
pub fn shuck(text: &str) -> Vec<String> {
    // It ends the line after a brace expansion in spite of the backslash.
    if text.contains("}\\\n") {
        return Vec::new();
    }
    let copy = text.to_owned();
    let tree = catch_unwind(|| {
        let result = shuck_parser::parser::Parser::new(&copy).parse();
        let clean = matches!(result.status, shuck_parser::parser::ParseStatus::Clean);
        clean.then(|| format!("{:?}", result.file))
    });
    let tree = tree.ok().flatten().unwrap_or_default();
    let words = tree.split("SimpleCommand { name: Word { parts: [WordPartNode { kind: Literal(");
    let names = words.skip(1).filter_map(|rest| shuck_name(rest, text));
    names.filter(|name| is_plain(name)).collect()
}

/// A name that is one literal: `Owned("name")`, or `Source` with its place.
fn shuck_name(rest: &str, text: &str) -> Option<String> {
    let (kind, rest) = rest.split_once("), span: ")?;
    let (span, after) = rest.split_once(" } } }")?;
    if !after.starts_with("], span") {
        return None;
    }
    if let Some(name) = kind.strip_prefix("Owned(\"") {
        return Some(name.trim_end_matches("\")").trim_end_matches('"').to_owned());
    }
    let mut offsets = span.split("offset: ").skip(1);
    let mut offset = || offsets.next()?.split([' ', '}']).next()?.parse::<usize>().ok();
    text.get(offset()?..offset()?).map(str::to_owned)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
}
