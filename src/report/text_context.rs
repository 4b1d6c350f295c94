//! The context of a model's report in the fast method: the community's text units, the best connected first.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::citations::{AllowedIds, DataKind};
use super::rows::{self, Form};
use super::{TextUnits, TokenCounter, csv};
use crate::model::{Community, CommunityIx, Entity, Report, TextUnitIx};

const SOURCES: &str = "-----SOURCES-----\nid,text,entity_degree\n";
const REPORTS: &str = "----Reports-----\ncommunity,full_content\n";

/// Builds text contexts; holds the token cost of every text unit.
pub struct TextContextBuilder<'a> {
    entities: &'a [Entity],
    communities: &'a [Community],
    units: &'a dyn TextUnits,
    count: TokenCounter<'a>,
    unit_costs: Vec<u32>,
    heads: [usize; 2],
}

/// A text context within its budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextContext {
    /// What goes into the prompt.
    pub text: String,
    /// At least the tokens of `text`, never above the budget.
    pub tokens: usize,
    /// What the report may cite.
    pub allowed: AllowedIds,
    /// Text units shown, whole or cut.
    pub units_shown: usize,
    /// Text units that did not fit.
    pub units_left_out: usize,
    /// Sub-communities shown by their report, in the order shown.
    pub reports: Vec<CommunityIx>,
}

impl<'a> TextContextBuilder<'a> {
    /// Counts the tokens of all text units, in parallel.
    pub fn new(
        entities: &'a [Entity],
        communities: &'a [Community],
        units: &'a dyn TextUnits,
        count: TokenCounter<'a>,
    ) -> Self {
        let unit_costs = (0..units.len())
            .into_par_iter()
            .map(|row| {
                let ix = TextUnitIx(row as u32);
                count(&unit_text(ix, &units.text(ix))) as u32
            })
            .collect();
        Self {
            entities,
            communities,
            units,
            count,
            unit_costs,
            heads: [count(REPORTS) + 1, count(SOURCES) + 1],
        }
    }

    /// The context of a community within `budget` tokens. Where its text units do not fit, the finished reports of its children
    /// come first, largest child first, in at most half of the budget. Build again with a smaller budget to shrink it.
    pub fn build(
        &self,
        community: CommunityIx,
        budget: usize,
        reports: &dyn Fn(CommunityIx) -> Option<&'a Report>,
    ) -> TextContext {
        let community = &self.communities[community.at()];
        let units = self.ranked_units(community);
        let mut context = TextContext::default();
        let rows: usize = units
            .iter()
            .map(|&(unit, degree)| {
                self.unit_costs[unit.at()] as usize + (self.count)(&degree_text(degree))
            })
            .sum();
        if rows + self.heads[1] > budget {
            self.show_reports(community, budget / 2, reports, &mut context);
        }
        self.show_units(&units, budget, &mut context);
        context
    }

    /// The community's text units by the sum of its members' degrees in them, descending, then by row.
    fn ranked_units(&self, community: &Community) -> Vec<(TextUnitIx, u32)> {
        let mut degrees = vec![0u32; community.text_units.len()];
        for entity in community.entities.iter().map(|ix| &self.entities[ix.at()]) {
            for unit in &entity.text_units {
                if let Ok(row) = community.text_units.binary_search(unit) {
                    degrees[row] = degrees[row].saturating_add(entity.degree);
                }
            }
        }
        let mut ranked: Vec<(TextUnitIx, u32)> =
            community.text_units.iter().copied().zip(degrees).collect();
        ranked.sort_by_key(|&(unit, degree)| (Reverse(degree), unit));
        ranked
    }

    fn show_reports(
        &self,
        community: &Community,
        budget: usize,
        reports: &dyn Fn(CommunityIx) -> Option<&'a Report>,
        context: &mut TextContext,
    ) {
        let mut children: Vec<&Community> = community
            .children
            .iter()
            .map(|child| &self.communities[child.at()])
            .collect();
        children.sort_by_key(|child| (Reverse(child.entities.len()), child.community));
        for child in children {
            let Some(report) = reports(child.community) else {
                continue;
            };
            for form in [Form::Full, Form::Short] {
                let mut row = String::new();
                rows::report(child.community, report, form, &mut row);
                let head = if context.text.is_empty() {
                    self.heads[0]
                } else {
                    0
                };
                let cost = (self.count)(&row) + head;
                if context.tokens + cost <= budget {
                    if head > 0 {
                        context.text.push_str(REPORTS);
                    }
                    context.text.push_str(&row);
                    context.tokens += cost;
                    context
                        .allowed
                        .allow(DataKind::Reports, [child.community.0]);
                    context
                        .allowed
                        .allow_cited_in(&rows::report_content(report, form));
                    context.reports.push(child.community);
                    break;
                }
            }
        }
    }

