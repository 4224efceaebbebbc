//! One list of rules, compiled.

use std::collections::{BTreeMap, BTreeSet};

use super::command_form;
use super::host::{self, UrlPattern};
use super::index::{Blanks, Builder, Index};
use super::model::{ContentKind, Diagnostic, Environment, Platform, RuleSpec, Severity};
use super::path;
use super::pattern::{self, Content};
use super::selector::{Selectors, Side, ToolName};

/// The group, and the host where the pattern pins it.
type UrlKey = (u32, Option<String>);

/// Rules that all forbid or ask, or all let run.
#[derive(Debug)]
pub struct RuleSet {
    side: Side,
    rules: Vec<RuleSpec>,
    selectors: Selectors,
    any: BTreeMap<u32, u32>,
    with_content: BTreeSet<u32>,
    text: Index,
    command: Index,
    folded: Index,
    path: Index,
    domains: BTreeMap<(u32, bool, String), u32>,
    urls: BTreeMap<UrlKey, Vec<(UrlPattern, u32)>>,
}

/// The groups of rules that are for one call's tool.
#[derive(Debug, Clone, Default)]
pub struct Groups(Vec<u32>);

#[derive(Default)]
struct Builders {
    text: Builder,
    command: Builder,
    folded: Builder,
    path: Builder,
}

impl RuleSet {
    /// Compiles `rules`; one whose content can't be used as it says is left out, with a diagnostic.
    #[must_use]
    pub fn compile(
        side: Side,
        rules: Vec<RuleSpec>,
        families: &BTreeMap<String, Vec<String>>,
        environment: &Environment,
    ) -> (Self, Vec<Diagnostic>) {
        let mut set = Self {
            side,
            rules: Vec::with_capacity(rules.len()),
            selectors: Selectors::default(),
            any: BTreeMap::new(),
            with_content: BTreeSet::new(),
            text: Builder::new().build(),
            command: Builder::new().build(),
            folded: Builder::new().build(),
            path: Builder::new().build(),
            domains: BTreeMap::new(),
            urls: BTreeMap::new(),
        };
        let (mut builders, mut diagnostics) = (Builders::default(), Vec::new());
        for rule in rules {
            let id = u32::try_from(set.rules.len()).unwrap_or(u32::MAX);
            let group = set.selectors.add(&rule.tool, rule.server.as_deref(), families);
            if let Err(problem) = set.add(&mut builders, &rule, (group, id), environment) {
                diagnostics.push(diagnostic(&rule, &problem));
            }
            set.rules.push(rule);
        }
        set.text = builders.text.build();
        set.command = builders.command.build();
        set.folded = builders.folded.build();
        set.path = builders.path.build();
        (set, diagnostics)
    }

    fn add(
        &mut self,
        to: &mut Builders,
        rule: &RuleSpec,
        (group, id): (u32, u32),
        environment: &Environment,
    ) -> Result<(), String> {
        let content = pattern::parse(&rule.content).map_err(|error| error.message)?;
        if content == Content::Any {
            self.any.entry(group).or_insert(id);
            return Ok(());
        }
        if let Content::Domain { host, subdomains } = &content {
            self.with_content.insert(group);
            self.domains.entry((group, *subdomains, host.clone())).or_insert(id);
            return Ok(());
        }
        let form = pattern::kind_of(&rule.content);
        let is = |kind: ContentKind| rule.kind.map_or(form == kind, |said| said == kind);
        if is(ContentKind::Url) {
            let url = host::pattern(&rule.content)?;
            let key = (group, url.host().map(str::to_owned));
            self.urls.entry(key).or_default().push((url, id));
        }
        self.with_content.insert(group);
        // What is forbidden is also looked for as it is written, whatever it looks like.
        let as_text = rule.kind.is_none_or(|kind| kind == ContentKind::Text)
            && (form != ContentKind::Url || self.side == Side::Restrict);
        if as_text {
            to.text.add(group, &content, id);
            if let Some(command) = command_form::pattern(&content) {
                to.folded.add(group, &folded(&command), id);
                to.command.add(group, &command, id);
            }
        }
        if is(ContentKind::Path) || (rule.kind.is_none() && form == ContentKind::Text) {
            let absolute = path::pattern(&rule.content, environment);
            let fold = self.side == Side::Restrict && environment.platform == Platform::Windows;
            let absolute = if fold { path::fold(&absolute) } else { absolute };
            to.path
                .add(group, &pattern::parse(&absolute).map_err(|error| error.message)?, id);
        }
        Ok(())
    }

    /// The groups for a tool.
    #[must_use]
    pub fn groups(&self, name: &ToolName) -> Groups {
        Groups(self.selectors.covering(name, self.side))
    }

    /// The groups for what a command writes.
    #[must_use]
    pub fn write_groups(&self) -> Groups {
        Groups(self.selectors.writes(self.side))
    }

