//! Random events against one confirmation: a small reference model says which may pass, and laws hold whatever happens.
#![cfg(not(target_family = "wasm"))]

use ackgate::confirm::{
    Answer, Command, Decision, Edited, Ending, Event, Execution, Moment, Offer, Record, Request, Stage,
};
use ackgate::payload::Status;
use ackgate::{ToolCall, reduce};
use proptest::prelude::*;

const LEASE: u64 = 1000;
const DIGEST: &str = "d";

#[derive(Debug, Clone)]
struct Happening {
    event: Event,
    /// How long after the last write.
    age_ms: u64,
}

/// What the reference knows of a confirmation.
#[derive(Debug, Clone, Default)]
struct Model {
    stage: Option<Stage>,
    decision: Option<Decision>,
    owner: Option<String>,
    fence: u32,
    idempotent: bool,
    editable: bool,
    edited: Option<String>,
    handed_over: bool,
    reported: bool,
    deadline: Option<u64>,
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Changes,
    Nothing,
    Refused,
}

impl Model {
    /// Written from the specification, not from the reducer: may this event change the record now?
    fn allows(&self, event: &Event, now: u64, age: u64) -> Verdict {
        use Stage::{Decided, Executing, Pending, Settled};
        let Some(stage) = self.stage else {
            return if matches!(event, Event::Request(_)) {
                Verdict::Changes
            } else {
                Verdict::Refused
            };
        };
        let free = self.owner.is_none() || age > LEASE;
        let mine = |owner: &String| self.owner.as_ref() == Some(owner);
        let overdue = self.deadline.is_some_and(|at| at <= now);
        let yes = matches!(self.decision, Some(Decision::Approved | Decision::Granted));
        let again = stage == Executing && self.idempotent && self.fence <= 2 && age > LEASE;
        let when = |condition: bool| if condition { Verdict::Changes } else { Verdict::Refused };
        match event {
            Event::Request(_) => Verdict::Refused,
            Event::Decide(answer) => {
                let edited = answer.edited.as_ref().map(|edited| &edited.digest);
                let by_grant = self.decision == Some(Decision::Granted) && answer.decision == Decision::Approved;
                let same = (by_grant || self.decision == Some(answer.decision)) && self.edited.as_ref() == edited;
                let edits = edited.is_none() || (self.editable && answer.decision == Decision::Approved);
                match stage {
                    _ if answer.expected_digest.as_deref().is_some_and(|digest| digest != DIGEST) => Verdict::Refused,
                    Pending => {
                        let offered = answer.grant.is_none() || answer.decision != Decision::Approved;
                        when(!overdue && edits && offered && answer.decision != Decision::Granted)
                    }
                    Decided | Executing | Settled if same => Verdict::Nothing,
                    Decided | Executing | Settled => Verdict::Refused,
                }
            }
            Event::Claim { owner, .. } => when(again || (stage == Decided && yes && (mine(owner) || free))),
            Event::HandOver { owner } => when(stage == Decided && yes && (mine(owner) || free)),
            Event::Refuse { owner, .. } => when(again || (stage == Decided && (mine(owner) || free))),
            Event::Finish { owner, fence, .. } => when(stage == Executing && mine(owner) && *fence == self.fence),
            Event::Report { owner, .. } => when(self.handed_over && !self.reported && mine(owner)),
            Event::Lose { .. } => when(stage == Executing && self.owner.is_some() && age > LEASE),
            Event::End { owner: Some(owner), .. } if !mine(owner) => Verdict::Refused,
            Event::End { ending, owner, .. } => {
                let ends = match ending {
                    Ending::Canceled => matches!(stage, Pending | Decided),
                    Ending::Superseded => stage == Pending,
                    Ending::Expired => stage == Pending && (overdue || owner.is_some()),
                };
                if ends { Verdict::Changes } else { Verdict::Nothing }
            }
            Event::Renew { owner, fence } => when(stage != Settled && mine(owner) && *fence == self.fence),
            Event::Adopt { owner } => when(stage == Pending && (mine(owner) || free)),
            Event::Release { owner } if mine(owner) && matches!(stage, Pending | Decided) => Verdict::Changes,
            Event::Release { .. } => Verdict::Nothing,
            Event::Park { owner } => when(stage == Pending && (mine(owner) || free)),
            Event::Pass => when(stage == Pending && !overdue),
            Event::Deliver => when(stage == Settled),
            // Not among the events here: what it leaves is no record.
            Event::Shrink => Verdict::Nothing,
        }
    }

    fn follow(&mut self, record: &Record) {
        self.stage = Some(record.stage);
        self.decision = record.decision;
        self.owner.clone_from(&record.owner);
        self.fence = record.fence;
        self.idempotent = record.idempotent;
        self.editable = record.editable;
        self.edited.clone_from(&record.effective_digest);
        self.handed_over = record.execution == Execution::Caller;
        self.reported = self.handed_over && record.result.is_some();
        self.deadline = record.expires_at;
    }
}

fn request(deadline: Option<u64>, owner: Option<String>, (idempotent, editable): (bool, bool)) -> Event {
    Event::Request(Box::new(Request {
        confirmation_id: "c1".into(),
        call: ToolCall {
            session_id: "s1".into(),
            tool_call_id: "c1".into(),
            tool_name: "delete_note".into(),
            server: None,
            arguments: "{}".into(),
        },
        digest: DIGEST.into(),
        user_id: "u1".into(),
        forced: false,
        reason: "why".into(),
        suggestions: Vec::new(),
        expires_at: deadline,
        asked_by: None,
        run_id: None,
        parents: Vec::new(),
        refused_before: 0,
        owner,
        idempotent,
        editable,
    }))
}

fn owner() -> impl Strategy<Value = String> {
    prop_oneof![Just("A".to_owned()), Just("B".to_owned())]
}