    fn show_units(&self, units: &[(TextUnitIx, u32)], budget: usize, context: &mut TextContext) {
        for &(unit, degree) in units {
            let head = if context.units_shown == 0 {
                self.heads[1]
            } else {
                0
            };
            let tail = degree_text(degree);
            let cost = head + self.unit_costs[unit.at()] as usize + (self.count)(&tail);
            let (row, cost) = if context.tokens + cost <= budget {
                (unit_text(unit, &self.units.text(unit)) + &tail, cost)
            } else if context.units_shown == 0 {
                // One unit larger than the budget is better cut than missing.
                match self.cut(unit, &tail, budget.saturating_sub(context.tokens + head)) {
                    Some((row, cost)) => (row, cost + head),
                    None => break,
                }
            } else {
                continue;
            };
            if context.units_shown == 0 {
                if !context.text.is_empty() {
                    context.text.push('\n');
                }
                context.text.push_str(SOURCES);
            }
            context.text.push_str(&row);
            context.tokens += cost;
            context.units_shown += 1;
            context.allowed.allow(DataKind::Sources, [unit.0]);
        }
        context.units_left_out = units.len() - context.units_shown;
    }

    /// The longest beginning of a unit's text, to a word, whose row costs at most `budget`.
    fn cut(&self, unit: TextUnitIx, tail: &str, budget: usize) -> Option<(String, usize)> {
        let text = self.units.text(unit);
        let (mut low, mut high) = (0, text.len());
        let mut best = None;
        while low < high {
            let middle = text.floor_char_boundary(low + (high - low).div_ceil(2));
            if middle <= low {
                break;
            }
            let end = text[..middle]
                .rfind(char::is_whitespace)
                .filter(|&end| end > low)
                .unwrap_or(middle);
            let row = unit_text(unit, &text[..end]) + tail;
            let cost = (self.count)(&row);
            if cost <= budget {
                low = middle;
                best = Some((row, cost));
            } else {
                high = middle - 1;
            }
        }
        best
    }
}

fn unit_text(unit: TextUnitIx, text: &str) -> String {
    let mut row = String::with_capacity(text.len() + 16);
    csv::number(unit.0, &mut row);
    row.push(',');
    csv::field(text, &mut row);
    row
}

fn degree_text(degree: u32) -> String {
    let mut tail = String::from(",");
    csv::number(degree, &mut tail);
    tail.push('\n');
    tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ReportSource;
    use crate::report::fixture::{Units, community, edge, entity, finish};

    fn words(text: &str) -> usize {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .count()
    }

    fn corpus() -> (Vec<Entity>, Vec<Community>, Units) {
        let mut entities = vec![
            entity("A", &[0, 1]),
            entity("B", &[0, 2]),
            entity("C", &[1]),
        ];
        let mut edges = vec![edge(0, 1, "", &[0, 2]), edge(0, 2, "", &[1])];
        finish(&mut entities, &mut edges);
        let communities = vec![
            community(0, 0, None, &[1], &[0, 1, 2], &entities, &edges),
            community(1, 1, Some(0), &[], &[0, 1], &entities, &edges),
        ];
        let units = Units(vec![
            (0, "first unit, with A and B".into()),
            (0, "second with A and C".into()),
            (1, "third with B".into()),
        ]);
        (entities, communities, units)
    }

    #[test]
    fn units_come_by_degree_and_unit_zero_is_kept() {
        let (entities, communities, units) = corpus();
        let builder = TextContextBuilder::new(&entities, &communities, &units, &words);
        let context = builder.build(CommunityIx(0), 1000, &|_| None);
        // A has degree 2, B and C 1: units 0 and 1 sum to 3, unit 2 to 1.
        assert_eq!(
            context.text,
            "-----SOURCES-----\nid,text,entity_degree\n0,\"first unit, with A and B\",3\n1,second with A and C,3\n2,third with B,1\n"
        );
        assert_eq!(context.allowed.ids(DataKind::Sources), [0, 1, 2]);
    }

    #[test]
    fn the_budget_holds_and_children_reports_stand_in() {
        let (entities, communities, units) = corpus();
        let builder = TextContextBuilder::new(&entities, &communities, &units, &words);
        let report = Report {
            community: CommunityIx(1),
            title: "T".into(),
            summary: "S [Data: Entities (1)]".into(),
            findings: Vec::new(),
            rank: 1.0,
            rating_explanation: String::new(),
            source: ReportSource::Extractive,
        };
        for budget in 0..60 {
            let context =
                builder.build(CommunityIx(0), budget, &|ix| (ix.0 == 1).then_some(&report));
            assert!(
                words(&context.text) <= context.tokens && context.tokens <= budget,
                "{budget}: {context:?}"
            );
            assert_eq!(context.units_shown + context.units_left_out, 3);
        }
        let context = builder.build(CommunityIx(0), 25, &|ix| (ix.0 == 1).then_some(&report));
        assert_eq!(context.reports, [CommunityIx(1)]);
        assert!(
            context
                .text
                .starts_with("----Reports-----\ncommunity,full_content\n1,"),
            "{}",
            context.text
        );
        assert!(context.allowed.contains(DataKind::Entities, 1));
        assert!(context.units_shown > 0);
    }

    #[test]
    fn a_unit_larger_than_the_budget_is_cut_at_a_word() {
        let (entities, communities, _) = corpus();
        let units = Units((0..3).map(|_| (0, "wörd ".repeat(500))).collect());
        let builder = TextContextBuilder::new(&entities, &communities, &units, &words);
        let context = builder.build(CommunityIx(0), 40, &|_| None);
        assert_eq!((context.units_shown, context.units_left_out), (1, 2));
        assert!(
            (30..=40).contains(&words(&context.text)),
            "{}",
            context.text
        );
    }
}
