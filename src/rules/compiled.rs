//! A policy, compiled: immutable, for one environment.

use super::chain::Capability;
use super::decision::Judged;
use super::model::{Book, Diagnostic, Environment, Example, List, Mode, NameSpec, RuleSpec, Severity, Traits};
use super::permit::cover;
use super::restrict::hit;
use super::ruleset::RuleSet;
use super::selector::{Side, ToolName};
use super::shell;
use super::subject::{Reader, RealPaths, Subject};
use crate::json;
use crate::named::Named;
use crate::tier::Tier;

/// What is declared of a tool outside of the document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// Changes nothing; absent: not said.
    pub read_only: Option<bool>,
    /// Asks in every mode.
    pub always_ask: bool,
    /// Is itself a question to the person.
    pub requires_user_interaction: bool,
}

json::object!(closed Declared {
    read_only,
    always_ask = false,
    requires_user_interaction = false,
});

/// Rules and words that judge calls.
#[derive(Debug)]
pub struct Policy {
    pub(super) deny: RuleSet,
    pub(super) ask: RuleSet,
    pub(super) allow: RuleSet,
    allowed: Vec<NameSpec>,
    disallowed: Vec<NameSpec>,
    tiers: Named<Tier>,
    default_tier: Option<Tier>,
    mode: Option<Mode>,
    tools: Named<Traits>,
    pub(super) families: Named<Vec<String>>,
    pub(super) environment: Environment,
    pub(super) limits: shell::Limits,
    /// The limit of the arguments' text in bytes, where the document says it.
    pub arguments_bytes: Option<usize>,
}

