//! The one table of what a document may say: the checker walks it, the JSON Schema is made of it.

/// A key of an object.
pub(super) struct Field {
    pub name: &'static str,
    pub required: bool,
    pub shape: Shape,
    /// One sentence for editors.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only the JSON Schema has it"))]
    pub doc: &'static str,
}

/// What stands under a key.
pub(super) enum Shape {
    /// The number 1.
    Version,
    /// Any string.
    Text,
    /// The name of a tool, a server or a rule's tool.
    Name(Naming),
    /// One of these words.
    Word(&'static [&'static str]),
    /// True or false.
    Flag,
    /// True or false, or one of these words.
    FlagOr(&'static [&'static str]),
    /// A number of bytes, from 1 to this.
    Bytes(usize),
    /// A list.
    List(&'static Shape),
    /// A list with something in it.
    Some(&'static Shape),
    /// An object with names as keys.
    Map(Naming, &'static Shape),
    /// An object with known keys.
    Object(&'static [Field]),
    /// `Tool(content)`, or an object of [`RULE`]; `super::rule` checks it.
    Rule,
    /// A command line, or a call's arguments.
    Example,
    /// Any object.
    Json,
}

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// One tool, by its exact name.
    Tool,
    /// What a rule is for; `super::rule` reads it.
    Rule,
    /// An MCP server.
    Server,
    /// A tool in a family.
    Member,
    /// A family, without its `@`.
    Family,
    /// An argument, or a JSON Pointer.
    Subject,
}

const fn field(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        required: false,
        shape,
        doc,
    }
}

const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        required: true,
        shape,
        doc,
    }
}

pub(super) const TIERS: &[&str] = &["allow", "confirm", "deny"];
pub(super) const MODES: &[&str] = &["default", "yolo", "read_only"];
pub(super) const KINDS: &[&str] = &["url", "path", "text"];
pub(super) const SUBJECTS: &[&str] = &["command", "url", "path", "text"];
pub(super) const SHELLS: &[&str] = &["powershell", "cmd"];
/// The highest limit a document may set.
const MOST: usize = 16 << 20;

pub(super) const DOCUMENT: &[Field] = &[
    field("$schema", Shape::Text, "Where editors find this schema."),
    required("version", Shape::Version, "The version of the format: 1."),
    field(
        "mode",
        Shape::Word(MODES),
        "How much runs without a question: `default` goes by the rules, `yolo` skips asking but never forbidding, `read_only` refuses what changes something.",
    ),
    field(
        "defaultTier",
        Shape::Word(TIERS),
        "The tier of tools that `tiers` does not list.",
    ),
    field(
        "tiers",
        Shape::Map(Naming::Tool, &Shape::Word(TIERS)),
        "What a tool may do before anybody has spoken, by exact name; a server's tool is `mcp__server__tool` or `server/tool`.",
    ),
    field(
        "allowedTools",
        Shape::List(&Shape::Name(Naming::Tool)),
        "Break-glass, by exact name: lifts ask rules and the read-only block, never a deny.",
    ),
    field(
        "disallowedTools",
        Shape::List(&Shape::Name(Naming::Tool)),
        "Tools that never run, by exact name; a name without a server is that name on every server.",
    ),
    field("deny", RULES, "Calls that never run."),
    field("ask", RULES, "Calls that ask a person."),
    field("allow", RULES, "Calls that run without a question."),
    field(
        "tools",
        Shape::Map(Naming::Tool, &Shape::Object(TOOL)),
        "What is declared about a tool, by exact name.",
    ),
    field(
        "families",
        Shape::Map(Naming::Family, &Shape::Some(&Shape::Name(Naming::Member))),
        "Names for groups of tools: a rule for `@NAME` is a rule for each of them.",
    ),
    field("limits", Shape::Object(LIMITS), "Bounds of what is read at all."),
];

const RULES: Shape = Shape::List(&Shape::Rule);

pub(super) const RULE: &[Field] = &[
    required(
        "tool",
        Shape::Name(Naming::Rule),
        "The tool's name; `*` is any run, `@NAME` a family, `mcp__server__tool` a server's tool.",
    ),
    field(
        "content",
        Shape::Text,
        "What a command, URL, path or text of the call must be: `PREFIX:*`, a text with `*`, `domain:HOST`, or the exact text; absent: every call.",
    ),
    field(
        "server",
        Shape::Name(Naming::Server),
        "The MCP server the tool comes from.",
    ),
    field(
        "kind",
        Shape::Word(KINDS),
        "What the content is compared with; absent: told by its form.",
    ),
    field("reason", Shape::Text, "Why, for people, in one sentence."),
    field("alternative", Shape::Text, "What to do instead."),
    field(
        "match",
        Shape::List(&Shape::Example),
        "Examples that the rule must match, checked when the policy loads: a string is a command line, an object a call's arguments.",
    ),
    field(
        "notMatch",
        Shape::List(&Shape::Example),
        "Examples that the rule must not match, checked when the policy loads.",
    ),
];

pub(super) const TOOL: &[Field] = &[
    field("readOnly", Shape::Flag, "It changes nothing."),
    field("alwaysAsk", Shape::Flag, "It asks in every mode."),
    field(
        "requiresUserInteraction",
        Shape::Flag,
        "It is itself a question to the person.",
    ),
    field(
        "idempotent",
        Shape::Flag,
        "It may run again when its outcome is not known.",
    ),
    field(
        "shell",
        Shape::FlagOr(SHELLS),
        "How its commands are read: true as POSIX shell, false as plain text.",
    ),
    field(
        "subjects",
        Shape::Map(Naming::Subject, &Shape::Word(SUBJECTS)),
        "The arguments that rules look at, by name or JSON Pointer, besides the usual names.",
    ),
    field("inputSchema", Shape::Json, "The JSON Schema of its arguments."),
];

pub(super) const LIMITS: &[Field] = &[
    field(
        "argumentsBytes",
        Shape::Bytes(MOST),
        "The arguments' text may have so many bytes.",
    ),
    field(
        "commandBytes",
        Shape::Bytes(MOST),
        "A command's text may have so many bytes, else it counts as not read.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::model::{ContentKind, Mode, SubjectKind};
    use crate::tier::Tier;

    #[test]
    fn the_words_are_the_vocabulary() {
        assert_eq!(TIERS, Tier::ALL.map(Tier::word));
        let mut modes = Mode::ALL.map(Mode::word);
        modes.sort_unstable();
        assert_eq!(modes, ["default", "read_only", "yolo"]);
        assert!(MODES.iter().all(|word| Mode::from_word(word).is_some()) && MODES.len() == Mode::ALL.len());
        assert_eq!(SUBJECTS, SubjectKind::ALL.map(SubjectKind::word));
        for kind in [ContentKind::Url, ContentKind::Path, ContentKind::Text] {
            assert!(KINDS.contains(&serde_json::to_value(kind).unwrap().as_str().unwrap()));
        }
    }
}
