//! The context of a model's report on a community: all its edges, or sub-reports in place of what does not fit.
//!
//! After Edge et al. 2024, section 3.1.5: local edges by prominence; where they exceed the budget, sub-communities are
//! replaced by their shorter reports until it fits. Here the deepest and largest go first, so most detail is kept.

use std::cmp::Reverse;

use super::TokenCounter;
use super::citations::{AllowedIds, DataKind};
use super::rows::{self, Costs, Form, Graph, Section};
use crate::model::{Community, CommunityIx, EntityIx, RelationshipIx, Report};

/// Builds contexts; holds the token cost of every row, so that no row is tokenised twice.
pub struct ContextBuilder<'a> {
    graph: Graph<'a>,
    count: TokenCounter<'a>,
    costs: Costs,
    claim_offsets: Vec<u32>,
    claim_rows: Vec<u32>,
}

/// A context within its budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// What goes into the prompt.
    pub text: String,
    /// At least the tokens of `text`, never above the budget.
    pub tokens: usize,
    /// What the report may cite.
    pub allowed: AllowedIds,
    /// What is shown and what is not.
    pub figures: ContextFigures,
}

/// How a context represents its community.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextFigures {
    /// Edges of the community that have a row.
    pub edges_shown: usize,
    /// Of those, without their description.
    pub edges_bare: usize,
    /// Edges inside a sub-community whose report is shown.
    pub edges_in_reports: usize,
    /// Edges that are not represented at all.
    pub edges_left_out: usize,
    /// Entity rows.
    pub entities_shown: usize,
    /// Claim rows.
    pub claims_shown: usize,
    /// Claims on shown entities that did not fit.
    pub claims_left_out: usize,
    /// Sub-communities shown by their report, in the order shown.
    pub reports: Vec<CommunityIx>,
}

impl<'a> ContextBuilder<'a> {
    /// Counts the tokens of all rows, in parallel.
    ///
    /// The sum of row costs bounds the cost of the text for any counter by which a text split at line ends costs no less than
    /// the whole, as byte-pair encodings do.
    pub fn new(graph: Graph<'a>, count: TokenCounter<'a>) -> Self {
        let (claim_offsets, claim_rows) = graph.claims_by_subject();
        Self {
            costs: Costs::new(&graph, count),
            graph,
            count,
            claim_offsets,
            claim_rows,
        }
    }

    /// Prepares a community; `reports` gives the finished reports of its descendants. Call [`LocalContext::fit`] with the
    /// budget, and again with a smaller one when the model's context turns out shorter.
    pub fn local<'b>(
        &'b self,
        community: CommunityIx,
        reports: &dyn Fn(CommunityIx) -> Option<&'b Report>,
    ) -> LocalContext<'a, 'b> {
        let community: &'b Community = &self.graph.communities[community.at()];
        let mut descendants: Vec<Descendant<'b>> = Vec::new();
        let mut open: Vec<(CommunityIx, Option<usize>)> = community
            .children
            .iter()
            .map(|&child| (child, None))
            .collect();
        while let Some((ix, mut above)) = open.pop() {
            let child = &self.graph.communities[ix.at()];
            if let Some(report) = reports(ix) {
                descendants.push(Descendant {
                    community: child,
                    report,
                    above,
                });
                above = Some(descendants.len() - 1);
            }
            open.extend(child.children.iter().map(|&below| (below, above)));
        }
        let mut ranked = community.relationships.clone();
        ranked.sort_by_key(|ix| {
            (
                Reverse(self.graph.relationships[ix.at()].combined_degree),
                *ix,
            )
        });
        LocalContext {
            builder: self,
            community,
            descendants,
            ranked,
        }
    }

    fn claims(&self, entity: EntityIx) -> &[u32] {
        &self.claim_rows
            [self.claim_offsets[entity.at()] as usize..self.claim_offsets[entity.at() + 1] as usize]
    }

    fn cost(&self, write: impl FnOnce(&mut String)) -> u32 {
        let mut row = String::new();
        write(&mut row);
        (self.count)(&row) as u32
    }
}

/// A community prepared for any budget.
pub struct LocalContext<'a, 'b> {
    builder: &'b ContextBuilder<'a>,
    community: &'b Community,
    descendants: Vec<Descendant<'b>>,
    /// By combined degree descending, then row.
    ranked: Vec<RelationshipIx>,
}

/// A community below the one at hand whose report is finished.
struct Descendant<'b> {
    community: &'b Community,
    report: &'b Report,
    /// The nearest such community above it.
    above: Option<usize>,
}

