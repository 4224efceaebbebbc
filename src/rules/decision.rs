//! What the chain is told, and what it says.

use serde_json::Value;

use super::chain::Row;
use super::compiled::Declared;
use super::model::{Behavior, Mode, Origin};
use super::selector::ToolName;
use super::subject::RealPaths;
use crate::json;

/// What is judged.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The tool.
    pub name: &'a ToolName,
    /// An arguments object, or a string that is a command line.
    pub input: &'a Value,
}

/// What a person allowed for the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAllow {
    /// The tool, as a rule names it.
    pub tool: String,
    /// A rule content; empty: every call.
    pub content: String,
}

json::object!(closed SessionAllow {
    tool,
    content,
});

impl SessionAllow {
    /// One for exactly this tool.
    #[must_use]
    pub fn of(name: &ToolName, content: &str) -> Self {
        Self {
            tool: super::spelling::write(&name.tool.replace('*', "\\*"), name.server.as_deref(), ""),
            content: content.to_owned(),
        }
    }
}

/// Where the session's allows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sessions {
    /// Here.
    Allows(Vec<SessionAllow>),
    /// With the gateway, as grants: whether one covers the call, once that is known.
    Grants(Option<bool>),
}

/// A callback of the host, and what it answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Hook<T> {
    /// The host has none.
    #[default]
    Absent,
    /// It was not asked yet.
    Unasked,
    /// What it gave.
    Answered(T),
}

impl<T> Hook<T> {
    /// Of a host that has one or not, and what it gave once it was asked.
    pub fn of(present: bool, answered: Option<T>) -> Self {
        match answered {
            _ if !present => Self::Absent,
            None => Self::Unasked,
            Some(answered) => Self::Answered(answered),
        }
    }
}

/// What the host says and has answered so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The call's mode; the document's may be stricter.
    pub mode: Option<Mode>,
    /// What the host declares of the tool.
    pub declared: Declared,
    /// The id that approves beforehand; `None` where the hook gave none, or failed.
    pub preapproved: Hook<Option<String>>,
    /// What paths really are.
    pub real: Hook<RealPaths>,
    /// The session's allows.
    pub sessions: Sessions,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            mode: None,
            declared: Declared::default(),
            preapproved: Hook::Absent,
            real: Hook::Absent,
            sessions: Sessions::Allows(Vec::new()),
        }
    }
}

/// A decision, or what must be asked first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Ask the resolver for each of these paths.
    RealPath(Vec<String>),
    /// Ask the hook.
    Preapprove,
    /// Look whether the session's grants cover the call.
    SessionGrants,
    /// The end.
    Decided(Box<Decision>),
}

/// A rule that decided, with what it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// As written.
    pub written: String,
    /// Where.
    pub origin: Origin,
    /// What it saw.
    pub saw: String,
    /// The rule's own sentence.
    pub reason: Option<String>,
    /// What to do instead.
    pub alternative: Option<String>,
}

/// A part of the call and the allow rule for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The part.
    pub what: String,
    /// The rule that covers it, with its place.
    pub rule: Option<Cited>,
    /// Why nothing can cover it.
    pub why: Option<String>,
}

/// What the chain says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Allow, ask or deny.
    pub behavior: Behavior,
    /// The row's id, or the hook's.
    pub rule_id: String,
    /// The row.
    pub row: Row,
    /// The rule that fired.
    pub rule: Option<Cited>,
    /// What the allow rules cover, where they were asked.
    pub seen: Vec<Seen>,
    /// What can't be read.
    pub unread: Option<String>,
    /// In the gateway: the session's grants cover the call, the later stages still speak.
    pub granted: bool,
}

/// One row that was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// The row's rule id, or `subjects`.
    pub stage: String,
    /// It held.
    pub matched: bool,
    /// The rule as written.
    pub rule: Option<String>,
    /// The rule's document.
    pub document: Option<String>,
    /// The rule's line.
    pub line: Option<u32>,
    /// What it saw, or why it did not hold.
    pub detail: Option<String>,
}

json::object!(open Stage {
    stage,
    matched,
    rule or nothing,
    document or nothing,
    line or nothing,
    detail or nothing,
});
