//! What of a call is compared with rules.

use serde_json::Value;

use super::command_form::hides_subcommand;
use super::host;
use super::model::{Environment, Shell, SubjectKind, Traits};
use super::path::{self, Clean, PathError};
use super::rough;
use super::shell::{self, Analysis, Directories, Piece, Word};
use crate::named::Named;
use crate::sort;

/// The arguments that are looked at in every tool, in this order.
const USUAL: [(&str, SubjectKind); 6] = [
    ("command", SubjectKind::Command),
    ("url", SubjectKind::Url),
    ("file_path", SubjectKind::Path),
    ("path", SubjectKind::Path),
    ("pattern", SubjectKind::Text),
    ("patch_text", SubjectKind::Text),
];

/// What the host's resolver said of each path it was asked for; `None`: it failed.
pub type RealPaths = Named<Option<String>>;

/// One argument that is compared with contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The argument's name, or a JSON Pointer.
    pub name: String,
    /// As the model wrote it.
    pub text: String,
    /// What was read from it.
    pub reading: Reading,
}

/// What was read from a subject.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Nothing more.
    Text,
    /// A command line.
    Command(Command),
    /// A URL; the hosts are every one that some parser may see.
    Url {
        /// What may satisfy an allow.
        url: Result<host::Url, host::UrlError>,
        /// What a deny looks at.
        hosts: Vec<String>,
    },
    /// A path.
    Path(Path),
}

/// A command line, and the files it writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Whose syntax it has.
    pub shell: Shell,
    /// What can run.
    pub analysis: Analysis,
    /// What is written.
    pub writes: Vec<Written>,
}

/// The target of a redirect.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// As written.
    pub shown: String,
    /// It may be any of these files; `None`: any file.
    pub paths: Option<Vec<Path>>,
}

/// A path in its forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// As written.
    pub written: String,
    /// Cleaned lexically.
    pub clean: Result<Clean, PathError>,
    /// What it really is; `None`: the host has no resolver.
    pub real: Option<Result<Clean, String>>,
}

impl Subject {
    /// The kind.
    #[must_use]
    pub fn kind(&self) -> SubjectKind {
        match self.reading {
            Reading::Text => SubjectKind::Text,
            Reading::Command(_) => SubjectKind::Command,
            Reading::Url { .. } => SubjectKind::Url,
            Reading::Path(_) => SubjectKind::Path,
        }
    }

    /// Why it can't be read completely.
    #[must_use]
    pub fn unread(&self) -> Option<String> {
        match &self.reading {
            Reading::Text => None,
            Reading::Command(command) => unread_command(command),
            Reading::Url { url, .. } => url
                .as_ref()
                .err()
                .map(|error| format!("the URL can't be read: {}", error.why())),
            Reading::Path(path) => path.unread(),
        }
    }
}

fn unread_command(command: &Command) -> Option<String> {
    if let Some(unread) = &command.analysis.unread {
        return Some(format!("the command can't be read: {}", unread.why));
    }
    let hidden = command
        .analysis
        .commands
        .iter()
        .filter_map(|command| command.unknown.as_ref());
    if let Some(unknown) = hidden.into_iter().find(|unknown| unknown.hidden) {
        return Some(format!("what the command runs can't be read: {}", unknown.why));
    }
    if command.analysis.commands.iter().any(hides_subcommand) {
        return Some("a command has too many words that could be its subcommand".into());
    }
    None
}

impl Command {
    /// Why what it writes can't be told.
    #[must_use]
    pub fn unread_write(&self) -> Option<String> {
        if let Some(unread) = &self.analysis.unread {
            return Some(format!("the command can't be read: {}", unread.why));
        }
        self.writes.iter().find_map(|write| match &write.paths {
            None => Some(format!("the file behind `>` can't be told from `{}`", write.shown)),
            Some(paths) => paths.iter().find_map(Path::unread),
        })
    }
}

impl Path {
    fn unread(&self) -> Option<String> {
        let resolver = |why: &String| format!("the path can't be resolved: {why}");
        match (&self.clean, &self.real) {
            (Err(error), _) => Some(format!("the path can't be read: {}", error.why())),
            (Ok(_), Some(Err(why))) => Some(resolver(why)),
            (Ok(_), Some(Ok(_)) | None) => None,
        }
    }
}

/// How subjects are read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The paths' environment.
    pub environment: &'a Environment,
    /// What the resolver said; `None`: there is no resolver.
    pub real: Option<&'a RealPaths>,
    /// The limits of a command.
    pub limits: &'a shell::Limits,
}

