//! How a rule is written: `Tool`, `Tool(content)`, `mcp__server__tool(content)`.

const SERVER_PREFIX: &str = "mcp__";

/// A rule taken apart; nothing is trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    /// The tool's name.
    pub tool: String,
    /// The MCP server, where the name has one.
    pub server: Option<String>,
    /// What stands in the brackets, without the backslashes of escaped brackets; `None`: there are no brackets.
    pub content: Option<String>,
}

/// What is wrong with a rule or a content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misspelled {
    /// Where, in bytes from the start of the text.
    pub at: usize,
    /// One lower-case sentence that says what to do.
    pub message: String,
    /// How it may have been meant.
    pub hint: Option<String>,
}

impl Misspelled {
    pub(super) fn new(at: usize, message: impl Into<String>, hint: Option<String>) -> Self {
        let message = message.into();
        Self { at, message, hint }
    }
}

/// Takes a rule apart.
///
/// # Errors
///
/// No tool, a server without a tool, brackets that are empty, blank or unbalanced, or text after them.
pub fn parse(text: &str) -> Result<Spelled, Misspelled> {
    let (written, inside) = match text.split_once('(') {
        Some((written, inside)) => (written, Some(inside)),
        None => (text, None),
    };
    if let Some(at) = written.find(')') {
        return Err(Misspelled::new(at, "`)` closes nothing: write `Tool(content)`", None));
    }
    if written.is_empty() {
        return Err(Misspelled::new(
            0,
            "a rule starts with the name of a tool: write `Tool(content)`",
            None,
        ));
    }
    let (server, tool) = name(written);
    if server.is_none() && tool.starts_with(SERVER_PREFIX) {
        let known = written.trim_end_matches('_');
        let hint = (known.len() > SERVER_PREFIX.len()).then(|| format!("{known}__*"));
        let message = format!(
            "`{written}` names no tool of a server: write `mcp__SERVER__TOOL`, `mcp__SERVER__*` for all of them"
        );
        return Err(Misspelled::new(0, message, hint));
    }
    let content = inside.map(|inside| bracketed(text, written, inside)).transpose()?;
    Ok(Spelled { tool, server, content })
}

/// Splits `mcp__server__tool` at the first `__` after the prefix; any other name is a tool without a server.
#[must_use]
pub fn name(text: &str) -> (Option<String>, String) {
    let parts = text.strip_prefix(SERVER_PREFIX).and_then(|rest| rest.split_once("__"));
    match parts {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server.to_owned()), tool.to_owned()),
        _ => (None, text.to_owned()),
    }
}

