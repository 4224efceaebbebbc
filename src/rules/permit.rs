//! Whether rules let a call run: every part that runs must be covered.

use super::command_form::allow_forms;
use super::model::SubjectKind;
use super::ruleset::{Groups, RuleSet};
use super::shell::{self, Assignment, Role};
use super::subject::{Command, Path, Reading, Subject, shown};

/// One part of a call, and what covers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The part as a rule would name it: `curl x`, a path, a URL.
    pub what: String,
    /// The rule that covers it.
    pub rule: Option<u32>,
    /// Why nothing can cover it; absent: no rule does.
    pub why: Option<String>,
}

/// What of a call a set of rules covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cover {
    /// It lets the call run.
    pub allows: bool,
    /// Every part that was looked at, in the order of the subjects.
    pub parts: Vec<Part>,
}

/// Looks what the rules with a content cover. A rule without one is not looked at.
pub fn cover(set: &RuleSet, groups: &Groups, subjects: &[Subject], looked: &mut u64) -> Cover {
    if !set.has_content(groups) {
        return Cover::default();
    }
    let mut search = Search { set, groups, looked };
    let each: Vec<(SubjectKind, Vec<Part>)> = subjects
        .iter()
        .map(|subject| (subject.kind(), search.subject(subject)))
        .collect();
    let covered = |parts: &[Part]| !parts.is_empty() && parts.iter().all(|part| part.rule.is_some());
    let whole = |kind: SubjectKind| {
        each.iter()
            .filter(|(found, _)| *found == kind)
            .all(|(_, parts)| covered(parts))
    };
    let some = |kind: SubjectKind| each.iter().any(|(found, parts)| *found == kind && covered(parts));
    // A rule that is written for paths must hold for every path, one for text for every text.
    let consistent = [SubjectKind::Path, SubjectKind::Text]
        .into_iter()
        .all(|kind| whole(kind) || !some(kind));
    let allows =
        SubjectKind::ALL.into_iter().any(some) && whole(SubjectKind::Command) && whole(SubjectKind::Url) && consistent;
    Cover {
        allows,
        parts: each.into_iter().flat_map(|(_, parts)| parts).collect(),
    }
}

struct Search<'a> {
    set: &'a RuleSet,
    groups: &'a Groups,
    looked: &'a mut u64,
}

impl Search<'_> {
    fn subject(&mut self, subject: &Subject) -> Vec<Part> {
        let unread = subject.unread();
        // Exactly this text was authorised, whatever it is; but a path or a URL that can be read is compared as what it is.
        let is_command = matches!(subject.reading, Reading::Command(_));
        let exact = (is_command || unread.is_some())
            .then(|| self.set.exact(self.groups, &subject.text, self.looked))
            .flatten();
        let (rule, why) = match &subject.reading {
            _ if exact.is_some() => (exact, None),
            Reading::Command(command) => return self.command(command, &subject.text, unread),
            Reading::Text => (self.set.text(self.groups, &subject.text, self.looked), None),
            Reading::Path(path) => (self.path(path, self.groups), unread),
            Reading::Url { url: Err(_), .. } => (None, unread),
            Reading::Url { url: Ok(url), .. } => {
                let by_host = self.set.domain(self.groups, &url.host, self.looked);
                let by_url = by_host.or_else(|| self.set.url(self.groups, url, self.looked));
                (
                    by_url.or_else(|| self.set.text(self.groups, &url.href, self.looked)),
                    None,
                )
            }
        };
        vec![Part {
            what: subject.text.clone(),
            rule,
            why,
        }]
    }

    fn command(&mut self, command: &Command, text: &str, unread: Option<String>) -> Vec<Part> {
        if command.analysis.unread.is_some() || (command.analysis.commands.is_empty() && command.writes.is_empty()) {
            let why = unread.or_else(|| Some("nothing in it runs".into()));
            return vec![Part {
                what: text.to_owned(),
                rule: None,
                why,
            }];
        }
        let commands = command
            .analysis
            .commands
            .iter()
            .filter(|simple| simple.role != Role::Through);
        let commands = commands.filter(|simple| !is_harmless(simple));
        let mut parts: Vec<Part> = commands.map(|simple| self.simple(simple)).collect();
        let groups = self.set.write_groups();
        for write in &command.writes {
            let any = self.set.any(&groups);
            let rules = write
                .paths
                .iter()
                .flatten()
                .map(|path| any.or_else(|| self.path(path, &groups)));
            let rules: Option<Vec<u32>> = rules.collect();
            let rule = rules.and_then(|rules| rules.first().copied());
            let why = match (&write.paths, rule) {
                (None, _) => Some("the file can't be told".into()),
                (Some(_), None) => Some("no rule lets `Write` change this file".into()),
                (Some(_), Some(_)) => None,
            };
            parts.push(Part {
                what: format!("> {}", write.shown),
                rule,
                why,
            });
        }
        parts
    }

    fn simple(&mut self, simple: &shell::Command) -> Part {
        let values = simple
            .assignments
            .iter()
            .map(|assignment| format!("{}={}", assignment.name, shown(&assignment.value)));
        let words = values.chain(simple.words.iter().map(shown));
        let what = words.collect::<Vec<_>>().join(" ");
        if let Some(unknown) = &simple.unknown {
            let why = Some(unknown.why.clone());
            return Part { what, rule: None, why };
        }
        let mut forms = allow_forms(simple).into_iter();
        let rule = forms.find_map(|form| self.set.command(self.groups, &form, self.looked));
        Part { what, rule, why: None }
    }

    /// A path's rule must hold for what is written and, where it is known, for what it really is.
    fn path(&mut self, path: &Path, groups: &Groups) -> Option<u32> {
        let clean = path.clean.as_ref().ok()?;
        let rule = self.set.path(groups, &clean.text, self.looked)?;
        match &path.real {
            None => Some(rule),
            Some(real) => {
                let real = real.as_ref().ok()?;
                self.set.path(groups, &real.text, self.looked).map(|_| rule)
            }
        }
    }
}

/// Only sets variables of the script itself.
fn is_harmless(simple: &shell::Command) -> bool {
    simple.words.is_empty()
        && simple.unknown.is_none()
        && !simple.assignments.is_empty()
        && simple
            .assignments
            .iter()
            .all(|assignment| Assignment::is_own(&assignment.name))
}
