//! One list of rules, compiled.

use super::command_form;
use super::host::{self, UrlPattern};
use super::index::{Blanks, Builder, Index};
use super::model::{ContentKind, Diagnostic, Environment, Platform, RuleSpec, Severity};
use super::path;
use super::pattern::{self, Content};
use super::selector::{Selectors, Side, ToolName};
use crate::named::Named;
use crate::sort;

/// Rules that all forbid or ask, or all let run.
#[derive(Debug)]
pub struct RuleSet {
    side: Side,
    rules: Vec<RuleSpec>,
    selectors: Selectors,
    // INVARIANT: ascending.
    /// Groups and their rules without a content.
    any: Vec<(u32, u32)>,
    // INVARIANT: ascending.
    /// Groups that have rules with a content.
    with_content: Vec<u32>,
    text: Index,
    command: Index,
    folded: Index,
    path: Index,
    /// Hosts of `domain:` rules.
    hosts: Index,
    /// Hosts whose subdomains those rules are for.
    parents: Index,
    /// By [`url_key`].
    urls: Named<Vec<(UrlPattern, u32)>>,
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
    hosts: Builder,
    parents: Builder,
}

impl RuleSet {
    /// Compiles `rules`; one whose content can't be used as it says is left out, with a diagnostic.
    #[must_use]
    pub fn compile(
        side: Side,
        rules: Vec<RuleSpec>,
        families: &Named<Vec<String>>,
        environment: &Environment,
    ) -> (Self, Vec<Diagnostic>) {
        let mut set = Self {
            side,
            rules: Vec::with_capacity(rules.len()),
            selectors: Selectors::default(),
            any: Vec::new(),
            with_content: Vec::new(),
            text: Builder::new().build(),
            command: Builder::new().build(),
            folded: Builder::new().build(),
            path: Builder::new().build(),
            hosts: Builder::new().build(),
            parents: Builder::new().build(),
            urls: Named::new(),
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
        sort::set(&mut set.any);
        sort::set(&mut set.with_content);
        set.text = builders.text.build();
        set.command = builders.command.build();
        set.folded = builders.folded.build();
        set.path = builders.path.build();
        set.hosts = builders.hosts.build();
        set.parents = builders.parents.build();
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
            self.any.push((group, id));
            return Ok(());
        }
        if let Content::Domain { host, subdomains } = &content {
            self.with_content.push(group);
            let hosts = if *subdomains { &mut to.parents } else { &mut to.hosts };
            hosts.add(group, &Content::Exact(host.clone()), id);
            return Ok(());
        }
        let form = pattern::kind_of(&rule.content);
        let is = |kind: ContentKind| rule.kind.map_or(form == kind, |said| said == kind);
        if is(ContentKind::Url) {
            let url = host::pattern(&rule.content)?;
            let key = url_key(group, url.host());
            self.urls.change(key, |urls| urls.push((url, id)));
        }
        self.with_content.push(group);
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
            if fold && form == ContentKind::Path && path::escapes_star(&rule.content) {
                return Err("`\\*` is a star itself, which no Windows path has: write `/*` for any file below".into());
            }
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
        let mut groups = self.with_content.clone();
        groups.extend(self.any.iter().map(|(group, _)| *group));
        sort::set(&mut groups);
        Groups(groups)
    }

    /// The rule without a content, if one is among them.
    #[must_use]
    pub fn any(&self, groups: &Groups) -> Option<u32> {
        let first = |group: &u32| {
            let at = self.any.partition_point(|(known, _)| known < group);
            self.any.get(at).filter(|(known, _)| known == group)
        };
        groups.0.iter().filter_map(first).map(|(_, rule)| *rule).min()
    }

    /// A rule with a content is among them.
    #[must_use]
    pub fn has_content(&self, groups: &Groups) -> bool {
        groups
            .0
            .iter()
            .any(|group| self.with_content.binary_search(group).is_ok())
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
        let mut probe = |hosts: &Index, host: &str| hosts.best(&groups.0, host, Blanks::Any, looked);
        probe(&self.hosts, host).or_else(|| {
            let parents = host
                .match_indices('.')
                .take(128)
                .filter_map(|(dot, _)| host.get(dot + 1..));
            // An address has no parents.
            let address = host::is_address(host);
            parents
                .filter(|_| !address)
                .find_map(|parent| probe(&self.parents, parent))
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
        for group in &groups.0 {
            for key in [url_key(*group, Some(host)), url_key(*group, None)] {
                for (pattern, rule) in self.urls.get(&key).into_iter().flatten() {
                    *looked += 1;
                    if fits(pattern) {
                        return Some(*rule);
                    }
                }
            }
        }
        None
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

/// The group, and the host where the pattern pins it.
fn url_key(group: u32, host: Option<&str>) -> String {
    match host {
        Some(host) => format!("{group} {host}"),
        None => group.to_string(),
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
