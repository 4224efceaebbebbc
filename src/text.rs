//! The default texts for the model: what is known and no more, and what to do next.

use crate::basis::Basis;
use crate::json;

/// Why a call did not run, with what its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A person said no.
    HumanDenied {
        /// The tool.
        tool_name: String,
        /// What the person wrote to the model.
        note: Option<String>,
    },
    /// The tier or a policy refuses it.
    TierDisabled {
        /// The tool.
        tool_name: String,
        /// The one rule that refuses it, as written.
        rule: Option<String>,
        /// What the rule says to do instead.
        alternative: Option<String>,
    },
    /// The run was stopped while the question was open.
    Canceled,
    /// Nobody answered in time.
    Expired,
    /// The person went on to something else.
    Superseded,
    /// There is nobody to ask.
    NoHuman,
    /// The question could not be recorded.
    PersistFailed,
    /// The engine failed on this call.
    EngineFailed,
    /// The arguments are not acceptable.
    InvalidArguments {
        /// What is wrong with them.
        detail: String,
    },
    /// A call with this id was asked about before, and its answer was used.
    Duplicate {
        /// The tool.
        tool_name: String,
    },
    /// The tool can't be run.
    Unavailable {
        /// The tool.
        tool_name: String,
        /// Why.
        detail: String,
    },
}

json::variants!(closed Refusal by "kind" {
    HumanDenied { tool_name, note },
    TierDisabled { tool_name, rule or nothing, alternative or nothing },
    Canceled,
    Expired,
    Superseded,
    NoHuman,
    PersistFailed,
    EngineFailed,
    InvalidArguments { detail },
    Duplicate { tool_name },
    Unavailable { tool_name, detail },
} else Self::EngineFailed);

impl Refusal {
    /// The basis of the event that goes with it; `None` where a person decided or the evaluation says it.
    #[must_use]
    pub fn basis(&self) -> Option<Basis> {
        match self {
            Self::HumanDenied { .. } | Self::TierDisabled { .. } | Self::Unavailable { .. } => None,
            Self::Canceled => Some(Basis::Canceled),
            Self::Expired => Some(Basis::Expired),
            Self::Superseded => Some(Basis::Superseded),
            Self::NoHuman => Some(Basis::NoHuman),
            Self::PersistFailed => Some(Basis::PersistFailed),
            Self::EngineFailed => Some(Basis::EngineFailed),
            Self::InvalidArguments { .. } => Some(Basis::InvalidArguments),
            Self::Duplicate { .. } => Some(Basis::Duplicate),
        }
    }

    /// The sentence the model reads. All but `InvalidArguments`, which asks for corrected arguments, say not to retry.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::HumanDenied { tool_name, note } => {
                let said = note.as_deref().filter(|note| !note.is_empty()).map(|note| format!(" They said: {note}")).unwrap_or_default();
                format!("The person declined this call of `{tool_name}`. Do not retry it or work around it.{said}")
            }
            Self::TierDisabled {
                tool_name,
                rule,
                alternative,
            } => {
                let by = rule.as_ref().map(|rule| format!(" by `{rule}`")).unwrap_or_default();
                let instead = alternative.as_ref().map(|instead| format!(" Instead: {instead}.")).unwrap_or_default();
                format!("`{tool_name}` is not permitted here{by}. Do not retry it or work around it.{instead}")
            }
            Self::Canceled => "The run was stopped before the call was approved; it did not run. Do not retry it unless the person asks again.".into(),
            Self::Expired => "Nobody answered the request for approval in time; the call did not run. Do not retry it unless the person asks again.".into(),
            Self::Superseded => "A newer message came before the call was approved; it did not run. Do not retry it unless the person asks again.".into(),
            Self::NoHuman => "This call needs a person's approval and nobody can be asked here. Do not retry it.".into(),
            Self::PersistFailed => "The request for approval could not be recorded; the call did not run. Do not retry it now.".into(),
            Self::EngineFailed => "The permission check failed; the call did not run. Do not retry it now.".into(),
            Self::InvalidArguments { detail } => {
                format!("The call did not run: {detail}. Send the call again with corrected arguments.")
            }
            Self::Duplicate { tool_name } => {
                format!("`{tool_name}` was not run again: a call with this id was asked about before. Do not retry it.")
            }
            Self::Unavailable { tool_name, detail } => {
                format!("`{tool_name}` could not be run: {detail}. Do not retry it.")
            }
        }
    }
}
