//! The words of the rule chain, and what a policy is before it is compiled.

use serde_json::Value;

use crate::json;
use crate::named::Named;
use crate::tier::Tier;

/// What the chain says of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// No person is needed.
    Allow,
    /// A person is needed.
    Ask,
    /// It never runs.
    Deny,
}

json::words!(Behavior {
    Allow = "allow",
    Ask = "ask",
    Deny = "deny",
});

impl Behavior {
    /// Every behavior.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];
}

/// How much runs without a question, from lax to strict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Skips asking, never forbidding.
    Yolo,
    /// The rules decide.
    #[default]
    Default,
    /// What changes something is refused.
    ReadOnly,
}

json::words!(Mode {
    Yolo = "yolo",
    Default = "default",
    ReadOnly = "read_only",
});

impl Mode {
    /// Every mode, in the order of strictness.
    pub const ALL: [Self; 3] = [Self::Yolo, Self::Default, Self::ReadOnly];

    /// Reads a word; `None` for an unknown one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

/// Which list a rule stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Refuses.
    Deny,
    /// Asks.
    Ask,
    /// Lets run.
    Allow,
}

json::words!(List {
    Deny = "deny",
    Ask = "ask",
    Allow = "allow",
});

impl List {
    /// Every list, in the order in which they are consulted.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];
}

/// What a content is compared with, when the document says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContentKind {
    /// A URL.
    Url,
    /// A path.
    Path,
    /// Text, a command included.
    Text,
}

json::words!(ContentKind {
    Url = "url",
    Path = "path",
    Text = "text",
});

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubjectKind {
    /// A command line.
    Command,
    /// A URL.
    Url,
    /// A path.
    Path,
    /// Text.
    Text,
}

json::words!(SubjectKind {
    Command = "command",
    Url = "url",
    Path = "path",
    Text = "text",
});

impl SubjectKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Command, Self::Url, Self::Path, Self::Text];
}

/// Whose syntax a command line has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shell {
    /// None: the argument `command` is text.
    None,
    /// POSIX sh and bash.
    #[default]
    Posix,
    /// `PowerShell`.
    Powershell,
    /// cmd.exe.
    Cmd,
}

json::words!(Shell {
    None = "none",
    Posix = "posix",
    Powershell = "powershell",
    Cmd = "cmd",
});

/// What is declared about one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traits {
    /// Changes nothing; absent: not said.
    pub read_only: Option<bool>,
    /// Asks in every mode.
    pub always_ask: bool,
    /// Is itself a question to the person.
    pub requires_user_interaction: bool,
    /// May run again when its outcome is unknown; absent: not said.
    pub idempotent: Option<bool>,
    /// How its commands are read; absent: not said.
    pub shell: Option<Shell>,
    /// Subjects by argument name or JSON Pointer, besides the usual names.
    pub subjects: Named<SubjectKind>,
    /// The JSON Schema of its arguments; absent: not said.
    pub input_schema: Option<Value>,
}

json::object!(closed Traits {
    read_only,
    always_ask = false,
    requires_user_interaction = false,
    idempotent,
    shell,
    subjects = Named::new(),
    input_schema,
});

/// The file system's path syntax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Platform {
    /// `/` separates, case matters.
    #[default]
    Posix,
    /// Drives, UNC, both slashes, case folds for deny and ask.
    Windows,
}

json::words!(Platform {
    Posix = "posix",
    Windows = "windows",
});

/// The host's facts that paths are compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The working directory, absolute.
    pub cwd: Option<String>,
    /// What `~` means.
    pub home: Option<String>,
    /// The path syntax.
    pub platform: Platform,
}

json::object!(closed Environment {
    cwd,
    home,
    platform = Platform::Posix,
});

/// Where something is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The document's name; empty when it has none.
    pub document: String,
    /// From 1; 0 when the document was not text.
    pub line: u32,
    /// From 1, in characters; 0 when the document was not text.
    pub column: u32,
    /// The layer's position, from 0.
    pub layer: u32,
}

