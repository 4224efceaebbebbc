//! Judges one call by the chain.

use super::chain::{Capability, Row, UNKNOWN, blocks, rows};
use super::compiled::Policy;
use super::decision::{Cited, Decision, Facts, Hook, Judged, Progress, Seen, Sessions, Stage};
use super::model::{Behavior, Mode, NameSpec, RuleSpec};
use super::permit::{Cover, cover};
use super::restrict::{Hit, hit};
use super::ruleset::{Groups, RuleSet};
use super::selector::ToolName;
use super::subject::{Reading, Subject};

/// Judges a call, as far as `facts` go. `stages`: what was asked, in order, for whoever wants to know.
pub fn decide(
    policy: &Policy,
    judged: Judged<'_>,
    facts: &Facts,
    mut stages: Option<&mut Vec<Stage>>,
    looked: &mut u64,
) -> Progress {
    let real = match &facts.real {
        Hook::Answered(real) => Some(real),
        Hook::Absent | Hook::Unasked => None,
    };
    let subjects = policy.subjects(judged, real);
    if facts.real == Hook::Unasked {
        let asked = policy.reader(None).unresolved(&subjects);
        if !asked.is_empty() {
            return Progress::RealPath(asked);
        }
    }
    let mut judge = Judge {
        policy,
        name: judged.name,
        facts,
        subjects: &subjects,
        capability: policy.capability(judged.name, facts.declared),
        mode: policy.mode(facts.mode),
        unread: None,
        seen: Vec::new(),
        looked,
    };
    if let Some(stages) = stages.as_deref_mut() {
        stages.clear();
        stages.push(judge.overview());
    }
    for row in rows(judge.capability) {
        let asked = match judge.ask(*row) {
            Ok(asked) => asked,
            Err(progress) => return progress,
        };
        if let Some(stages) = stages.as_deref_mut() {
            stages.push(asked.stage(*row));
        }
        if let Some(behavior) = asked.behavior {
            return Progress::Decided(Box::new(judge.decided(*row, behavior, asked)));
        }
    }
    Progress::Decided(Box::new(judge.decided(Row::Default, Behavior::Ask, Asked::default())))
}

/// What one row said.
#[derive(Default)]
struct Asked {
    behavior: Option<Behavior>,
    rule_id: Option<String>,
    rule: Option<Cited>,
    detail: Option<String>,
    granted: bool,
}

impl Asked {
    fn no() -> Self {
        Self::default()
    }

    fn is(behavior: Behavior) -> Self {
        Self {
            behavior: Some(behavior),
            ..Self::default()
        }
    }

    fn by(behavior: Behavior, rule: Cited) -> Self {
        Self {
            rule: Some(rule),
            ..Self::is(behavior)
        }
    }

    fn stage(&self, row: Row) -> Stage {
        let rule = self.rule.as_ref();
        Stage {
            stage: self.rule_id.clone().unwrap_or_else(|| row.id().to_owned()),
            matched: self.behavior.is_some(),
            rule: rule.map(|rule| rule.written.clone()),
            document: rule.and_then(|rule| rule.origin.named()).map(str::to_owned),
            line: rule.and_then(|rule| rule.origin.known_line()),
            detail: rule.map(|rule| rule.saw.clone()).or_else(|| self.detail.clone()),
        }
    }
}

struct Judge<'a> {
    policy: &'a Policy,
    name: &'a ToolName,
    facts: &'a Facts,
    subjects: &'a [Subject],
    capability: Capability,
    mode: Mode,
    unread: Option<String>,
    seen: Vec<Seen>,
    looked: &'a mut u64,
}

