//! Whether a rule forbids or asks: any part of the call that matches is enough.

use super::command_form::deny_forms;
use super::model::{Platform, Shell};
use super::path;
use super::ruleset::{Groups, RuleSet};
use super::subject::{Command, Path, Reading, Subject, shown};

/// A rule, and the part of the call that it matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The rule's number in its set.
    pub rule: u32,
    /// The part, in words: ``the command `rm x` ``.
    pub saw: String,
}

/// Looks for a rule; the subjects before the rules without a content.
pub fn hit(set: &RuleSet, groups: &Groups, subjects: &[Subject], platform: Platform, looked: &mut u64) -> Option<Hit> {
    let mut search = Search {
        set,
        groups,
        platform,
        looked,
    };
    let part = subjects.iter().find_map(|subject| search.subject(subject));
    part.or_else(|| {
        let saw = "every call of the tool".to_owned();
        set.any(groups).map(|rule| Hit { rule, saw })
    })
}

struct Search<'a> {
    set: &'a RuleSet,
    groups: &'a Groups,
    platform: Platform,
    looked: &'a mut u64,
}

impl Search<'_> {
    fn subject(&mut self, subject: &Subject) -> Option<Hit> {
        let part = match &subject.reading {
            Reading::Text => None,
            Reading::Command(command) => self.command(command),
            Reading::Url { url, hosts } => {
                let by_host = hosts
                    .iter()
                    .find_map(|host| self.set.domain(self.groups, host, self.looked));
                let whole = url.as_ref().ok();
                let by_url = whole.and_then(|url| self.set.url(self.groups, url, self.looked));
                let by_form = || {
                    let each = hosts.iter().map(|host| host.as_str()).chain([""]);
                    let mut each =
                        each.filter_map(|host| self.set.url_concerns(self.groups, host, &subject.text, self.looked));
                    each.next()
                };
                let by_url = by_url.or_else(by_form);
                let by_text = || self.set.text(self.groups, &whole?.href, self.looked);
                by_host.or(by_url).or_else(by_text).map(|rule| Hit {
                    rule,
                    saw: format!("the URL `{}`", subject.text),
                })
            }
            Reading::Path(path) => self.path(path, self.groups),
        };
        part.or_else(|| {
            let rule = self.set.text(self.groups, &subject.text, self.looked)?;
            let saw = match &subject.reading {
                Reading::Command(_) => "the whole command".to_owned(),
                Reading::Text | Reading::Url { .. } | Reading::Path(_) => format!("`{}`", subject.name),
            };
            Some(Hit { rule, saw })
        })
    }

    fn command(&mut self, command: &Command) -> Option<Hit> {
        let folds = command.shell != Shell::Posix;
        for simple in &command.analysis.commands {
            for form in deny_forms(simple) {
                let rule = if folds {
                    let form = form.to_ascii_lowercase();
                    self.set.command_folded(self.groups, &form, self.looked)
                } else {
                    self.set.command(self.groups, &form, self.looked)
                };
                if let Some(rule) = rule {
                    let words: Vec<String> = simple.words.iter().map(shown).collect();
                    let saw = format!("the command `{}`", words.join(" "));
                    return Some(Hit { rule, saw });
                }
            }
        }
        self.pipes(command).or_else(|| self.writes(command))
    }

    /// `curl * | sh`, however it is spaced and wherever the pipe stands.
    fn pipes(&mut self, command: &Command) -> Option<Hit> {
        for pipe in command.analysis.pipelines.iter().take(16) {
            let text = |index: &usize| {
                let words = command.analysis.commands.get(*index)?.words.iter().map(shown);
                Some(words.collect::<Vec<_>>().join(" "))
            };
            let parts: Vec<String> = pipe.iter().take(16).filter_map(text).collect();
            let starts = 0..parts.len();
            let runs = starts.flat_map(|start| (start + 2..=parts.len()).map(move |end| (start, end)));
            for run in runs.filter_map(|(start, end)| parts.get(start..end)) {
                let text = run.join(" | ");
                if let Some(rule) = self.set.text(self.groups, &text, self.looked) {
                    let saw = format!("the pipe `{text}`");
                    return Some(Hit { rule, saw });
                }
            }
        }
        None
    }

    fn writes(&mut self, command: &Command) -> Option<Hit> {
        let groups = self.set.write_groups();
        for write in &command.writes {
            for path in write.paths.iter().flatten() {
                if let Some(hit) = self.path(path, &groups) {
                    let saw = format!("the file `{}` it writes", write.shown);
                    return Some(Hit { saw, ..hit });
                }
            }
            if let Some(rule) = self.set.any(&groups) {
                let saw = format!("the file `{}` it writes", write.shown);
                return Some(Hit { rule, saw });
            }
        }
        None
    }

    fn path(&mut self, path: &Path, groups: &Groups) -> Option<Hit> {
        let real = path.real.as_ref().and_then(|real| real.as_ref().ok());
        let forms = [path.clean.as_ref().ok(), real].into_iter().flatten();
        let mut forms: Vec<String> = forms.map(|clean| clean.text.clone()).collect();
        forms.push(path.written.clone());
        let rule = forms.into_iter().find_map(|form| {
            let form = match self.platform {
                Platform::Posix => form,
                Platform::Windows => path::fold(&form),
            };
            self.set.path(groups, &form, self.looked)
        })?;
        let saw = format!("the path `{}`", path.written);
        Some(Hit { rule, saw })
    }
}