/// What is shown of each row while a context is fitted.
struct Draft {
    total: u64,
    budget: u64,
    /// By position in the community's entities; `None` is hidden.
    entities: Vec<Option<Form>>,
    entity_costs: Vec<u32>,
    /// By position in `ranked`.
    edges: Vec<Option<Form>>,
    edge_costs: Vec<u32>,
    /// The descendant whose report stands for the edge.
    reported: Vec<Option<usize>>,
    /// Claims that are shown of each entity.
    claims: Vec<u32>,
    /// By position in `descendants`: what is shown, and its cost.
    reports: Vec<Option<(Form, u32)>>,
    /// Cost of the reports shown at or below a descendant.
    reports_within: Vec<u64>,
}

impl Draft {
    fn fits(&self) -> bool {
        self.total <= self.budget
    }
}

impl LocalContext<'_, '_> {
    /// The context within `budget` tokens, section titles included.
    pub fn fit(&self, budget: usize) -> Context {
        let mut draft = self.whole(budget);
        if !draft.fits() {
            self.substitute(&mut draft, Form::Full);
        }
        if !draft.fits() {
            self.substitute(&mut draft, Form::Short);
        }
        if !draft.fits() {
            self.drop_descriptions(&mut draft);
        }
        if !draft.fits() {
            self.truncate(&mut draft);
        }
        self.write(&draft)
    }

    /// Every row, whatever the budget.
    fn whole(&self, budget: usize) -> Draft {
        let costs = &self.builder.costs;
        let entity_costs: Vec<u32> = self
            .community
            .entities
            .iter()
            .map(|ix| costs.entities[ix.at()])
            .collect();
        let edge_costs: Vec<u32> = self
            .ranked
            .iter()
            .map(|ix| costs.relationships[ix.at()])
            .collect();
        let claims: Vec<u32> = self
            .community
            .entities
            .iter()
            .map(|&ix| self.builder.claims(ix).len() as u32)
            .collect();
        let claim_cost: u64 = self
            .community
            .entities
            .iter()
            .map(|&ix| self.claims_cost(ix))
            .sum();
        let sections = [false, true, claim_cost > 0, !edge_costs.is_empty()];
        let heads: u64 = costs
            .heads
            .iter()
            .zip(sections)
            .map(|(&cost, used)| if used { u64::from(cost) } else { 0 })
            .sum();
        let rows: u64 = entity_costs
            .iter()
            .chain(&edge_costs)
            .map(|&cost| u64::from(cost))
            .sum();
        Draft {
            total: heads + rows + claim_cost,
            budget: budget as u64,
            entities: vec![Some(Form::Full); entity_costs.len()],
            entity_costs,
            reported: vec![None; edge_costs.len()],
            edges: vec![Some(Form::Full); edge_costs.len()],
            edge_costs,
            claims,
            reports: vec![None; self.descendants.len()],
            reports_within: vec![0; self.descendants.len()],
        }
    }

    fn claims_cost(&self, entity: EntityIx) -> u64 {
        self.builder
            .claims(entity)
            .iter()
            .map(|&row| u64::from(self.builder.costs.claims[row as usize]))
            .sum()
    }

    /// Replaces sub-communities by their reports, deepest and largest first, wherever that is shorter, until the draft fits.
    fn substitute(&self, draft: &mut Draft, form: Form) {
        let position = self.edge_positions();
        let mut order: Vec<(usize, u64)> = self
            .descendants
            .iter()
            .enumerate()
            .map(|(row, below)| (row, self.rows_cost(below.community)))
            .collect();
        order.sort_by_key(|&(row, cost)| {
            let community = self.descendants[row].community;
            (Reverse(community.level), Reverse(cost), community.community)
        });
        for (row, _) in order {
            if draft.fits() {
                break;
            }
            if self.above(row).any(|upper| draft.reports[upper].is_some()) {
                continue;
            }
            let child = self.descendants[row].community;
            let locals = || {
                child
                    .entities
                    .iter()
                    .filter_map(|ix| self.community.entities.binary_search(ix).ok())
            };
            let edge_at = |ix: &RelationshipIx| {
                position
                    .binary_search_by_key(ix, |&(edge, _)| edge)
                    .ok()
                    .map(|at| position[at].1)
            };
            let edges = || child.relationships.iter().filter_map(edge_at);
            let mut shown = draft.reports_within[row];
            for local in locals().filter(|&local| draft.entities[local].is_some()) {
                shown += u64::from(draft.entity_costs[local])
                    + self.claims_cost(self.community.entities[local]);
            }
            shown += edges()
                .filter(|&edge| draft.edges[edge].is_some())
                .map(|edge| u64::from(draft.edge_costs[edge]))
                .sum::<u64>();
            let cost = self
                .builder
                .cost(|out| rows::report(child.community, self.descendants[row].report, form, out));
            let first = draft.reports.iter().all(Option::is_none);
            let head = if first {
                u64::from(self.builder.costs.heads[Section::Reports as usize])
            } else {
                0
            };
            if u64::from(cost) + head >= shown {
                continue;
            }
            draft.total = draft.total + u64::from(cost) + head - shown;
            for local in locals() {
                draft.entities[local] = None;
                draft.claims[local] = 0;
            }
            for edge in edges() {
                draft.edges[edge] = None;
                draft.reported[edge] = Some(row);
            }
            let replaced = draft.reports_within[row];
            for at in std::iter::once(row).chain(self.above(row)) {
                draft.reports_within[at] = draft.reports_within[at] + u64::from(cost) - replaced;
            }
            draft.reports[row] = Some((form, cost));
        }
        // Reports inside one that is shown have become part of it.
        for row in 0..self.descendants.len() {
            if self.above(row).any(|upper| draft.reports[upper].is_some()) {
                draft.reports[row] = None;
            }
        }
    }