impl Policy {
    /// Compiles the merged layers.
    ///
    /// # Errors
    /// A diagnostic for each content that can't be used as it says, and for each example that does not hold.
    pub fn compile(book: Book, environment: &Environment) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let mut list = |list: List, side: Side| {
            let rules = book.rules.iter().filter(|rule| rule.list == list).cloned().collect();
            let (set, found) = RuleSet::compile(side, rules, &book.families, environment);
            diagnostics.extend(found);
            set
        };
        let (deny, ask) = (list(List::Deny, Side::Restrict), list(List::Ask, Side::Restrict));
        let allow = list(List::Allow, Side::Permit);
        let mut limits = shell::Limits::default();
        if let Some(bytes) = book.command_bytes {
            limits.bytes = bytes;
        }
        let policy = Self {
            deny,
            ask,
            allow,
            allowed: book.allowed_tools,
            disallowed: book.disallowed_tools,
            tiers: book.tiers,
            default_tier: book.default_tier,
            mode: book.mode,
            tools: book.tools,
            families: book.families,
            environment: environment.clone(),
            limits,
            arguments_bytes: book.arguments_bytes,
        };
        if diagnostics.is_empty() {
            let sets = [&policy.deny, &policy.ask, &policy.allow];
            let rules = sets.into_iter().flat_map(RuleSet::rules);
            diagnostics.extend(rules.flat_map(|rule| policy.check_examples(rule)));
        }
        if diagnostics.is_empty() {
            Ok(policy)
        } else {
            Err(diagnostics)
        }
    }

    fn check_examples(&self, rule: &RuleSpec) -> Vec<Diagnostic> {
        if rule.examples.is_empty() {
            return Vec::new();
        }
        let side = match rule.list {
            List::Deny | List::Ask => Side::Restrict,
            List::Allow => Side::Permit,
        };
        // Alone: another rule must not make an example hold.
        let (set, _) = RuleSet::compile(side, vec![rule.clone()], &self.families, &self.environment);
        let wrong = rule
            .examples
            .iter()
            .filter(|example| self.matches(&set, rule, side, example) != example.matches);
        wrong.map(|example| example_failed(rule, example)).collect()
    }

    /// Whether a rule, alone in its set, matches an example.
    fn matches(&self, set: &RuleSet, rule: &RuleSpec, side: Side, example: &Example) -> bool {
        let name = ToolName {
            server: rule.server.clone(),
            tool: rule.tool.clone(),
        };
        let judged = Judged {
            name: &name,
            input: &example.input,
        };
        let (subjects, groups, looked) = (self.subjects(judged, None), set.every_group(), &mut 0);
        match side {
            Side::Restrict => hit(set, &groups, &subjects, self.environment.platform, looked).is_some(),
            Side::Permit => set.any(&groups).is_some() || cover(set, &groups, &subjects, looked).allows,
        }
    }

    /// What reads the subjects of calls; `real`: what the resolver said.
    pub(super) fn reader<'a>(&'a self, real: Option<&'a RealPaths>) -> Reader<'a> {
        Reader {
            environment: &self.environment,
            real,
            limits: &self.limits,
        }
    }

    /// The subjects of a call.
    pub(super) fn subjects(&self, judged: Judged<'_>, real: Option<&RealPaths>) -> Vec<Subject> {
        self.reader(real).subjects(judged.input, &self.traits(judged.name))
    }

    /// No rule and no tier is in it: everything falls to the last row.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        let sets = [&self.deny, &self.ask, &self.allow];
        sets.iter().any(|set| !set.rules().is_empty()) || !self.allowed.is_empty() || !self.disallowed.is_empty()
    }

    /// The tier the document gives exactly this tool.
    #[must_use]
    pub fn tier(&self, name: &ToolName) -> Option<Tier> {
        self.tiers.get(&name.key()).copied()
    }

    /// The tier of a server's tool by its bare name, which can only tighten it.
    #[must_use]
    pub fn bare_tier(&self, name: &ToolName) -> Option<Tier> {
        name.server.as_ref().and_then(|_| self.tiers.get(&name.tool).copied())
    }

    /// The tier of tools the document does not list.
    #[must_use]
    pub fn default_tier(&self) -> Option<Tier> {
        self.default_tier
    }

    /// What the document declares of a tool.
    #[must_use]
    pub fn traits(&self, name: &ToolName) -> Traits {
        self.tools.get(&name.key()).cloned().unwrap_or_default()
    }

    /// Document and host together, the stricter of each.
    #[must_use]
    pub fn capability(&self, name: &ToolName, declared: Declared) -> Capability {
        let traits = self.traits(name);
        let said = [traits.read_only, declared.read_only];
        Capability {
            read_only: said.contains(&Some(true)) && !said.contains(&Some(false)),
            always_ask: traits.always_ask || declared.always_ask,
            requires_user_interaction: traits.requires_user_interaction || declared.requires_user_interaction,
        }
    }

    /// The document's mode and the call's, the stricter one.
    #[must_use]
    pub fn mode(&self, of_call: Option<Mode>) -> Mode {
        self.mode.max(of_call).unwrap_or_default()
    }

    /// The entry of `disallowedTools` for a tool; a bare name is for every server's.
    #[must_use]
    pub fn disallowed(&self, name: &ToolName) -> Option<&NameSpec> {
        let readings = name.readings();
        let serves = |entry: &NameSpec, (server, tool): &(Option<String>, String)| {
            entry.tool == *tool && (entry.server.is_none() || entry.server == *server)
        };
        self.disallowed
            .iter()
            .find(|entry| readings.iter().any(|reading| serves(entry, reading)))
    }

    /// The entry of `allowedTools` for a tool; a bare name is for the host's own.
    #[must_use]
    pub fn allowed(&self, name: &ToolName) -> Option<&NameSpec> {
        self.allowed
            .iter()
            .find(|entry| entry.tool == name.tool && entry.server == name.server)
    }
}

fn example_failed(rule: &RuleSpec, example: &Example) -> Diagnostic {
    let (should, hint) = if example.matches {
        (
            "does not match its example",
            "widen the rule, or move the example to `notMatch`",
        )
    } else {
        (
            "matches what it must not",
            "narrow the rule, or move the example to `match`",
        )
    };
    let message = format!("the rule `{}` {should}", rule.written);
    Diagnostic {
        hint: Some(hint.into()),
        ..Diagnostic::at(&example.origin, Severity::Error, "example-failed", message)
    }
}
