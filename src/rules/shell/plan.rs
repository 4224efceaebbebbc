//! What a wrapper runs, told from its words.

use super::directories::Place;
use super::model::{Assignment, Piece, Role};
use super::options::{Scan, scan};
use super::sink::{Doubt, Hidden};
use super::split_string;
use super::table::{self, Then, Wrapper};
use super::token::Token;

/// What runs.
#[derive(Debug)]
pub(super) enum Next {
    Words(Vec<Token>),
    Text(String),
    /// Text with open parts: only good for cutting.
    Torn(String),
}

/// One thing that a wrapper runs.
#[derive(Debug)]
pub(super) struct Inner {
    pub next: Next,
    pub assignments: Vec<Assignment>,
    /// Where, when it is not where the wrapper runs.
    pub place: Option<Place>,
    pub doubt: Option<Doubt>,
    /// In the shell that reads the text: `cd` in it has an effect after it.
    pub here: bool,
    /// At any time later.
    pub trapped: bool,
}

impl Inner {
    fn new(next: Next) -> Self {
        Self {
            next,
            assignments: Vec::new(),
            place: None,
            doubt: None,
            here: false,
            trapped: false,
        }
    }

    pub fn words(words: &[Token]) -> Self {
        Self::new(Next::Words(words.to_vec()))
    }

    pub fn text(text: String) -> Self {
        Self::new(Next::Text(text))
    }

    /// It runs later, or on another machine or root: anywhere.
    pub fn elsewhere(mut self) -> Self {
        self.place = Some(Place::anywhere());
        self.trapped = true;
        self
    }
}

/// What a command is, and what it runs.
#[derive(Debug)]
pub(super) struct Plan {
    pub role: Role,
    pub doubt: Option<Doubt>,
    pub inner: Vec<Inner>,
}

impl Plan {
    pub fn plain() -> Self {
        Self {
            role: Role::Plain,
            doubt: None,
            inner: Vec::new(),
        }
    }

    pub fn doubt(&mut self, why: impl Into<String>, hidden: Hidden) {
        self.doubt = Doubt::worse(self.doubt.take(), Some(Doubt::new(why, hidden)));
    }

    /// Runs this word's text.
    pub fn code(&mut self, words: &[Token], inner: impl FnOnce(Inner) -> Inner) {
        let texts: Option<Vec<&str>> = words.iter().map(Token::text).collect();
        if let Some(texts) = texts {
            self.inner.push(inner(Inner::text(texts.join(" "))));
            return;
        }
        self.doubt("the text it runs is made at run time", Hidden::Yes);
        if words.iter().any(|token| !token.head().is_empty()) || words.len() > 1 {
            let torn: Vec<String> = words.iter().map(written).collect();
            self.inner.push(Inner::new(Next::Torn(torn.join(" "))));
        }
    }
}

/// A word with its open parts as they are written.
fn written(token: &Token) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) | Piece::Open(text) => text.clone(),
    };
    token.word.pieces.iter().map(text).collect()
}

/// A program that is an expansion: it may become nothing, then the next word is the program.
pub(super) fn open_program(words: &[Token]) -> Plan {
    let mut plan = Plan::plain();
    plan.doubt("the program is an expansion or a pattern", Hidden::Yes);
    let vanishes = words.first().is_some_and(|program| {
        let open = |piece: &Piece| matches!(piece, Piece::Open(_));
        program.splits && program.word.pieces.iter().all(open)
    });
    if let Some(next) = words.get(1).and_then(Token::text)
        && vanishes
        && !next.starts_with('-')
    {
        plan.inner.push(Inner::words(words.get(1..).unwrap_or_default()));
    }
    plan
}

/// What `name` runs, given its words; `here` when it is a command of the shell itself.
pub(super) fn plan(name: &str, words: &[Token], place: &Place, here: bool) -> Plan {
    match name {
        "find" => return super::find::plan(words, false),
        "fd" | "fdfind" => return super::find::plan(words, true),
        "trap" => return trap(words),
        "jobs" => return jobs(words),
        "eval" => {
            let mut plan = through();
            let rest = words.get(1..).unwrap_or_default();
            let rest = match rest.first().and_then(Token::text) {
                Some("--") => rest.get(1..).unwrap_or_default(),
                _ => rest,
            };
            if !rest.is_empty() {
                plan.code(rest, |inner| Inner { here, ..inner });
            }
            return plan;
        }
        _ => {}
    }
    if table::SHELLS.contains(&name) {
        return super::shells::plan(name, words);
    }
    match table::find(name) {
        Some(wrapper) => wrapped(name, wrapper, words, place, here),
        None => Plan::plain(),
    }
}