    /// Positions of the descendants above one, nearest first.
    fn above(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.descendants[row].above, |&upper| {
            self.descendants[upper].above
        })
    }

    /// (edge, position in `ranked`), sorted by edge.
    fn edge_positions(&self) -> Vec<(RelationshipIx, usize)> {
        let mut positions: Vec<(RelationshipIx, usize)> = self
            .ranked
            .iter()
            .enumerate()
            .map(|(at, &ix)| (ix, at))
            .collect();
        positions.sort_unstable();
        positions
    }

    fn rows_cost(&self, child: &Community) -> u64 {
        let costs = &self.builder.costs;
        let entities: u64 = child
            .entities
            .iter()
            .map(|&ix| u64::from(costs.entities[ix.at()]) + self.claims_cost(ix))
            .sum();
        let edges: u64 = child
            .relationships
            .iter()
            .map(|ix| u64::from(costs.relationships[ix.at()]))
            .sum();
        entities + edges
    }

    /// Takes descriptions away from the least prominent edges, then from the least connected entities, until the draft fits.
    fn drop_descriptions(&self, draft: &mut Draft) {
        let graph = &self.builder.graph;
        for edge in (0..self.ranked.len()).rev() {
            if draft.fits() {
                return;
            }
            if draft.edges[edge].is_some() {
                let row = self.ranked[edge].at();
                let cost = self
                    .builder
                    .cost(|out| graph.relationship(row, Form::Short, out));
                draft.total -= u64::from(draft.edge_costs[edge].saturating_sub(cost));
                draft.edge_costs[edge] = draft.edge_costs[edge].min(cost);
                draft.edges[edge] = Some(Form::Short);
            }
        }
        for local in self.least_connected() {
            if draft.fits() {
                return;
            }
            if draft.entities[local].is_some() {
                let row = self.community.entities[local].at();
                let cost = self.builder.cost(|out| graph.entity(row, Form::Short, out));
                draft.total -= u64::from(draft.entity_costs[local].saturating_sub(cost));
                draft.entity_costs[local] = draft.entity_costs[local].min(cost);
                draft.entities[local] = Some(Form::Short);
            }
        }
    }

    /// Positions of the members, lowest degree first.
    fn least_connected(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.community.entities.len()).collect();
        order.sort_by_key(|&local| {
            (
                self.builder.graph.entities[self.community.entities[local].at()].degree,
                Reverse(local),
            )
        });
        order
    }

    /// The last resort: drops claims, then entity rows, then the least prominent edges, then sub-reports.
    fn truncate(&self, draft: &mut Draft) {
        let costs = &self.builder.costs;
        let order = self.least_connected();
        for &local in &order {
            let claims = self.builder.claims(self.community.entities[local]);
            while draft.claims[local] > 0 && !draft.fits() {
                draft.claims[local] -= 1;
                draft.total -=
                    u64::from(costs.claims[claims[draft.claims[local] as usize] as usize]);
            }
        }
        if draft.claims.iter().all(|&shown| shown == 0)
            && self
                .community
                .entities
                .iter()
                .any(|&ix| !self.builder.claims(ix).is_empty())
        {
            draft.total -= u64::from(costs.heads[Section::Claims as usize]);
        }
        // The names stay in the edges; an entity without an edge goes only after all others.
        for &local in &order {
            if draft.fits() {
                return;
            }
            if draft.entities[local].take().is_some() {
                draft.total -= u64::from(draft.entity_costs[local]);
            }
        }
        draft.total -= u64::from(costs.heads[Section::Entities as usize]);
        for edge in (0..self.ranked.len()).rev() {
            if draft.fits() {
                return;
            }
            if draft.edges[edge].take().is_some() {
                draft.total -= u64::from(draft.edge_costs[edge]);
            }
        }
        if !self.ranked.is_empty() {
            draft.total -= u64::from(costs.heads[Section::Relationships as usize]);
        }
        for row in (0..self.descendants.len()).rev() {
            if draft.fits() {
                return;
            }
            if let Some((_, cost)) = draft.reports[row].take() {
                draft.total -= u64::from(cost);
            }
        }
    }

    /// Members with a row: in the order of the ranked edges, then by degree.
    fn entity_order(&self, draft: &Draft) -> Vec<usize> {
        let graph = &self.builder.graph;
        let mut placed = vec![false; self.community.entities.len()];
        let mut order = Vec::with_capacity(placed.len());
        let ends = self
            .ranked
            .iter()
            .map(|ix| &graph.relationships[ix.at()])
            .flat_map(|edge| [edge.source, edge.target]);
        let connected = ends.filter_map(|end| self.community.entities.binary_search(&end).ok());
        for local in connected.chain(self.least_connected().into_iter().rev()) {
            if !std::mem::replace(&mut placed[local], true) && draft.entities[local].is_some() {
                order.push(local);
            }
        }
        order
    }

    fn write(&self, draft: &Draft) -> Context {
        let graph = &self.builder.graph;
        let costs = &self.builder.costs;
        let mut context = Context::default();
        let mut tokens = 0u64;
        let begin = |section: Section, text: &mut String| -> u64 {
            let head = section.head();
            text.push_str(if text.is_empty() {
                head.trim_start_matches('\n')
            } else {
                head
            });
            u64::from(costs.heads[section as usize])
        };
        let mut reports: Vec<usize> = (0..self.descendants.len())
            .filter(|&row| draft.reports[row].is_some())
            .collect();
        reports.sort_by_key(|&row| {
            let community = self.descendants[row].community;
            (Reverse(community.entities.len()), community.community)
        });
        for row in reports {
            if context.text.is_empty() {
                tokens += begin(Section::Reports, &mut context.text);
            }
            let Descendant {
                community: child,
                report,
                ..
            } = self.descendants[row];
            let (form, cost) = draft.reports[row].unwrap_or((Form::Short, 0));
            rows::report(child.community, report, form, &mut context.text);
            tokens += u64::from(cost);
            context
                .allowed
                .allow(DataKind::Reports, [child.community.0]);
            // Who reads a report may cite what it cites.
            context
                .allowed
                .allow_cited_in(&rows::report_content(report, form));
            context.figures.reports.push(child.community);
        }
        let order = self.entity_order(draft);
        if !order.is_empty() {
            tokens += begin(Section::Entities, &mut context.text);
        }
        for &local in &order {
            let row = self.community.entities[local].at();
            graph.entity(
                row,
                draft.entities[local].unwrap_or(Form::Short),
                &mut context.text,
            );
            tokens += u64::from(draft.entity_costs[local]);
        }
        context.allowed.allow(
            DataKind::Entities,
            order.iter().map(|&local| self.community.entities[local].0),
        );
        context.figures.entities_shown = order.len();

        let shown = |local: usize| -> &[u32] {
            let claims = self.builder.claims(self.community.entities[local]);
            &claims[..draft.claims[local] as usize]
        };
        let claims: Vec<u32> = (0..self.community.entities.len())
            .flat_map(|local| shown(local).iter().copied())
            .collect();
        if !claims.is_empty() {
            tokens += begin(Section::Claims, &mut context.text);
        }
        for &row in &claims {
            graph.claim(row as usize, &mut context.text);
            tokens += u64::from(costs.claims[row as usize]);
        }
        let known: usize = order
            .iter()
            .map(|&local| self.builder.claims(self.community.entities[local]).len())
            .sum();
        context.figures.claims_shown = claims.len();
        context.figures.claims_left_out = known.saturating_sub(claims.len());
        context.allowed.allow(DataKind::Claims, claims);

        let edges: Vec<usize> = (0..self.ranked.len())
            .filter(|&edge| draft.edges[edge].is_some())
            .collect();
        if !edges.is_empty() {
            tokens += begin(Section::Relationships, &mut context.text);
        }
        for &edge in &edges {
            let form = draft.edges[edge].unwrap_or(Form::Short);
            graph.relationship(self.ranked[edge].at(), form, &mut context.text);
            tokens += u64::from(draft.edge_costs[edge]);
            context.figures.edges_bare += usize::from(form == Form::Short);
        }
        context.allowed.allow(
            DataKind::Relationships,
            edges.iter().map(|&edge| self.ranked[edge].0),
        );
        context.figures.edges_shown = edges.len();
        let in_reports =
            |&edge: &usize| draft.reported[edge].is_some_and(|row| draft.reports[row].is_some());
        context.figures.edges_in_reports = (0..self.ranked.len()).filter(in_reports).count();
        context.figures.edges_left_out =
            self.ranked.len() - context.figures.edges_shown - context.figures.edges_in_reports;
        context.tokens = tokens as usize;
        context
    }
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
