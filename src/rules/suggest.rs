//! What "always allow" may save for a call.

use super::answers::answered_by;
use super::compiled::Policy;
use super::decision::{Judged, SessionAllow};
use super::host;
use super::pattern;
use super::programs::telling_prefix;
use super::shell::{self, Role};
use super::subject::{Command, Reading, Subject, literal};

/// A content that may be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// A rule content; empty: every call of the tool.
    pub content: String,
    /// What it covers, for the person.
    pub text: String,
    /// It says no more than the subject's own text.
    pub whole: bool,
}

/// The contents that together let this call run, narrowest first; none where no content can say it.
#[must_use]
pub fn suggest(policy: &Policy, judged: Judged<'_>) -> Vec<Offer> {
    let subjects = policy.subjects(judged, None);
    if subjects.is_empty() {
        return vec![Offer {
            content: String::new(),
            text: format!("every call of `{}`", judged.name.key()),
            whole: false,
        }];
    }
    let mut offers = Vec::new();
    for subject in &subjects {
        for offer in of_subject(subject) {
            if !offers.contains(&offer) {
                offers.push(offer);
            }
        }
    }
    if allows(policy, judged, &offers) {
        return offers;
    }
    let exact: Vec<Offer> = subjects.iter().filter_map(exactly).collect();
    if allows(policy, judged, &exact) {
        exact
    } else {
        Vec::new()
    }
}

/// Whether these contents, saved for the session, cover a call.
#[must_use]
pub fn allows(policy: &Policy, judged: Judged<'_>, offers: &[Offer]) -> bool {
    let saved: Vec<SessionAllow> = offers
        .iter()
        .map(|offer| SessionAllow::of(judged.name, &offer.content))
        .collect();
    answered_by(policy, judged, None, &saved).is_some()
}

fn exactly(subject: &Subject) -> Option<Offer> {
    Some(Offer {
        content: pattern::exact(&subject.text)?,
        text: format!("exactly `{}`", subject.text),
        whole: true,
    })
}

fn of_subject(subject: &Subject) -> Vec<Offer> {
    match &subject.reading {
        Reading::Text => exactly(subject).into_iter().collect(),
        Reading::Command(command) => of_command(subject, command),
        Reading::Url { url: Ok(url), .. } => vec![Offer {
            content: host::origin_content(url),
            text: format!("every address of `{}`", url.origin),
            whole: false,
        }],
        Reading::Url { url: Err(_), .. } => exactly(subject).into_iter().collect(),
        Reading::Path(path) => {
            let Ok(clean) = &path.clean else {
                return exactly(subject).into_iter().collect();
            };
            let exact = pattern::exact(&clean.text).map(|content| Offer {
                content,
                text: format!("exactly `{}`", clean.text),
                whole: true,
            });
            let folder = clean
                .text
                .rsplit_once('/')
                .filter(|(folder, _)| clean.absolute && folder.matches('/').count() > 1);
            let folder = folder.and_then(|(folder, _)| pattern::exact(&format!("{folder}/")));
            let below = folder.map(|folder| Offer {
                text: format!("everything below `{folder}`"),
                content: format!("{folder}*"),
                whole: false,
            });
            exact.into_iter().chain(below).collect()
        }
    }
}

fn of_command(subject: &Subject, command: &Command) -> Vec<Offer> {
    let simple: Vec<&shell::Command> = command
        .analysis
        .commands
        .iter()
        .filter(|simple| simple.role != Role::Through)
        .collect();
    let plain =
        |simple: &&&shell::Command| simple.role == Role::Plain && simple.unknown.is_none() && !simple.words.is_empty();
    let sayable = command.analysis.unread.is_none()
        && command.writes.is_empty()
        && simple.iter().filter(plain).count() == simple.len();
    let words: Option<Vec<Vec<String>>> = simple.iter().map(|simple| said(simple)).collect();
    match (words, simple.len()) {
        (Some(words), 1) if sayable => {
            let wide = words.iter().filter_map(|words| starting(words));
            exactly(subject).into_iter().chain(wide).collect()
        }
        (Some(words), 2..) if sayable => words
            .iter()
            .filter_map(|words| starting(words).or_else(|| command_offer(words)))
            .collect(),
        _ => exactly(subject).into_iter().collect(),
    }
}

/// The words of a command, assignments first, if they are all there.
fn said(simple: &shell::Command) -> Option<Vec<String>> {
    let assigned = simple
        .assignments
        .iter()
        .map(|assignment| Some(format!("{}={}", assignment.name, literal(&assignment.value)?)));
    assigned.chain(simple.words.iter().map(literal)).collect()
}

fn starting(words: &[String]) -> Option<Offer> {
    let text = quoted(telling_prefix(words)?);
    let content = pattern::prefix(&text)?;
    Some(Offer {
        content,
        text: format!("every command that starts with `{text}`"),
        whole: false,
    })
}

fn command_offer(words: &[String]) -> Option<Offer> {
    let text = quoted(words);
    Some(Offer {
        content: pattern::exact(&text)?,
        text: format!("exactly `{text}`"),
        whole: false,
    })
}

/// The words as a shell, and a rule, reads them.
fn quoted(words: &[String]) -> String {
    let word = |word: &String| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:=@%+,-".contains(&byte);
        if !word.is_empty() && word.bytes().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
