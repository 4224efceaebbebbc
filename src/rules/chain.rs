//! The order in which rules, modes and capabilities are asked. It is data, here and nowhere else.

use super::model::Mode;

/// One row: a test, and what it says when it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// In `disallowedTools`: deny.
    Disallowed,
    /// A deny rule matches: deny.
    Deny,
    /// Asks: the tool is itself a question.
    UserInteraction,
    /// In `allowedTools`: allow.
    BreakGlass,
    /// A session allow matches: allow.
    SessionAllow,
    /// Mode `read_only` and the tool changes something: deny.
    ReadOnlyBlock,
    /// Mode `yolo`: allow.
    Yolo,
    /// An ask rule matches: ask.
    Ask,
    /// Mode `read_only`: allow.
    ReadOnlyPass,
    /// Allow rules match: allow.
    Allow,
    /// The hook gives an id: allow.
    Preapprove,
    /// The tool changes nothing: allow.
    ReadOnlyTool,
    /// Asks: the tool always does.
    AlwaysAsk,
    /// Asks: nothing else held.
    Default,
}

impl Row {
    /// The rule id of the decision; the hook's row has the hook's.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Disallowed => "rule.disallowedTools",
            Self::Deny => "rule.project.deny",
            Self::UserInteraction => "tool.userInteraction",
            Self::BreakGlass => "rule.allowedTools",
            Self::SessionAllow => "rule.session.allow",
            Self::ReadOnlyBlock | Self::ReadOnlyPass => "mode.read_only",
            Self::Yolo => "mode.yolo",
            Self::Ask => "rule.project.ask",
            Self::Allow => "rule.project.allow",
            Self::Preapprove => "preapprove",
            Self::ReadOnlyTool => "cap.readOnly",
            Self::AlwaysAsk => "tool.alwaysAsk",
            Self::Default => "mode.default",
        }
    }
}

/// The rule id where a part of the call can't be read and a rule could be about it.
pub const UNKNOWN: &str = "subject.unknown";

/// What is declared of a tool, from every side, the stricter of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capability {
    /// Changes nothing.
    pub read_only: bool,
    /// Asks in every mode.
    pub always_ask: bool,
    /// Is itself a question to the person.
    pub requires_user_interaction: bool,
}

/// The rows for a tool, in order; the last one always holds.
#[must_use]
pub fn rows(capability: Capability) -> &'static [Row] {
    if capability.requires_user_interaction {
        return &[Row::Disallowed, Row::Deny, Row::UserInteraction];
    }
    if capability.always_ask {
        return &[
            Row::Disallowed,
            Row::Deny,
            Row::SessionAllow,
            Row::ReadOnlyBlock,
            Row::AlwaysAsk,
        ];
    }
    &[
        Row::Disallowed,
        Row::Deny,
        Row::BreakGlass,
        Row::ReadOnlyBlock,
        Row::Yolo,
        Row::Ask,
        Row::ReadOnlyPass,
        Row::Allow,
        Row::Preapprove,
        Row::SessionAllow,
        Row::ReadOnlyTool,
        Row::Default,
    ]
}

/// Whether mode `read_only` refuses the tool.
#[must_use]
pub fn blocks(mode: Mode, capability: Capability) -> bool {
    mode == Mode::ReadOnly && !capability.read_only
}