json::object!(open Origin {
    document = String::new(),
    line = 0,
    column = 0,
    layer = 0,
});

impl Origin {
    /// The document's name, if it has one.
    #[must_use]
    pub fn named(&self) -> Option<&str> {
        Some(self.document.as_str()).filter(|name| !name.is_empty())
    }

    /// The line, if the document was text.
    #[must_use]
    pub fn known_line(&self) -> Option<u32> {
        Some(self.line).filter(|line| *line > 0)
    }
}

/// An example that is checked when the policy loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// A string is a command line, an object is a call's arguments.
    pub input: Value,
    /// The rule must match it, or must not.
    pub matches: bool,
    /// Where it stands.
    pub origin: Origin,
}

/// One rule of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleSpec {
    /// The list.
    pub list: List,
    /// The tool's name, with `*` for any run, or `@FAMILY`.
    pub tool: String,
    /// The MCP server; absent: the host's own tools, or any server for deny and ask.
    pub server: Option<String>,
    /// Empty: every call.
    pub content: String,
    /// What the content is compared with; absent: told by its form.
    pub kind: Option<ContentKind>,
    /// One sentence for people.
    pub reason: Option<String>,
    /// What to do instead.
    pub alternative: Option<String>,
    /// Checked at load.
    pub examples: Vec<Example>,
    /// The rule as it is written: `Tool(content)`.
    pub written: String,
    /// Where it stands.
    pub origin: Origin,
}

/// One entry of `allowedTools` or `disallowedTools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSpec {
    /// The tool's name.
    pub tool: String,
    /// The MCP server, where the entry names one.
    pub server: Option<String>,
    /// Where it stands.
    pub origin: Origin,
}

/// Every layer merged, before it is compiled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    /// Rules in the order of the documents.
    pub rules: Vec<RuleSpec>,
    /// Break-glass.
    pub allowed_tools: Vec<NameSpec>,
    /// Never.
    pub disallowed_tools: Vec<NameSpec>,
    /// Tiers by tool, `server/tool` for a server's.
    pub tiers: Named<Tier>,
    /// The tier of tools nobody listed.
    pub default_tier: Option<Tier>,
    /// The mode.
    pub mode: Option<Mode>,
    /// Traits by tool.
    pub tools: Named<Traits>,
    /// Tools that a rule for `@NAME` covers.
    pub families: Named<Vec<String>>,
    /// The limit of the arguments' text in bytes.
    pub arguments_bytes: Option<usize>,
    /// The limit of a command's text in bytes.
    pub command_bytes: Option<usize>,
}

/// Something wrong with, or to know about, a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stops loading, or not.
    pub severity: Severity,
    /// Stable, kebab-case: `unknown-key`, `bad-content`, …
    pub code: String,
    /// One lower-case sentence that names the thing in back-ticks and says what to do.
    pub message: String,
    /// The document's name.
    pub document: String,
    /// From 1; absent when the document was not text.
    pub line: Option<u32>,
    /// From 1, in characters.
    pub column: Option<u32>,
    /// The nearest right word, or the way out.
    pub hint: Option<String>,
}

json::object!(open Diagnostic {
    severity,
    code,
    message,
    document or nothing = String::new(),
    line or nothing,
    column or nothing,
    hint or nothing,
});

impl Diagnostic {
    /// One about what stands at `origin`.
    #[must_use]
    pub fn at(origin: &Origin, severity: Severity, code: &str, message: String) -> Self {
        Self {
            severity,
            code: code.to_owned(),
            message,
            document: origin.document.clone(),
            line: origin.known_line(),
            column: Some(origin.column).filter(|column| *column > 0),
            hint: None,
        }
    }
}

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The document is refused.
    Error,
    /// It loads.
    Warning,
}

json::words!(Severity {
    Error = "error",
    Warning = "warning",
});