impl Judge<'_> {
    fn ask(&mut self, row: Row) -> Result<Asked, Progress> {
        Ok(match row {
            Row::Disallowed => self.name_set(self.policy.disallowed(self.name), Behavior::Deny),
            Row::BreakGlass => self.name_set(self.policy.allowed(self.name), Behavior::Allow),
            Row::Deny => {
                let asked = self.restrict(&self.policy.deny, Behavior::Deny);
                self.unread = self.unread_and_concerned();
                asked
            }
            Row::Ask => self.restrict(&self.policy.ask, Behavior::Ask),
            Row::ReadOnlyBlock if blocks(self.mode, self.capability) => Asked::is(Behavior::Deny),
            Row::Yolo if self.mode == Mode::Yolo => self.pass(),
            Row::ReadOnlyPass if self.mode == Mode::ReadOnly => self.pass(),
            Row::ReadOnlyTool if self.capability.read_only => self.pass(),
            Row::ReadOnlyBlock | Row::Yolo | Row::ReadOnlyPass | Row::ReadOnlyTool => Asked::no(),
            Row::Allow => self.allow(),
            Row::SessionAllow => return self.session(),
            Row::Preapprove => return self.preapprove(),
            Row::UserInteraction => Asked::is(Behavior::Ask),
            Row::AlwaysAsk | Row::Default => match &self.unread {
                None => Asked::is(Behavior::Ask),
                Some(why) => Asked {
                    rule_id: Some(UNKNOWN.into()),
                    detail: Some(why.clone()),
                    ..Asked::is(Behavior::Ask)
                },
            },
        })
    }

    fn name_set(&self, entry: Option<&NameSpec>, behavior: Behavior) -> Asked {
        entry.map_or_else(Asked::no, |entry| {
            let cited = Cited {
                written: entry.tool.clone(),
                origin: entry.origin.clone(),
                saw: "the tool's name".into(),
                reason: None,
                alternative: None,
            };
            Asked::by(behavior, cited)
        })
    }

    fn restrict(&mut self, set: &RuleSet, behavior: Behavior) -> Asked {
        let groups = set.groups(self.name);
        let platform = self.policy.environment.platform;
        match hit(set, &groups, self.subjects, platform, self.looked) {
            Some(Hit { rule, saw }) => set
                .rule(rule)
                .map_or_else(Asked::no, |rule| Asked::by(behavior, cite(rule, saw))),
            None => Asked::no(),
        }
    }

    /// Rows that let pass without looking at the subjects don't where one can't be read and a rule could be about it.
    fn pass(&self) -> Asked {
        match &self.unread {
            None => Asked::is(Behavior::Allow),
            Some(why) => Asked {
                detail: Some(format!("held back: {why}")),
                ..Asked::no()
            },
        }
    }

    fn unread_and_concerned(&self) -> Option<String> {
        let sets = [&self.policy.deny, &self.policy.ask];
        let concerned = |groups: &dyn Fn(&RuleSet) -> Groups| sets.iter().any(|set| set.has_content(&groups(set)));
        let by_tool = concerned(&|set| set.groups(self.name));
        let by_write = concerned(&|set| set.write_groups());
        self.subjects.iter().find_map(|subject| {
            let write = || match &subject.reading {
                Reading::Command(command) if by_write || by_tool => command.unread_write(),
                Reading::Command(_) | Reading::Text | Reading::Url { .. } | Reading::Path(_) => None,
            };
            subject.unread().filter(|_| by_tool).or_else(write)
        })
    }

    fn allow(&mut self) -> Asked {
        let set = &self.policy.allow;
        let groups = set.groups(self.name);
        if let Some(every) = self.every_call(set, &groups) {
            return every;
        }
        let found = cover(set, &groups, self.subjects, self.looked);
        self.seen = seen(set, &found);
        covered(&found, &self.seen)
    }

    fn every_call(&self, set: &RuleSet, groups: &Groups) -> Option<Asked> {
        let rule = set
            .any(groups)
            .and_then(|rule| set.rule(rule))
            .filter(|_| self.unread.is_none())?;
        Some(Asked::by(Behavior::Allow, cite(rule, "every call of the tool".into())))
    }

    fn session(&mut self) -> Result<Asked, Progress> {
        let allows = match &self.facts.sessions {
            Sessions::Allows(allows) => allows,
            // The gateway's last step looks them up; here they only lift what always asks.
            Sessions::Grants(_) if !self.capability.always_ask => return Ok(Asked::no()),
            Sessions::Grants(None) => return Err(Progress::SessionGrants),
            Sessions::Grants(Some(false)) => return Ok(Asked::no()),
            Sessions::Grants(Some(true)) => {
                return Ok(Asked {
                    granted: true,
                    ..Asked::is(Behavior::Allow)
                });
            }
        };
        let set = self.policy.session_set(allows);
        let groups = set.groups(self.name);
        if let Some(every) = self.every_call(&set, &groups) {
            return Ok(every);
        }
        let found = cover(&set, &groups, self.subjects, self.looked);
        Ok(covered(&found, &seen(&set, &found)))
    }

    fn preapprove(&self) -> Result<Asked, Progress> {
        match &self.facts.preapproved {
            Hook::Unasked if self.unread.is_none() => Err(Progress::Preapprove),
            Hook::Answered(Some(id)) if !id.is_empty() => {
                let asked = self.pass();
                Ok(Asked {
                    rule_id: asked.behavior.map(|_| id.clone()),
                    ..asked
                })
            }
            Hook::Absent | Hook::Unasked | Hook::Answered(_) => Ok(Asked::no()),
        }
    }

    fn overview(&self) -> Stage {
        let parts: Vec<String> = self.subjects.iter().map(describe).collect();
        Stage {
            stage: "subjects".into(),
            matched: !parts.is_empty(),
            detail: (!parts.is_empty()).then(|| parts.join("; ")),
            ..Stage::default()
        }
    }

    fn decided(self, row: Row, behavior: Behavior, asked: Asked) -> Decision {
        let unread = self.unread.filter(|_| asked.rule_id.as_deref() == Some(UNKNOWN));
        Decision {
            behavior,
            rule_id: asked.rule_id.unwrap_or_else(|| row.id().to_owned()),
            row,
            rule: asked.rule,
            seen: self.seen,
            unread,
            granted: asked.granted,
        }
    }
}

