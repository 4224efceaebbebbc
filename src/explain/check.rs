//! One question to a policy, without a gateway.

use serde_json::Value;

use crate::arguments::{Arguments, DEFAULT_BYTES};
use crate::call::ToolCall;
use crate::error::Error;
use crate::json;
use crate::rules::chain::Row;
use crate::rules::suggest::allows;
use crate::rules::{
    Behavior, Decision, Declared, Facts, Hook, Judged, Mode, Offer, Policy, Progress, RealPaths, SessionAllow,
    Sessions, Stage, ToolName, decide, suggest,
};
use crate::tier::Tier;

use super::words::{human, log, model, reason};

/// What is asked, and what the host has answered so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The tool.
    pub tool_name: String,
    /// Its MCP server.
    pub server: Option<String>,
    /// The arguments' JSON text, as the model wrote it.
    pub arguments: Option<String>,
    /// A command line, instead of arguments.
    pub command: Option<String>,
    /// The call's mode; the document's may be stricter.
    pub mode: Option<String>,
    /// What the host declares of the tool.
    pub declared: Declared,
    /// The session's allows.
    pub session_allows: Vec<SessionAllow>,
    /// The host can resolve paths.
    pub real_path: bool,
    /// What it resolved; a path it could not is null.
    pub real: Option<RealPaths>,
    /// The host has a hook that approves beforehand.
    pub preapprove: bool,
    /// Its id, empty for none; absent: not asked.
    pub preapproved: Option<String>,
    /// What is wanted.
    pub want: Want,
    /// For suggestions: the calls that they are tried on.
    pub recent: Vec<ToolCall>,
}

json::object!(closed Question {
    tool_name = String::new(),
    server,
    arguments,
    command,
    mode,
    declared = Declared::default(),
    session_allows = Vec::new(),
    real_path = false,
    real,
    preapprove = false,
    preapproved,
    want = Want::Decision,
    recent = Vec::new(),
});

/// What is wanted of a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Want {
    /// The decision.
    #[default]
    Decision,
    /// The decision and everything about it.
    Explanation,
    /// What may be saved.
    Suggestions,
    /// What a front end can show before the host has spoken.
    Preview,
}

json::words!(Want {
    Decision = "decision",
    Explanation = "explanation",
    Suggestions = "suggestions",
    Preview = "preview",
});

/// What the chain said, as a host reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleDecision {
    /// Allow, ask or deny.
    pub behavior: Behavior,
    /// The row's id, or the hook's.
    pub rule_id: String,
    /// One sentence for the person.
    pub reason: String,
    /// The rule that fired, as written.
    pub rule: Option<String>,
}

json::written!(RuleDecision {
    behavior,
    rule_id,
    reason,
    rule or nothing,
});

/// Everything about a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The decision.
    pub decision: RuleDecision,
    /// What was asked, in order.
    pub stages: Vec<Stage>,
    /// For the person.
    pub human: String,
    /// For the model.
    pub model: String,
    /// For the log.
    pub log: Value,
}

json::written!(Explanation {
    decision,
    stages,
    human,
    model,
    log,
});

/// A suggestion with what it would have covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// A rule content; empty: every call of the tool.
    pub content: String,
    /// What it covers, for the person.
    pub text: String,
    /// Positions among the recent calls.
    pub covered: Vec<usize>,
}

json::written!(Offered { content, text, covered });

/// What a front end can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// `runs`, `asks`, `refused`, or `depends` on what only the host knows.
    pub outcome: &'static str,
    /// One sentence.
    pub reason: String,
}

json::written!(Preview { outcome, reason });

/// The answer, or what the host must be asked first.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Resolve these paths.
    RealPath {
        /// The paths.
        paths: Vec<String>,
    },
    /// Ask the hook.
    Preapprove,
    /// The decision.
    Decision {
        /// The decision.
        decision: RuleDecision,
    },
    /// The decision and everything about it.
    Explanation {
        /// Everything.
        explanation: Explanation,
    },
    /// What may be saved.
    Suggestions {
        /// Narrowest first.
        suggestions: Vec<Offered>,
    },
    /// What can be shown.
    Preview {
        /// The preview.
        preview: Preview,
    },
}

json::written!(Answer by "type" {
    RealPath { paths },
    Preapprove,
    Decision { decision },
    Explanation { explanation },
    Suggestions { suggestions },
    Preview { preview },
});

