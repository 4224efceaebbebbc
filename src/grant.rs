//! What a person allowed beforehand, and when it answers a call.

use crate::call::ToolCall;
use crate::json;

/// How far a grant reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This session.
    Session,
    /// Every session of the user.
    Global,
}

json::words!(Scope {
    Session = "session",
    Global = "global",
});

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 2] = [Self::Session, Self::Global];
}

/// One permission given in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The confirmation it was saved with, and an index.
    pub id: String,
    /// The application.
    pub app: String,
    /// Whose calls it answers.
    pub user_id: String,
    /// Empty: global.
    pub session_id: String,
    /// The tool.
    pub tool_name: String,
    /// Who decided.
    pub created_by: String,
    /// Milliseconds since the epoch.
    pub created_at: u64,
    /// The tool's MCP server.
    pub server: Option<String>,
    /// A rule content; empty is every call of the tool.
    pub content: Option<String>,
    /// Exactly this call.
    pub arguments_digest: Option<String>,
    /// Milliseconds since the epoch; not valid from then on.
    pub expires_at: Option<u64>,
    /// How many calls it still answers; absent is any number.
    pub uses_left: Option<u64>,
}

json::object!(open Grant {
    id,
    app,
    user_id,
    session_id,
    tool_name,
    created_by,
    created_at,
    server or nothing,
    content or nothing,
    arguments_digest or nothing,
    expires_at or nothing,
    uses_left or nothing,
});

/// Whose grants may answer, and what the host's grant source can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantSetup {
    /// The application.
    pub app: String,
    /// The session's user.
    pub user_id: String,
    /// False: no global grant counts, since the user is nobody in particular.
    pub global: bool,
    /// The source can take a use atomically.
    pub consume: bool,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
}

json::object!(closed GrantSetup {
    app,
    user_id,
    global,
    consume,
    now_ms,
});

/// The grants that may answer this call, as far as they go without reading their contents; the session's before global ones, each group in the order given.
#[must_use]
pub fn reaching(grants: Vec<Grant>, call: &ToolCall, digest: &str, setup: &GrantSetup) -> Vec<Grant> {
    let (session, global): (Vec<Grant>, Vec<Grant>) = grants
        .into_iter()
        .filter(|grant| applies(grant, call, digest, setup))
        .partition(|grant| !grant.session_id.is_empty());
    session.into_iter().chain(global).collect()
}

fn applies(grant: &Grant, call: &ToolCall, digest: &str, setup: &GrantSetup) -> bool {
    let reaches = if grant.session_id.is_empty() {
        setup.global
    } else {
        grant.session_id == call.session_id
    };
    reaches
        && grant.app == setup.app
        && grant.user_id == setup.user_id
        && grant.tool_name == call.tool_name
        && grant.server.as_deref().unwrap_or("") == call.server.as_deref().unwrap_or("")
        && grant.arguments_digest.as_deref().is_none_or(|wanted| wanted == digest)
        && grant.expires_at.is_none_or(|at| setup.now_ms < at)
        && grant.uses_left.is_none_or(|uses| uses > 0 && setup.consume)
}
