//! Diagnostics while they are collected.

use crate::rules::model::{Diagnostic, Origin, Severity};

/// More findings than these in one layer are only counted.
const MAX: usize = 200;
/// Longer names are cut when they are quoted.
const QUOTED: usize = 60;

/// What was found so far.
#[derive(Default)]
pub(super) struct Findings {
    found: Vec<(Origin, Diagnostic)>,
    /// The layer that is counted, how many it has, and the worst of what was left out.
    counted: (u32, usize, Option<Severity>),
}

/// What a finding says.
pub(super) struct Finding {
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
}

impl Finding {
    pub fn new(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            hint: None,
        }
    }

    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl Findings {
    pub fn error(&mut self, origin: &Origin, finding: Finding) {
        self.add(Severity::Error, origin, finding);
    }

    pub fn warning(&mut self, origin: &Origin, finding: Finding) {
        self.add(Severity::Warning, origin, finding);
    }

    pub fn add(&mut self, severity: Severity, origin: &Origin, finding: Finding) {
        if self.counted.0 != origin.layer {
            self.close();
            let before = self.found.iter().filter(|(at, _)| at.layer == origin.layer).count();
            self.counted = (origin.layer, before, None);
        }
        let (_, count, worst) = &mut self.counted;
        *count += 1;
        if *count > MAX {
            if *worst != Some(Severity::Error) {
                *worst = Some(severity);
            }
            return;
        }
        self.found.push((origin.clone(), diagnostic(severity, origin, finding)));
    }

    /// The layer has so many findings that more are not worth work.
    pub fn full(&self, layer: u32) -> bool {
        self.counted.0 == layer && self.counted.1 > MAX
    }

    /// How many there are, to come back to with [`Self::demote`].
    pub fn mark(&self) -> usize {
        self.found.len()
    }

    /// Makes warnings of the errors since `mark`, but for keys that stand twice.
    pub fn demote(&mut self, mark: usize) {
        for (_, diagnostic) in self.found.iter_mut().skip(mark) {
            if diagnostic.code != "duplicate-key" && diagnostic.severity == Severity::Error {
                diagnostic.severity = Severity::Warning;
                diagnostic.message.push_str("; the rule is dropped");
            }
        }
    }

    /// In the order of the layers, lines and columns.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        self.close();
        // Few, and nearly in order: an insertion is less code than a sort.
        let mut sorted: Vec<(Origin, Diagnostic)> = Vec::with_capacity(self.found.len());
        for (origin, diagnostic) in self.found {
            let place = |at: &Origin| (at.layer, at.line, at.column);
            let before = sorted.partition_point(|(at, _)| place(at) <= place(&origin));
            sorted.insert(before, (origin, diagnostic));
        }
        sorted.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    fn close(&mut self) {
        let (layer, count, worst) = self.counted;
        let Some(severity) = worst else {
            return;
        };
        self.counted.2 = None;
        let last = self.found.iter().rev().find(|(at, _)| at.layer == layer);
        let origin = last.map(|(at, _)| at.clone()).unwrap_or_default();
        let message = format!("{} more findings are not listed; mend these first", count - MAX);
        let finding = Finding::new("too-many", message);
        self.found
            .push((origin.clone(), diagnostic(severity, &origin, finding)));
    }
}

fn diagnostic(severity: Severity, origin: &Origin, finding: Finding) -> Diagnostic {
    Diagnostic {
        hint: finding.hint,
        ..Diagnostic::at(origin, severity, finding.code, finding.message)
    }
}

/// A name in back-ticks, cut when it is long.
pub(super) fn tick(name: &str) -> String {
    match name.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("`{}…`", name.get(..at).unwrap_or_default()),
        None => format!("`{name}`"),
    }
}