fn describe(subject: &Subject) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    match &subject.reading {
        Reading::Command(command) => {
            let commands = count(command.analysis.commands.len(), "command");
            let writes = command.writes.len();
            let writes = if writes == 0 {
                String::new()
            } else {
                format!(", {}", count(writes, "file written"))
            };
            let unread = command
                .analysis
                .unread
                .as_ref()
                .map(|unread| format!(", not understood: {}", unread.why));
            format!("`{}`: {commands}{writes}{}", subject.name, unread.unwrap_or_default())
        }
        Reading::Url { .. } | Reading::Path(_) | Reading::Text => {
            let unread = subject.unread().map(|why| format!(", {why}"));
            format!(
                "`{}`: a {}{}",
                subject.name,
                subject.kind().word(),
                unread.unwrap_or_default()
            )
        }
    }
}

fn cite(rule: &RuleSpec, saw: String) -> Cited {
    Cited {
        written: rule.written.clone(),
        origin: rule.origin.clone(),
        saw,
        reason: rule.reason.clone(),
        alternative: rule.alternative.clone(),
    }
}

fn seen(set: &RuleSet, cover: &Cover) -> Vec<Seen> {
    let part = |part: &super::permit::Part| Seen {
        what: part.what.clone(),
        rule: part
            .rule
            .and_then(|rule| set.rule(rule))
            .map(|rule| cite(rule, part.what.clone())),
        why: part.why.clone(),
    };
    cover.parts.iter().map(part).collect()
}

fn covered(cover: &Cover, seen: &[Seen]) -> Asked {
    let near = || {
        let part = |part: &Seen| match (&part.rule, &part.why) {
            (Some(rule), _) => format!("`{}` matched `{}`", rule.written, part.what),
            (None, Some(why)) => format!("nothing can match `{}`: {why}", part.what),
            (None, None) => format!("nothing matched `{}`", part.what),
        };
        seen.iter().map(part).collect::<Vec<_>>().join(", ")
    };
    match seen.iter().find_map(|part| part.rule.clone()) {
        Some(rule) if cover.allows => Asked::by(Behavior::Allow, rule),
        Some(_) | None if seen.is_empty() => Asked::no(),
        Some(_) | None => Asked {
            detail: Some(near()),
            ..Asked::no()
        },
    }
}