/// Writes a rule that [`parse`] takes apart into the same parts; an empty content is written without brackets.
///
/// It holds for a content that is not blank, a tool without brackets, and a server without `__` in it or `_` at its end.
#[must_use]
pub fn write(tool: &str, server: Option<&str>, content: &str) -> String {
    let name = match server {
        Some(server) => format!("{SERVER_PREFIX}{server}__{tool}"),
        None => tool.to_owned(),
    };
    if content.is_empty() {
        return name;
    }
    let escape = !is_balanced(content);
    let mut text = name;
    text.push('(');
    let mut backslashes = 0;
    for character in content.chars() {
        if matches!(character, '(' | ')') {
            text.extend(std::iter::repeat_n('\\', backslashes + usize::from(escape)));
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        text.push(character);
    }
    // The closing bracket is one too.
    text.extend(std::iter::repeat_n('\\', backslashes));
    text.push(')');
    text
}

fn is_balanced(content: &str) -> bool {
    let mut depth = 0_usize;
    for character in content.chars() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// The content of brackets, of which `inside` is everything after the opening one.
fn bracketed(text: &str, written: &str, inside: &str) -> Result<String, Misspelled> {
    let start = written.len() + 1;
    let (mut content, mut depth, mut backslashes) = (String::new(), 1_usize, 0_usize);
    let mut nested = false;
    for (at, character) in inside.char_indices() {
        let is_bracket = matches!(character, '(' | ')');
        if character == '\\' {
            backslashes += 1;
            continue;
        }
        let literal = if is_bracket { backslashes / 2 } else { backslashes };
        content.extend(std::iter::repeat_n('\\', literal));
        let escaped = backslashes % 2 == 1;
        backslashes = 0;
        match character {
            '(' if !escaped => {
                depth += 1;
                nested = true;
            }
            ')' if !escaped => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return closed(
                written,
                content,
                (start + at + 1, inside.get(at + 1..).unwrap_or_default()),
            );
        }
        content.push(character);
    }
    let hint = (!nested && backslashes == 0).then(|| format!("{text})"));
    let message = "`(` is not closed: add `)` at the end, and write `\\(` for a bracket that stands alone";
    Err(Misspelled::new(written.len(), message, hint))
}

fn closed(written: &str, content: String, (at, rest): (usize, &str)) -> Result<String, Misspelled> {
    if !rest.is_empty() {
        let inside = format!("{content}{rest}");
        let hint = is_balanced(&inside).then(|| write(written, None, &inside));
        let message = "a rule ends with its closing bracket: put the rest inside, and write `\\)` for a bracket that stands alone";
        return Err(Misspelled::new(at, message, hint));
    }
    if content.bytes().all(|byte| byte.is_ascii_whitespace()) {
        let message = format!("the brackets are empty: write `{written}` for every call");
        return Err(Misspelled::new(written.len() + 1, message, Some(written.to_owned())));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(tool: &str, server: Option<&str>, content: Option<&str>) -> Spelled {
        Spelled {
            tool: tool.into(),
            server: server.map(Into::into),
            content: content.map(Into::into),
        }
    }

    #[test]
    fn takes_rules_apart() {
        let cases = [
            ("Bash", spelled("Bash", None, None)),
            ("Bash(git status:*)", spelled("Bash", None, Some("git status:*"))),
            ("Bash( x )", spelled("Bash", None, Some(" x "))),
            ("Bash (x)", spelled("Bash ", None, Some("x"))),
            ("Bash(echo $(date))", spelled("Bash", None, Some("echo $(date)"))),
            (r"Bash(echo \()", spelled("Bash", None, Some("echo ("))),
            (r"Bash(echo \\(a\\))", spelled("Bash", None, Some(r"echo \(a\)"))),
            (r"Bash(echo \\\))", spelled("Bash", None, Some(r"echo \)"))),
            (r"Bash(a\\b\c)", spelled("Bash", None, Some(r"a\\b\c"))),
            ("mcp__x__y__z", spelled("y__z", Some("x"), None)),
            ("mcp__x__*(a)", spelled("*", Some("x"), Some("a"))),
            ("@files(/src/*)", spelled("@files", None, Some("/src/*"))),
            ("__proto__", spelled("__proto__", None, None)),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let cases = [
            ("", 0, "starts with the name", None),
            ("(x)", 0, "starts with the name", None),
            (
                "Bash(rm -rf /)*",
                14,
                "ends with its closing bracket",
                Some("Bash(rm -rf /*)"),
            ),
            ("Bash(a))", 7, "ends with its closing bracket", None),
            ("Bash(git commit", 4, "not closed", Some("Bash(git commit)")),
            ("Bash(kill $(lsof:*)", 4, "not closed", None),
            (r"Bash(a\)", 4, "not closed", Some(r"Bash(a\))")),
            ("Bash)", 4, "closes nothing", None),
            ("Ba)sh(x)", 2, "closes nothing", None),
            ("Bash()", 5, "write `Bash` for every call", Some("Bash")),
            ("Bash( \t)", 5, "write `Bash` for every call", Some("Bash")),
            ("mcp__notes", 0, "names no tool", Some("mcp__notes__*")),
            ("mcp__notes__(x)", 0, "names no tool", Some("mcp__notes__*")),
            ("mcp____x", 0, "names no tool", Some("mcp____x__*")),
            ("mcp__", 0, "names no tool", None),
            ("Bäsh(x)y", 8, "ends with its closing bracket", Some("Bäsh(xy)")),
        ];
        for (text, at, message, hint) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {}", error.message);
            assert_eq!((error.at, error.hint.as_deref()), (at, hint), "{text}");
        }
    }

    #[test]
    fn writes_plainly_what_is_balanced() {
        assert_eq!(write("Bash", None, "echo $(date)"), "Bash(echo $(date))");
        assert_eq!(write("Bash", None, "a)b("), r"Bash(a\)b\()");
        assert_eq!(write("Bash", None, r"a\"), r"Bash(a\\)");
        assert_eq!(write("y__z", Some("x"), ""), "mcp__x__y__z");
    }

    #[cfg(not(target_family = "wasm"))]
    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn what_is_written_reads_the_same(
                tool in "[A-Za-z@*_]{1,6}",
                server in proptest::option::of("[a-z][a-z_]?[a-z]"),
                content in r#"[a()\\*"' é😀:]{0,12}"#,
            ) {
                prop_assume!(!tool.starts_with("mcp__") && (content.is_empty() || !content.trim().is_empty()));
                let text = write(&tool, server.as_deref(), &content);
                let content = (!content.is_empty()).then_some(content);
                prop_assert_eq!(parse(&text), Ok(Spelled { tool, server, content }), "{}", text);
            }

            #[test]
            fn any_text_is_read_or_refused_at_a_place_in_it(text in r"[ab()\\_]{0,14}|.{0,8}") {
                if let Err(error) = parse(&text) {
                    prop_assert!(text.is_char_boundary(error.at));
                }
            }
        }
    }
}