/// `jobs -x COMMAND`.
fn jobs(words: &[Token]) -> Plan {
    let mut plan = Plan::plain();
    let runs = |word: &Token| word.text().is_none() || (word.head().starts_with('-') && word.head().contains('x'));
    if let Some(at) = words.iter().skip(1).position(runs) {
        plan.doubt("`jobs -x` runs a command", Hidden::Yes);
        plan.inner.push(Inner::words(words.get(at + 2..).unwrap_or_default()));
    }
    plan
}

/// `trap CODE SIGNAL…`.
fn trap(words: &[Token]) -> Plan {
    let mut plan = through();
    let rest = words.get(1..).unwrap_or_default();
    let rest = match rest.first().and_then(Token::text) {
        Some("--") => rest.get(1..).unwrap_or_default(),
        _ => rest,
    };
    match rest {
        [code, _, ..]
            if code
                .text()
                .is_none_or(|text| !text.is_empty() && !text.starts_with('-')) =>
        {
            plan.code(std::slice::from_ref(code), Inner::elsewhere);
        }
        [code] if code.splits => plan.doubt("the text it runs is made at run time", Hidden::Yes),
        _ => {}
    }
    plan
}

fn through() -> Plan {
    Plan {
        role: Role::Through,
        ..Plan::plain()
    }
}

fn wrapped(name: &str, wrapper: &Wrapper, words: &[Token], place: &Place, here: bool) -> Plan {
    let mut plan = Plan {
        role: wrapper.role,
        ..Plan::plain()
    };
    let (split, lost) = if name == "env" {
        split_string::expand(wrapper, words)
    } else {
        (None, false)
    };
    if lost {
        plan.doubt("`env -S` has text that is not told apart", Hidden::Yes);
    }
    let words = split.as_deref().unwrap_or(words);
    let scan = scan(name, wrapper, words);
    plan.doubt = Doubt::worse(plan.doubt.take(), scan.doubt.clone());
    for from in &scan.guesses {
        plan.inner.push(Inner::words(words.get(*from..).unwrap_or_default()));
    }
    if scan.doubt.is_some() || scan.has(wrapper.idle) {
        return plan;
    }
    let place = moved(wrapper, &scan, place);
    finish(plan, name, wrapper, &scan, place, here)
}

/// Where the inner command runs, when an option says so.
fn moved(wrapper: &Wrapper, scan: &Scan, place: &Place) -> Option<Place> {
    let login = !wrapper.shell_option.is_empty() && scan.has(&["i", "login"]);
    if wrapper.elsewhere || login {
        return Some(Place::anywhere());
    }
    let directory = scan.value(wrapper.directory)?;
    Some(match directory.text() {
        Some(text) => place.join(text),
        None => Place::anywhere(),
    })
}

fn finish(mut plan: Plan, name: &str, wrapper: &Wrapper, scan: &Scan, place: Option<Place>, here: bool) -> Plan {
    let adapt = |mut inner: Inner| {
        inner.place.clone_from(&place);
        inner.assignments.clone_from(&scan.assignments);
        inner
    };
    if let Some(option) = scan.value(&["o"]).filter(|_| name == "ssh")
        && option
            .text()
            .is_none_or(|text| text.to_ascii_lowercase().contains("command"))
    {
        plan.doubt("an option of `ssh` runs a command", Hidden::Yes);
    }
    if let Some(code) = scan.value(wrapper.code) {
        plan.code(std::slice::from_ref(code), adapt);
        return plan;
    }
    if scan.rest.is_empty() {
        if wrapper.shell_alone || scan.has(wrapper.shell_option) {
            let why = ["`", name, "` starts a shell or reads commands"].concat();
            plan.doubt(why, Hidden::No);
        }
        return plan;
    }
    if name == "parallel" {
        let ends = |word: &Token| word.text().is_some_and(|text| text.starts_with(":::"));
        let length = scan.rest.iter().position(ends).unwrap_or(scan.rest.len());
        plan.doubt("`parallel` adds words", Hidden::No);
        plan.code(scan.rest.get(..length).unwrap_or_default(), adapt);
        return plan;
    }
    let exec = name == "watch" && scan.has(&["x", "exec"]);
    if wrapper.then == Then::Joined && !exec {
        plan.code(scan.rest, adapt);
        return plan;
    }
    let mut inner = adapt(Inner::words(scan.rest));
    inner.here = here && wrapper.then == Then::Here;
    if wrapper.then == Then::Fed {
        inner.doubt = Some(Doubt::new(["`", name, "` adds words"].concat(), Hidden::No));
    }
    plan.inner.push(inner);
    plan
}
