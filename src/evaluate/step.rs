use crate::basis::Basis;
use crate::call::ToolCall;
use crate::grant::Grant;
use crate::json;
use crate::payload::Suggestion;
use crate::text::Refusal;

/// What the core asks of its host, or the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Check the arguments against the tool's schema.
    Validate {
        /// To be named in the answer.
        step_id: u32,
        /// The call.
        call: ToolCall,
    },
    /// Ask the tier function; `call.arguments` is what is judged.
    ConsultTier {
        /// To be repeated in the answer.
        step_id: u32,
        /// The call.
        call: ToolCall,
    },
    /// Ask the resolver what each of these paths really is.
    RealPath {
        /// To be repeated in the answer.
        step_id: u32,
        /// Absolute where the environment allows it, not cleaned.
        paths: Vec<String>,
    },
    /// Ask the hook for an id that approves the call beforehand.
    Preapprove {
        /// To be repeated in the answer.
        step_id: u32,
        /// The call.
        call: ToolCall,
    },
    /// Ask the policy source at `index` of the setup's `sources`.
    ConsultPolicy {
        /// To be repeated in the answer.
        step_id: u32,
        /// Which source.
        index: usize,
        /// The call.
        call: ToolCall,
    },
    /// Ask the grant source for candidates.
    LookupGrant {
        /// To be repeated in the answer.
        step_id: u32,
        /// The call.
        call: ToolCall,
    },
    /// Take one use of this grant, atomically.
    ConsumeGrant {
        /// To be repeated in the answer.
        step_id: u32,
        /// The grant that answers the call.
        grant: Grant,
    },
    /// The end.
    Settled {
        /// How.
        outcome: Outcome,
    },
}

json::written!(Step by "type" {
    Validate { step_id, call },
    ConsultTier { step_id, call },
    RealPath { step_id, paths },
    Preapprove { step_id, call },
    ConsultPolicy { step_id, index, call },
    LookupGrant { step_id, call },
    ConsumeGrant { step_id, grant },
    Settled { outcome },
});

/// The host's answer to one step. A failed step is never an approval.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The step it answers.
    pub step_id: u32,
    /// What came back.
    pub answer: Answer,
}

json::object!(closed StepResult {
    step_id,
    answer,
});

/// What came back from the host. Words are text: an unknown one counts as failed, not as an error of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// What is wrong with the arguments by the tool's schema; absent or empty: nothing.
    Validated {
        /// One sentence for the model.
        detail: Option<String>,
    },
    /// The tier function's opinion; absent is none.
    Tier {
        /// A tier's word.
        tier: Option<String>,
    },
    /// What each path of the step really is, in its order; a path that could not be resolved is null.
    RealPaths {
        /// The answers.
        paths: Vec<Option<String>>,
    },
    /// The hook's id; absent or empty: none.
    Preapproved {
        /// The id.
        id: Option<String>,
    },
    /// A source's verdict.
    Verdict {
        /// A verdict's word.
        verdict: String,
        /// One sentence for the person.
        reason: Option<String>,
    },
    /// A grant source's candidates.
    Grants {
        /// In any order, as the source gave them: one that can't be read makes the look-up fail.
        grants: Vec<serde_json::Value>,
    },
    /// Whether the use was taken.
    Consumed {
        /// False: none was left.
        taken: bool,
    },
    /// The host's callback threw, rejected, timed out or gave no readable answer.
    Failed,
}

json::variants!(closed Answer by "type" {
    Validated { detail },
    Tier { tier },
    RealPaths { paths },
    Preapproved { id },
    Verdict { verdict, reason },
    Grants { grants },
    Consumed { taken },
    Failed,
} else Self::Failed);

impl Answer {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Validated { .. } => "validated",
            Self::Tier { .. } => "tier",
            Self::RealPaths { .. } => "realPaths",
            Self::Preapproved { .. } => "preapproved",
            Self::Verdict { .. } => "verdict",
            Self::Grants { .. } => "grants",
            Self::Consumed { .. } => "consumed",
            Self::Failed => "failed",
        }
    }
}

/// How an evaluation ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Run it with `arguments`.
    Allow {
        /// Why.
        basis: Basis,
        /// The first effective named source for an endorsement, else empty.
        source: String,
        /// The text that was judged.
        arguments: String,
        /// The call's digest.
        digest: String,
        /// The grant that answered.
        grant_id: Option<String>,
    },
    /// Ask a person.
    Confirm {
        /// A source insists; no grant can answer.
        forced: bool,
        /// One sentence for the person.
        reason: String,
        /// What may be remembered with an approval.
        suggestions: Vec<Suggestion>,
        /// The text that was judged.
        arguments: String,
        /// The call's digest.
        digest: String,
    },
    /// Refuse it.
    Deny {
        /// Why.
        basis: Basis,
        /// The first named source that denied, else empty.
        source: String,
        /// What the model is told.
        refusal: Refusal,
        /// What the source said for people.
        reason: Option<String>,
    },
}

json::written!(Outcome by "disposition" {
    Allow { basis, source, arguments, digest, grant_id or nothing },
    Confirm { forced, reason, suggestions, arguments, digest },
    Deny { basis, source, refusal, reason or nothing },
});
