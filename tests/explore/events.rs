//! What a driver asks the reducer, as the event that says it.

use ackgate::ToolCall;
use ackgate::confirm::{Answer, Decision, Ending, Event, Execution, Request};

use super::engine::{Act, Who};

/// The event that a driver sends.
pub fn event(act: Act, idempotent: bool) -> Event {
    let result = || "1".to_owned();
    match act {
        Act::Request { owner } => Event::Request(Box::new(request(owner, idempotent))),
        Act::Decide { yes } => Event::Decide(Box::new(Answer {
            decision: if yes { Decision::Approved } else { Decision::Denied },
            decided_by: "u1".into(),
            remember: None,
            note: None,
            expected_digest: None,
            edited: None,
            grant: None,
        })),
        Act::Claim { owner, recovery } => Event::Claim {
            owner: owner.to_string(),
            recovery,
        },
        Act::HandOver { owner } => Event::HandOver {
            owner: owner.to_string(),
        },
        Act::Refuse { owner, recovery } => Event::Refuse {
            owner: owner.to_string(),
            recovery,
            result: result(),
        },
        Act::Finish { owner, fence } => Event::Finish {
            owner: owner.to_string(),
            fence: fence.into(),
            execution: Execution::Ran,
            result: result(),
        },
        Act::Lose { recovery } => Event::Lose {
            recovery,
            result: result(),
        },
        Act::End { owner } => Event::End {
            ending: Ending::Canceled,
            owner: owner.map(|owner| owner.to_string()),
            result: result(),
        },
        Act::Renew { owner, fence } => Event::Renew {
            owner: owner.to_string(),
            fence: fence.into(),
        },
        Act::Adopt { owner } => Event::Adopt {
            owner: owner.to_string(),
        },
    }
}

fn request(owner: Who, idempotent: bool) -> Request {
    Request {
        confirmation_id: "c1".into(),
        call: ToolCall {
            session_id: "s1".into(),
            tool_call_id: "c1".into(),
            tool_name: "delete_note".into(),
            server: None,
            arguments: "{}".into(),
        },
        digest: "d".into(),
        user_id: "u1".into(),
        forced: false,
        reason: "why".into(),
        suggestions: Vec::new(),
        expires_at: None,
        asked_by: None,
        run_id: Some("r1".into()),
        parents: Vec::new(),
        refused_before: 0,
        owner: Some(owner.to_string()),
        idempotent,
        editable: false,
    }
}