    /// Every group of the set.
    #[must_use]
    pub fn every_group(&self) -> Groups {
        Groups(self.any.keys().chain(&self.with_content).copied().collect())
    }

    /// The rule without a content, if one is among them.
    #[must_use]
    pub fn any(&self, groups: &Groups) -> Option<u32> {
        groups.0.iter().filter_map(|group| self.any.get(group).copied()).min()
    }

    /// A rule with a content is among them.
    #[must_use]
    pub fn has_content(&self, groups: &Groups) -> bool {
        groups.0.iter().any(|group| self.with_content.contains(group))
    }

    /// The rule for this text as it is.
    pub fn text(&self, groups: &Groups, text: &str, looked: &mut u64) -> Option<u32> {
        self.text.best(&groups.0, text, Blanks::Any, looked)
    }

    /// The rule whose content is exactly this text.
    pub fn exact(&self, groups: &Groups, text: &str, looked: &mut u64) -> Option<u32> {
        let rule = self.text(groups, text, looked)?;
        let is_exact = |rule: &RuleSpec| matches!(pattern::parse(&rule.content), Ok(Content::Exact(_)));
        self.rule(rule).filter(|rule| is_exact(rule)).map(|_| rule)
    }

    /// The rule for a command in one of its forms.
    pub fn command(&self, groups: &Groups, form: &str, looked: &mut u64) -> Option<u32> {
        self.command.best(&groups.0, form, Blanks::One, looked)
    }

    /// The same, without case: for shells that have none. `form` is in lower case.
    pub fn command_folded(&self, groups: &Groups, form: &str, looked: &mut u64) -> Option<u32> {
        self.folded.best(&groups.0, form, Blanks::One, looked)
    }

    /// The rule for a clean path; folded where this list folds.
    pub fn path(&self, groups: &Groups, path: &str, looked: &mut u64) -> Option<u32> {
        self.path.best(&groups.0, path, Blanks::Any, looked)
    }

    /// The `domain:` rule for a host.
    pub fn domain(&self, groups: &Groups, host: &str, looked: &mut u64) -> Option<u32> {
        let mut probe = |subdomains: bool, host: &str| {
            let hits = groups
                .0
                .iter()
                .filter_map(|group| self.domains.get(&(*group, subdomains, host.to_owned())));
            let hit = hits.min().copied();
            *looked += u64::from(hit.is_some());
            hit
        };
        probe(false, host).or_else(|| {
            let parents = host
                .match_indices('.')
                .take(128)
                .filter_map(|(dot, _)| host.get(dot + 1..));
            // An address has no parents.
            let address = host::is_address(host);
            parents.filter(|_| !address).find_map(|parent| probe(true, parent))
        })
    }

    /// The `scheme://` rule for a URL.
    pub fn url(&self, groups: &Groups, url: &host::Url, looked: &mut u64) -> Option<u32> {
        self.url_rule(groups, &url.host, looked, |pattern| pattern.matches(url))
    }

    /// The `scheme://` rule for a text that some parser reads as a URL of this host.
    pub fn url_concerns(&self, groups: &Groups, host: &str, text: &str, looked: &mut u64) -> Option<u32> {
        self.url_rule(groups, host, looked, |pattern| pattern.concerns(text))
    }

    fn url_rule(
        &self,
        groups: &Groups,
        host: &str,
        looked: &mut u64,
        fits: impl Fn(&UrlPattern) -> bool,
    ) -> Option<u32> {
        let host = Some(host.to_owned());
        let keys = groups
            .0
            .iter()
            .flat_map(|group| [(*group, host.clone()), (*group, None)]);
        let mut candidates = keys.filter_map(|key| self.urls.get(&key)).flatten();
        let found = candidates.find(|(pattern, _)| {
            *looked += 1;
            fits(pattern)
        });
        found.map(|(_, rule)| *rule)
    }

    /// A rule by its number.
    #[must_use]
    pub fn rule(&self, id: u32) -> Option<&RuleSpec> {
        self.rules.get(usize::try_from(id).ok()?)
    }

    /// Every rule.
    #[must_use]
    pub fn rules(&self) -> &[RuleSpec] {
        &self.rules
    }
}

/// Only what is plain ASCII has two cases in the shells that fold.
fn folded(content: &Content) -> Content {
    match content {
        Content::Exact(text) => Content::Exact(text.to_ascii_lowercase()),
        Content::Prefix(text) => Content::Prefix(text.to_ascii_lowercase()),
        Content::Wild(wild) => Content::Wild(wild.to_ascii_lowercase()),
        Content::Any | Content::Domain { .. } => content.clone(),
    }
}

fn diagnostic(rule: &RuleSpec, problem: &str) -> Diagnostic {
    let message = format!("the rule `{}` can't be used: {problem}", rule.written);
    Diagnostic::at(&rule.origin, Severity::Error, "bad-content", message)
}