/// Answers a question.
///
/// # Errors
/// `bad_request` for arguments that are no arguments, an unknown mode, or both of `arguments` and `command`.
pub fn ask(policy: &Policy, question: &Question, looked: &mut u64) -> Result<Answer, Error> {
    let name = ToolName::of(question.server.as_deref(), &question.tool_name);
    let limit = policy.arguments_bytes.unwrap_or(DEFAULT_BYTES);
    let input = match (&question.arguments, &question.command) {
        (Some(arguments), None) => Arguments::read(arguments, limit)
            .map_err(Error::BadRequest)?
            .value()
            .clone(),
        (None, Some(command)) => Value::String(command.clone()),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::BadRequest(
                "a call has either `arguments` or a command line".into(),
            ));
        }
    };
    let judged = Judged {
        name: &name,
        input: &input,
    };
    let mut stages = Vec::new();
    let wanted = (question.want == Want::Explanation).then_some(&mut stages);
    let decision = match decide(policy, judged, &facts(question)?, wanted, looked) {
        Progress::RealPath(paths) => return Ok(Answer::RealPath { paths }),
        Progress::Preapprove => return Ok(Answer::Preapprove),
        Progress::Decided(decision) => decision,
        Progress::SessionGrants => return Err(Error::Internal("a chain without a gateway has no grants".into())),
    };
    Ok(match question.want {
        Want::Decision => Answer::Decision {
            decision: rule_decision(&name, &decision),
        },
        Want::Explanation => {
            let offers = offers(policy, judged, &decision);
            Answer::Explanation {
                explanation: Explanation {
                    decision: rule_decision(&name, &decision),
                    stages,
                    human: human(&name, &decision, &offers),
                    model: model(&name, &decision),
                    log: log(&name, &decision),
                },
            }
        }
        Want::Suggestions => {
            let offers = offers(policy, judged, &decision);
            let offered = offers
                .into_iter()
                .map(|offer| tried(policy, &name, &question.recent, offer));
            Answer::Suggestions {
                suggestions: offered.collect(),
            }
        }
        Want::Preview => Answer::Preview {
            preview: preview(policy, &name, &decision),
        },
    })
}

fn facts(question: &Question) -> Result<Facts, Error> {
    let mode = question.mode.as_deref().map(|word| {
        let words = Mode::ALL.map(Mode::word).join("`, `");
        Mode::from_word(word)
            .ok_or_else(|| Error::BadRequest(format!("there is no mode `{word}`, it is one of `{words}`")))
    });
    let preapproved = question
        .preapproved
        .clone()
        .map(|id| Some(id).filter(|id| !id.is_empty()));
    Ok(Facts {
        mode: mode.transpose()?,
        declared: question.declared,
        preapproved: Hook::of(question.preapprove, preapproved),
        real: Hook::of(question.real_path, question.real.clone()),
        sessions: Sessions::Allows(question.session_allows.clone()),
    })
}

fn rule_decision(name: &ToolName, decision: &Decision) -> RuleDecision {
    RuleDecision {
        behavior: decision.behavior,
        rule_id: decision.rule_id.clone(),
        reason: reason(name, decision),
        rule: decision.rule.as_ref().map(|rule| rule.written.clone()),
    }
}

/// Nothing is offered where nothing that is saved lets the call run.
fn offers(policy: &Policy, judged: Judged<'_>, decision: &Decision) -> Vec<Offer> {
    match (decision.behavior, decision.row) {
        (Behavior::Deny, _) | (Behavior::Ask, Row::Ask | Row::UserInteraction) => Vec::new(),
        (Behavior::Ask | Behavior::Allow, _) => suggest(policy, judged),
    }
}

fn tried(policy: &Policy, of: &ToolName, recent: &[ToolCall], offer: Offer) -> Offered {
    let covers = |call: &ToolCall| {
        let name = ToolName::of(call.server.as_deref(), &call.tool_name);
        let Ok(arguments) = Arguments::read(&call.arguments, DEFAULT_BYTES) else {
            return false;
        };
        if name != *of {
            return false;
        }
        let judged = Judged {
            name: &name,
            input: arguments.value(),
        };
        allows(policy, judged, std::slice::from_ref(&offer))
    };
    let covered = recent
        .iter()
        .enumerate()
        .filter(|(_, call)| covers(call))
        .map(|(index, _)| index);
    Offered {
        covered: covered.collect(),
        content: offer.content,
        text: offer.text,
    }
}

fn preview(policy: &Policy, name: &ToolName, decision: &Decision) -> Preview {
    let tier = policy.tier(name).or(policy.default_tier()).max(policy.bare_tier(name));
    let said = reason(name, decision);
    let (outcome, reason) = match (decision.behavior, tier) {
        (_, Some(Tier::Deny)) => ("refused", format!("the tier of `{}` is `deny`", name.key())),
        (Behavior::Deny, _) => ("refused", said),
        (Behavior::Allow, _) => ("runs", said),
        (Behavior::Ask, _) if decision.row != Row::Default || decision.unread.is_some() => ("asks", said),
        (Behavior::Ask, Some(Tier::Allow)) => ("runs", format!("the tier of `{}` is `allow`", name.key())),
        (Behavior::Ask, Some(Tier::Confirm) | None) => ("depends", format!("{said}, unless the host has allowed it")),
    };
    Preview { outcome, reason }
}
