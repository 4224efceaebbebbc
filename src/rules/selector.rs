//! Which rules are for a tool: names, servers, families.

use super::pattern::{Content, Wild, parse};
use super::spelling;
use crate::named::{Named, Names};
use crate::sort;

/// The family of file-writing tools whose rules also stand for a command's redirects.
const FILES: &str = "@files";

/// A tool as a call names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName {
    /// The MCP server; absent: the host's own.
    pub server: Option<String>,
    /// The tool's name on its server.
    pub tool: String,
}

impl ToolName {
    /// The name of a call. A joined `mcp__server__tool` is read as the two parts where there is only one way to.
    #[must_use]
    pub fn of(server: Option<&str>, tool: &str) -> Self {
        let (server, tool) = match (server, joined(tool).as_slice()) {
            (Some(server), _) => (Some(server.to_owned()), tool.to_owned()),
            (None, [(server, tool)]) => (Some(server.clone()), tool.clone()),
            (None, _) => (None, tool.to_owned()),
        };
        Self { server, tool }
    }

    /// The key of `tools` and `tiers`: `server/tool`, or the name of the host's own tool.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}/{}", self.tool),
            None => self.tool.clone(),
        }
    }

    /// Every reading of the name, for what forbids or asks: as it is, joined, and each way to split a joined one.
    #[must_use]
    pub fn readings(&self) -> Vec<(Option<String>, String)> {
        let mut readings = vec![(self.server.clone(), self.tool.clone())];
        match &self.server {
            Some(server) => readings.push((None, format!("mcp__{server}__{}", self.tool))),
            None => readings.extend(
                joined(&self.tool)
                    .into_iter()
                    .map(|(server, tool)| (Some(server), tool)),
            ),
        }
        readings
    }

    /// Joined, and in more than one way: no allow is for it.
    fn ambiguous(&self) -> bool {
        self.server.is_none() && self.tool.starts_with("mcp__")
    }
}

/// The ways to split a joined name, none for a plain one.
fn joined(name: &str) -> Vec<(String, String)> {
    let Some(rest) = name.strip_prefix("mcp__") else {
        return Vec::new();
    };
    let splits = rest.match_indices('_').filter_map(|(at, _)| {
        let (server, tool) = (rest.get(..at)?, rest.get(at..)?.strip_prefix("__")?);
        (!server.is_empty() && !tool.is_empty()).then(|| (server.to_owned(), tool.to_owned()))
    });
    splits.collect()
}

/// What a set of rules is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Forbids or asks: any match counts, in doubt it matches.
    Restrict,
    /// Lets run: everything must match, in doubt it does not.
    Permit,
}

/// The rules' tools, as groups: one for each distinct (tool, server).
#[derive(Debug, Clone, Default)]
pub struct Selectors {
    // INVARIANT: a group is the number of its name.
    groups: Names,
    exact: Named<Vec<(Option<String>, u32)>>,
    wild: Named<Vec<(Wild, Option<String>, u32)>>,
    files: Vec<u32>,
}

impl Selectors {
    /// The group of a rule's tool.
    pub fn add(&mut self, tool: &str, server: Option<&str>, families: &Named<Vec<String>>) -> u32 {
        let before = self.groups.len();
        let number = self.groups.number(key(tool, server));
        let group = u32::try_from(number).unwrap_or(u32::MAX);
        if number < before {
            return group;
        }
        if tool == FILES {
            self.files.push(group);
        }
        match tool.strip_prefix('@').map(|family| families.get(family)) {
            Some(members) => {
                for member in members.into_iter().flatten() {
                    let (member_server, member) = spelling::name(member);
                    self.name(&member, member_server.or_else(|| server.map(str::to_owned)), group);
                }
            }
            None => self.name(tool, server.map(str::to_owned), group),
        }
        group
    }

    fn name(&mut self, tool: &str, server: Option<String>, group: u32) {
        match parse(tool) {
            Ok(Content::Wild(wild)) => {
                let prefix = tool.split('*').next().unwrap_or_default().to_owned();
                self.wild.change(prefix, |list| list.push((wild, server, group)));
            }
            Ok(Content::Exact(name)) => self.exact.change(name, |list| list.push((server, group))),
            _ => self.exact.change(tool.to_owned(), |list| list.push((server, group))),
        }
        // The one built-in case, in one direction.
        if tool == "Edit" {
            self.exact.change("Write".into(), |list| list.push((None, group)));
        }
    }

    /// The groups that cover a tool.
    #[must_use]
    pub fn covering(&self, name: &ToolName, side: Side) -> Vec<u32> {
        let mut found = Vec::new();
        match side {
            Side::Permit if name.ambiguous() => {}
            Side::Permit => self.collect(name.server.as_deref(), &name.tool, side, &mut found),
            Side::Restrict => {
                for (server, tool) in name.readings() {
                    self.collect(server.as_deref(), &tool, side, &mut found);
                }
            }
        }
        sort::set(&mut found);
        found
    }

    /// The groups that cover what a command writes: rules for `Write` and for the family `@files`.
    #[must_use]
    pub fn writes(&self, side: Side) -> Vec<u32> {
        let mut found = self.files.clone();
        self.collect(None, "Write", side, &mut found);
        sort::set(&mut found);
        found
    }

    fn collect(&self, server: Option<&str>, tool: &str, side: Side, found: &mut Vec<u32>) {
        let serves = |wanted: &Option<String>| match (wanted.as_deref(), server) {
            (None, None) => true,
            (None, Some(_)) => side == Side::Restrict,
            (Some(_), None) => false,
            (Some(wanted), Some(server)) => wanted == server || wanted == "*",
        };
        let exact = self.exact.get(tool).into_iter().flatten();
        found.extend(exact.filter(|(wanted, _)| serves(wanted)).map(|(_, group)| *group));
        // INVARIANT: a wildcard stands under the text before its first star, so every one that can match is probed.
        let ends = tool.char_indices().map(|(at, _)| at).chain([tool.len()]);
        for prefix in ends.filter_map(|end| tool.get(..end)) {
            let wild = self.wild.get(prefix).into_iter().flatten();
            let fits = wild.filter(|(wild, wanted, _)| serves(wanted) && wild.matches(tool));
            found.extend(fits.map(|(_, _, group)| *group));
        }
    }
}

/// One text for a tool and its server, as no two of them share it.
fn key(tool: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => format!("{}:{server}{tool}", server.len()),
        None => format!(":{tool}"),
    }
}