impl Reader<'_> {
    /// The subjects of a call; `input` is an arguments object, or a string that is a command line.
    #[must_use]
    pub fn subjects(&self, input: &Value, traits: &Traits) -> Vec<Subject> {
        if let Value::String(command) = input {
            return self
                .subject("command", command, SubjectKind::Command, traits)
                .into_iter()
                .collect();
        }
        let usual = USUAL
            .into_iter()
            .filter(|(name, _)| !traits.subjects.contains_key(name));
        let usual = usual.filter_map(|(name, kind)| self.subject(name, input.get(name)?.as_str()?, kind, traits));
        let named = traits.subjects.iter().filter_map(|(name, kind)| {
            let value = if name.starts_with('/') {
                input.pointer(name)
            } else {
                input.get(name)
            };
            self.subject(name, value?.as_str()?, *kind, traits)
        });
        usual.chain(named).collect()
    }

    fn subject(&self, name: &str, text: &str, kind: SubjectKind, traits: &Traits) -> Option<Subject> {
        if text.is_empty() {
            return None;
        }
        let shell = traits.shell.unwrap_or_default();
        let reading = match kind {
            SubjectKind::Command if shell == Shell::None => Reading::Text,
            SubjectKind::Command => Reading::Command(self.command(text, shell)),
            SubjectKind::Url => Reading::Url {
                url: host::read(text),
                hosts: host::hosts(text),
            },
            SubjectKind::Path => Reading::Path(self.path(text, None)),
            SubjectKind::Text if name == "pattern" && reaches(text) => Reading::Path(self.path(text, None)),
            SubjectKind::Text => Reading::Text,
        };
        Some(Subject {
            name: name.to_owned(),
            text: text.to_owned(),
            reading,
        })
    }

    fn command(&self, text: &str, shell: Shell) -> Command {
        let analysis = match shell {
            Shell::Posix | Shell::None => shell::analyse(text, self.limits),
            Shell::Powershell | Shell::Cmd => rough::analyse(text, shell, self.limits.bytes),
        };
        let writes = analysis
            .writes
            .iter()
            .map(|write| self.written(&write.target, &write.directories));
        let writes = writes.collect();
        Command {
            shell,
            analysis,
            writes,
        }
    }

    fn written(&self, target: &Word, directories: &Directories) -> Written {
        let paths = match (file(target), directories) {
            (Some(text), Some(directories)) => {
                Some(directories.iter().map(|from| self.path(&text, Some(from))).collect())
            }
            (Some(text), None) => self.anywhere(&text).map(|path| vec![path]),
            (None, _) => None,
        };
        let shown = shown(target);
        Written { shown, paths }
    }

    /// A path that is the same from every directory.
    fn anywhere(&self, text: &str) -> Option<Path> {
        let nowhere = Environment {
            cwd: None,
            ..self.environment.clone()
        };
        let clean = path::subject(text, &nowhere, None).ok()?;
        clean.absolute.then(|| self.path(text, None))
    }

    fn path(&self, text: &str, from: Option<&str>) -> Path {
        let clean = path::subject(text, self.environment, from);
        let asked = path::written(text, self.environment, from);
        let real = self.real.map(|real| {
            let asked = asked.map_err(|error| error.why().to_owned())?;
            match real.get(&asked) {
                Some(Some(answer)) => path::real(answer, self.environment).map_err(|error| error.why().to_owned()),
                Some(None) | None => Err("the resolver failed".to_owned()),
            }
        });
        Path {
            written: text.to_owned(),
            clean,
            real,
        }
    }

    /// The paths that a resolver must be asked for.
    #[must_use]
    pub fn unresolved(&self, subjects: &[Subject]) -> Vec<String> {
        let mut asked = Vec::new();
        for subject in subjects {
            match &subject.reading {
                Reading::Path(_) => asked.extend(path::written(&subject.text, self.environment, None).ok()),
                Reading::Command(command) => {
                    for write in &command.analysis.writes {
                        let Some(text) = file(&write.target) else { continue };
                        let from = write.directories.iter().flatten().map(|from| Some(from.as_str()));
                        let from = from.chain(write.directories.is_none().then_some(None));
                        asked.extend(from.filter_map(|from| path::written(&text, self.environment, from).ok()));
                    }
                }
                Reading::Text | Reading::Url { .. } => {}
            }
        }
        sort::set(&mut asked);
        asked
    }
}

/// A search pattern that says where to search.
fn reaches(text: &str) -> bool {
    path::is_path_form(text) || text.split(['/', '\\']).any(|part| part == "..")
}

/// The file that a redirect names, if it is all there. A quoted `~` is a file of that name.
fn file(target: &Word) -> Option<String> {
    let text = literal(target)?;
    let quoted = target.quoted && text.starts_with('~');
    Some(if quoted { format!("./{text}") } else { text })
}

/// The word's text, if it is all there.
#[must_use]
pub fn literal(word: &Word) -> Option<String> {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        Piece::Glob(_) | Piece::Open(_) => None,
    };
    word.pieces.iter().map(piece).collect()
}

/// The word for a person.
#[must_use]
pub fn shown(word: &Word) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) | Piece::Open(text) => text.clone(),
    };
    word.pieces.iter().map(piece).collect()
}