fn event() -> impl Strategy<Value = Event> {
    let decision = || {
        prop_oneof![
            5 => Just(Decision::Approved),
            1 => Just(Decision::Denied),
            1 => Just(Decision::Abandoned),
            1 => Just(Decision::Granted)
        ]
    };
    let digest =
        || prop_oneof![4 => Just(None), 1 => Just(Some(DIGEST.to_owned())), 1 => Just(Some("other".to_owned()))];
    let edited = || {
        let edit = |digest: &str| {
            Some(Edited {
                arguments: "{}".into(),
                digest: digest.into(),
            })
        };
        prop_oneof![4 => Just(None), 1 => Just(edit("e1")), 1 => Just(edit("e2"))]
    };
    let grant = || {
        let offer = Offer {
            content: None,
            arguments_digest: None,
            expires_at: None,
            uses_left: None,
        };
        prop_oneof![6 => Just(None), 1 => Just(Some(offer))]
    };
    let ending = prop_oneof![Just(Ending::Canceled), Just(Ending::Expired), Just(Ending::Superseded)];
    let result = || "1".to_owned();
    prop_oneof![
        2 => (proptest::option::of(500..3000_u64), proptest::option::of(owner()), any::<(bool, bool)>())
            .prop_map(|(at, owner, traits)| request(at, owner, traits)),
        4 => (decision(), digest(), edited(), grant()).prop_map(|(decision, expected_digest, edited, grant)| {
            let (decided_by, remember, note) = ("u1".into(), None, None);
            Event::Decide(Box::new(Answer { decision, decided_by, remember, note, expected_digest, edited, grant }))
        }),
        4 => (owner(), any::<bool>()).prop_map(|(owner, recovery)| Event::Claim { owner, recovery }),
        1 => owner().prop_map(|owner| Event::HandOver { owner }),
        2 => owner().prop_map(move |owner| Event::Refuse { owner, recovery: false, result: result() }),
        4 => (owner(), 0..3_u32).prop_map(move |(owner, fence)| Event::Finish {
            owner, fence, execution: Execution::Ran, result: result()
        }),
        1 => owner().prop_map(move |owner| Event::Report { owner, result: result() }),
        1 => any::<bool>().prop_map(move |recovery| Event::Lose { recovery, result: result() }),
        2 => (ending, proptest::option::of(owner())).prop_map(move |(ending, owner)| Event::End { ending, owner, result: result() }),
        2 => (owner(), 0..3_u32).prop_map(|(owner, fence)| Event::Renew { owner, fence }),
        2 => owner().prop_map(|owner| Event::Adopt { owner }),
        1 => owner().prop_map(|owner| Event::Release { owner }),
        1 => owner().prop_map(|owner| Event::Park { owner }),
        1 => Just(Event::Pass),
        1 => Just(Event::Deliver),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    (event(), prop_oneof![2 => 0..LEASE, 1 => LEASE..3 * LEASE]).prop_map(|(event, age_ms)| Happening { event, age_ms })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reducer_follows_the_model(happenings in proptest::collection::vec(happening(), 1..40)) {
        let (mut record, mut model, mut now) = (None::<Record>, Model::default(), 0_u64);
        let (mut executions, mut terminals, mut emits, mut decisions) = (0, 0, 0, 0);
        for Happening { event, age_ms } in happenings {
            now += age_ms;
            let expected = model.allows(&event, now, age_ms);
            let deciding = matches!(event, Event::Decide(_));
            let result = reduce(record.clone(), event.clone(), Moment { now_ms: now, age_ms, lease_ms: LEASE });
            let reduced = match result {
                Err(error) => {
                    prop_assert_eq!(expected, Verdict::Refused, "{:?} was refused: {}", event, error);
                    continue;
                }
                Ok(reduced) => reduced,
            };
            let changed = reduced.record.is_some();
            prop_assert_eq!(expected, if changed { Verdict::Changes } else { Verdict::Nothing }, "{:?}", event);
            for command in &reduced.commands {
                match command {
                    Command::Execute { .. } => executions += 1,
                    Command::Terminal { .. } => terminals += 1,
                    Command::Emit => emits += 1,
                    Command::Replayed => prop_assert!(!changed),
                }
            }
            let Some(next) = reduced.record else { continue };
            decisions += usize::from(deciding);
            if let Some(before) = &record {
                let was_over: bool = before.stage == Stage::Settled;
                prop_assert!(!was_over || (next.stage == Stage::Settled && next.status == before.status), "what is over stays over");
                prop_assert!(next.fence >= before.fence, "fences grow");
                prop_assert!(before.decision.is_none() || next.decision == before.decision, "a decision stands");
                prop_assert!(!was_over || before.result.is_none() || next.result == before.result, "a result stands");
            }
            // What a host stores is text; it must mean the same when it is read again.
            let text = serde_json::to_string(&next).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let read = Record::read(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&read, &next);
            model.follow(&next);
            record = Some(next);
        }
        let most = if model.idempotent { 3 } else { 1 };
        prop_assert!(executions <= most, "executed {} times", executions);
        prop_assert!(terminals + decisions <= 1, "{} events and {} decisions", terminals, decisions);
        if let Some(record) = record {
            prop_assert!(record.fence == 0 || record.status == Status::Approved, "people were told of the yes");
            let ran = matches!(record.execution, Execution::Ran | Execution::Failed | Execution::Unknown);
            let yes = record.decision.is_some_and(Decision::is_yes);
            prop_assert!(!ran || yes, "nothing runs without a yes");
            if record.stage == Stage::Settled {
                prop_assert_eq!(terminals + decisions, 1, "exactly one terminal");
                prop_assert_eq!(emits, 2, "one pending and one settled event");
            }
        }
    }
}
