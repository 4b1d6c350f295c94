//! What a run did, for people and for scripts.

use crate::model::shown::{counted, printable_line};
use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::health::Health;

/// One item that did not end as `ok`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// The file, text unit or community.
    pub item: String,
    /// `repaired`, `partial`, `empty` or `failed`.
    pub outcome: &'static str,
    /// Why, and what to do.
    pub detail: String,
    /// Whether it is of the input, not of a stage.
    pub of_input: bool,
}

/// Calls, tokens and money.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageSummary {
    /// Calls made, retries included.
    pub calls: u64,
    /// Answers taken from the cache.
    pub cached_calls: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub completion_tokens: u64,
    /// Money, when every price is known.
    pub cost: Option<f64>,
    /// Money for the calls of known price.
    pub known_cost: f64,
    /// Models whose calls have no price.
    pub unpriced: Vec<String>,
}

/// A sum of money in words: what is known of it, and which models have no price.
pub fn money<'a>(known: f64, unpriced: impl Iterator<Item = &'a str>) -> String {
    let models: Vec<_> = unpriced.map(printable_line).collect();
    if models.is_empty() {
        return format!("{known:.4}");
    }
    let models = models.join(", ");
    let at_least = if known > 0.0 {
        format!("at least {known:.4}")
    } else {
        "unknown".to_owned()
    };
    format!("{at_least} (no price for {models}; set prices in settings.yaml)")
}

/// The closing summary of an index run; `--json` prints it as it is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunSummary {
    /// `fast` or `standard`.
    pub method: String,
    /// Nothing had changed; nothing was done.
    pub unchanged: bool,
    /// Documents indexed.
    pub documents: u64,
    /// Text units.
    pub text_units: u64,
    /// Entities.
    pub entities: u64,
    /// Relationships.
    pub relationships: u64,
    /// Claims; null when not asked for.
    pub claims: Option<u64>,
    /// Communities at each level, the coarsest first.
    pub communities_by_level: Vec<u64>,
    /// Entities without any relationship.
    pub isolated_entities: u64,
    /// Entities that `prune_graph` left out (`--method fast`).
    pub pruned_entities: u64,
    /// Reports.
    pub reports: u64,
    /// Names a model gave that do not occur in their text unit.
    pub ungrounded: u64,
    /// Relationships of which an end is no entity, or both ends are one.
    pub dropped_relationships: u64,
    /// Null when nothing had changed.
    pub health: Option<Health>,
    /// Null when no model was configured.
    pub usage: Option<UsageSummary>,
    /// Wall seconds of the run.
    pub seconds: f64,
    /// Wall seconds of each stage.
    pub stages: BTreeMap<&'static str, f64>,
    /// Items that ended as `failed`.
    pub failed: u64,
    /// Items that did not end as `ok`, failed ones first.
    pub troubles: Vec<Trouble>,
    /// Remarks that belong to no item.
    pub notes: Vec<String>,
    /// Where the tables are.
    pub output: String,
}

/// Troubles listed on a terminal; `--json` and `stats.json` have all.
const LISTED: usize = 12;

impl RunSummary {
    /// The summary as lines for a terminal.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // invariant: writing to a string cannot fail
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "{text}");
        };
        if self.unchanged {
            line(format_args!(
                "nothing changed: {}, {}, {} in {} are up to date",
                counted(self.documents, "document"),
                counted(self.entities, "entity"),
                counted(self.reports, "report"),
                self.output
            ));
            if self.failed > 0 {
                line(format_args!(
                    "not read       {} of the input, as the run that made the index found; `belvedere status` lists what",
                    counted(self.failed, "item")
                ));
            }
            for note in &self.notes {
                line(format_args!("note           {}", printable_line(note)));
            }
            return out;
        }
        line(format_args!("method         {}", self.method));
        line(format_args!("documents      {}", self.documents));
        line(format_args!("text units     {}", self.text_units));
        let mut beside = Vec::new();
        if self.isolated_entities > 0 {
            beside.push(format!("{} without relationships", self.isolated_entities));
        }
        if self.pruned_entities > 0 {
            beside.push(format!(
                "{} more left out by prune_graph",
                self.pruned_entities
            ));
        }
        let beside = match beside.is_empty() {
            true => String::new(),
            false => format!(" ({})", beside.join("; ")),
        };
        line(format_args!("entities       {}{beside}", self.entities));
        line(format_args!("relationships  {}", self.relationships));
        if let Some(claims) = self.claims {
            line(format_args!("claims         {claims}"));
        }
        let levels: Vec<String> = self
            .communities_by_level
            .iter()
            .map(u64::to_string)
            .collect();
        line(format_args!(
            "communities    {} (by level: {})",
            self.communities_by_level.iter().sum::<u64>(),
            if levels.is_empty() {
                "none".to_owned()
            } else {
                levels.join(", ")
            }
        ));
        line(format_args!("reports        {}", self.reports));
        match &self.usage {
            Some(usage) => {
                line(format_args!(
                    "calls          {} made, {} from the cache",
                    usage.calls, usage.cached_calls
                ));
                line(format_args!(
                    "tokens         {} in, {} out",
                    usage.prompt_tokens, usage.completion_tokens
                ));
                let cost = money(usage.known_cost, usage.unpriced.iter().map(String::as_str));
                line(format_args!("cost           {cost}"));
            }
            None => line(format_args!("calls          none (built in, no model)")),
        }
        line(format_args!("seconds        {:.1}", self.seconds));
        if let Some(health) = &self.health {
            health.write(&mut out);
        }
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "{text}");
        };
        if !self.troubles.is_empty() {
            line(format_args!(
                "not ok         {}, {} failed",
                counted(self.troubles.len(), "item"),
                self.failed
            ));
            for trouble in self.troubles.iter().take(LISTED) {
                line(format_args!(
                    "  {} {}: {}",
                    trouble.outcome,
                    printable_line(&trouble.item),
                    printable_line(&trouble.detail)
                ));
            }
            if self.troubles.len() > LISTED {
                line(format_args!(
                    "  and {} more, all in {}/stats.json",
                    self.troubles.len() - LISTED,
                    self.output
                ));
            }
        }
        for note in &self.notes {
            line(format_args!("note           {}", printable_line(note)));
        }
        line(format_args!("tables         {}", self.output));
        out
    }
}
