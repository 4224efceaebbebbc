//! What a command line says, as far as it can be told without running it.

/// A part of the text, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A run of a word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly this text.
    Literal(String),
    /// An unquoted glob character (`*`, `?`, `[`…`]`, extended globs): what is written, unknown what it becomes.
    Glob(String),
    /// An expansion, a substitution or a brace expansion: what is written, unknown what it becomes.
    Open(String),
}

/// One word of a simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// In order; empty for an empty word such as `""`.
    pub pieces: Vec<Piece>,
    /// The word has quotes or backslashes: it is never a keyword, an alias or a leading `~`.
    pub quoted: bool,
}

/// `NAME=value` before a command, alone, or what a loop or `read` would set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable's name.
    pub name: String,
    /// What is assigned; an array or `+=` makes it open.
    pub value: Word,
}

impl Assignment {
    /// A variable of the script itself, as scripts name them: no program means another one by it.
    #[must_use]
    pub fn is_own(name: &str) -> bool {
        name.bytes().any(|byte| byte.is_ascii_lowercase()) && !name.ends_with("_proxy")
    }
}

/// What a command is for the one that it may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Runs itself.
    Plain,
    /// Only runs other commands, which are listed too (`env`, `timeout`, `sh -c`): they decide.
    Through,
    /// Runs other commands, which are listed too, and does something itself (`find -exec`, `sudo`): both decide.
    Both,
}

/// Why it can't be told what a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// A few words: `the program is an expansion`, `unknown option -Z of env`, `runs a script file`.
    pub why: String,
    /// The text that runs is made at run time from parts of this text (an expansion as program, `sh -c "$x"`, `eval`);
    /// false: it comes from elsewhere (a script file, standard input, xargs' operands, an alias).
    pub hidden: bool,
}

/// Where a command's relative paths start: every directory that is possible, relative to the first one; `None`: anywhere.
pub type Directories = Option<Vec<String>>;

/// One simple command that can run, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments; empty when there are only assignments.
    pub words: Vec<Word>,
    /// Before the program, those of `env` included.
    pub assignments: Vec<Assignment>,
    /// What it is for others.
    pub role: Role,
    /// What can't be told.
    pub unknown: Option<Unknown>,
    /// Where it runs.
    pub directories: Directories,
    /// Where it stands; of a payload: where the wrapper stands.
    pub span: Span,
}

/// A redirect that creates or changes a file; `/dev/null`, `/dev/stdout`, `/dev/stderr` and descriptors are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The file.
    pub target: Word,
    /// Where a relative one starts.
    pub directories: Directories,
    /// Where it stands.
    pub span: Span,
}

/// Why a text is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// A few words.
    pub why: String,
    /// The byte where it was noticed.
    pub at: usize,
}

/// Everything that is known about one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// In the order in which they stand; what a wrapper runs follows it.
    pub commands: Vec<Command>,
    /// Indexes of `commands` that stand in one pipe, in order, two or more.
    pub pipelines: Vec<Vec<usize>>,
    /// Files that are written.
    pub writes: Vec<Write>,
    /// The text was not understood; `commands` then has what could be cut from it.
    pub unread: Option<Unread>,
    /// Steps that reading took; bounded by the limits.
    pub steps: u64,
}
