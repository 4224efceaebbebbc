use crate::arguments::DEFAULT_BYTES;
use crate::call::ToolCall;
use crate::error::Error;
use crate::grant::{Grant, GrantSetup};
use crate::json;
use crate::named::Named;
use crate::rules::{Declared, Mode, Policy, RealPaths, ToolName};
use crate::tier::Tier;
use crate::verdict::Verdict;

/// The version of [`State`]; another one is refused.
const VERSION: u32 = 2;

/// What the host can answer, and the data the core decides with.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// Tiers by tool name.
    pub tiers: Named<Tier>,
    /// The tier of a tool nobody listed.
    pub default_tier: Tier,
    /// The host has a schema for the tool's arguments.
    pub validate: bool,
    /// The host has a tier function.
    pub tier_function: bool,
    /// The policy sources' names in the order of registration; an empty name is anonymous.
    pub sources: Vec<String>,
    /// Whose grants may answer; absent: no grants.
    pub grants: Option<GrantSetup>,
    /// The host knows its tools and this one is not among them.
    pub unknown_tool: bool,
    /// A person can be asked.
    pub interactive: bool,
    /// The limit of the arguments' text in bytes; the policy's may be lower.
    pub arguments_bytes: usize,
    /// The call's mode; the policy's may be stricter.
    pub mode: Option<Mode>,
    /// What the host declares of the tool.
    pub declared: Declared,
    /// The host has a hook that approves beforehand.
    pub preapprove: bool,
    /// The host can resolve paths.
    pub real_path: bool,
}

json::object!(closed Setup {
    tiers = Named::new(),
    default_tier,
    validate = false,
    tier_function = false,
    sources = Vec::new(),
    grants,
    unknown_tool = false,
    interactive = true,
    arguments_bytes = DEFAULT_BYTES,
    mode,
    declared = Declared::default(),
    preapprove = false,
    real_path = false,
});

impl Setup {
    /// A setup that knows nothing but the tier of tools nobody listed.
    #[must_use]
    pub fn new(default_tier: Tier) -> Self {
        Self {
            tiers: Named::new(),
            default_tier,
            validate: false,
            tier_function: false,
            sources: Vec::new(),
            grants: None,
            unknown_tool: false,
            interactive: true,
            arguments_bytes: DEFAULT_BYTES,
            mode: None,
            declared: Declared::default(),
            preapprove: false,
            real_path: false,
        }
    }
}

/// Who was asked and what came back, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceEntry {
    /// `arguments`, `schema`, `tool`, `tier`, `rules`, `paths`, `preapprove`, `session grants`, `source NAME`, `source #INDEX` for an anonymous one, `grants`, `use of GRANT`.
    pub asked: String,
    /// A word, `none`, or `failed`.
    pub said: String,
}

json::object!(closed TraceEntry {
    asked,
    said,
});

/// An evaluation between two steps: plain data that lives in one variable of the driver.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub(super) version: u32,
    pub(super) step_id: u32,
    pub(super) stage: Stage,
    pub(super) call: ToolCall,
    pub(super) digest: String,
    pub(super) setup: Setup,
    pub(super) tier: Tier,
    pub(super) said: Said,
    pub(super) heard: Heard,
    pub(super) trace: Vec<TraceEntry>,
}

json::object!(closed State {
    version,
    step_id,
    stage,
    call,
    digest,
    setup,
    tier,
    said,
    heard,
    trace,
});

/// What the host has answered for the rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heard {
    pub(super) real: Option<RealPaths>,
    pub(super) preapproved: Option<Preapproved>,
    pub(super) session: Option<bool>,
    /// Why the rules leave the call to a person.
    pub(super) reason: Option<String>,
}

json::object!(closed Heard {
    real,
    preapproved,
    session,
    reason,
});

/// The hook was asked, and what it gave.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preapproved {
    pub(super) id: Option<String>,
}

json::object!(closed Preapproved {
    id,
});

/// The tier before the tier function is asked: where setup and policy both speak, the stricter. A server's tool has the
/// key `server/tool`; an entry of the bare name can only tighten it, so that no server's tool gets the ease of another
/// one of its name.
fn listed(policy: &Policy, setup: &Setup, call: &ToolCall) -> Tier {
    let name = ToolName::of(call.server.as_deref(), &call.tool_name);
    let own = setup.tiers.get(&name.key()).copied();
    let said = own.max(policy.tier(&name));
    match name.server {
        None => said.unwrap_or(setup.default_tier),
        Some(_) => {
            let bare = [&name.tool, &call.tool_name].map(|bare| setup.tiers.get(bare).copied());
            let bare = bare.into_iter().chain([policy.bare_tier(&name)]).flatten().max();
            let bare = bare.unwrap_or(Tier::Allow);
            said.unwrap_or(setup.default_tier).max(bare)
        }
    }
}

/// Which answer is outstanding.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage {
    Validate,
    Tier,
    RealPath {
        asked: Vec<String>,
    },
    Preapprove,
    SessionGrants,
    Source {
        position: usize,
        index: usize,
    },
    Grants,
    GrantPaths {
        grants: Vec<Grant>,
        asked: Vec<String>,
    },
    Use {
        pool: Vec<Grant>,
        taken: Vec<String>,
        grant: String,
    },
    Settled,
}

json::variants!(open Stage by "at" {
    Validate,
    Tier,
    RealPath { asked },
    Preapprove,
    SessionGrants,
    Source { position, index },
    Grants,
    GrantPaths { grants, asked },
    Use { pool, taken, grant },
    Settled,
} else Self::Settled);

impl Stage {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Tier => "tier",
            Self::RealPath { .. } => "realPath",
            Self::Preapprove => "preapprove",
            Self::SessionGrants => "sessionGrants",
            Self::Source { .. } => "source",
            Self::Grants => "grants",
            Self::GrantPaths { .. } => "grantPaths",
            Self::Use { .. } => "use",
            Self::Settled => "settled",
        }
    }
}

/// The strongest opinion so far and who gave it first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) verdict: Verdict,
    pub(super) source: String,
    pub(super) reason: Option<String>,
}

json::object!(closed Said {
    verdict,
    source,
    reason,
});

impl State {
    pub(super) fn new(policy: &Policy, setup: Setup, call: ToolCall) -> Self {
        let tier = listed(policy, &setup, &call);
        let said = Said {
            verdict: Verdict::Abstain,
            source: String::new(),
            reason: None,
        };
        let (digest, trace) = (String::new(), Vec::new());
        Self {
            version: VERSION,
            step_id: 0,
            stage: Stage::Tier,
            call,
            digest,
            setup,
            tier,
            said,
            heard: Heard::default(),
            trace,
        }
    }

    pub(super) fn check(&self, step_id: u32) -> Result<(), Error> {
        if self.version != VERSION {
            return Err(Error::BadRequest(format!(
                "an evaluation of version {} can't be resumed here",
                self.version
            )));
        }
        if self.stage == Stage::Settled {
            return Err(Error::Conflict(
                "the evaluation has settled, it takes no further answer".into(),
            ));
        }
        if self.step_id != step_id {
            return Err(Error::Conflict(format!(
                "step {} is outstanding, the answer is for step {step_id}",
                self.step_id
            )));
        }
        Ok(())
    }

    /// Who was asked so far.
    #[must_use]
    pub fn trace(&self) -> &[TraceEntry] {
        &self.trace
    }

    pub(super) fn note(&mut self, asked: impl Into<String>, said: impl Into<String>) {
        self.trace.push(TraceEntry {
            asked: asked.into(),
            said: said.into(),
        });
    }
}
