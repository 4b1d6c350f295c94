//! Rows of entities, relationships, claims and reports as a model's context shows them, and what they cost in tokens.

use rayon::prelude::*;

use super::TokenCounter;
use super::csv;
use crate::model::{Claim, Community, CommunityIx, Entity, EntityIx, Relationship, Report};
use crate::resolve::claims::remark;

/// What contexts are made of.
#[derive(Clone, Copy)]
pub struct Graph<'a> {
    /// By row.
    pub entities: &'a [Entity],
    /// By row.
    pub relationships: &'a [Relationship],
    /// By number.
    pub communities: &'a [Community],
    /// By row; empty when claims are off.
    pub claims: &'a [Claim],
}

/// A part of a context with its own columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Reports,
    Entities,
    Claims,
    Relationships,
}

impl Section {
    pub(super) const ALL: [Self; 4] = [
        Self::Reports,
        Self::Entities,
        Self::Claims,
        Self::Relationships,
    ];

    /// Title and column line, after a blank line: the layout of the reference.
    pub(super) fn head(self) -> &'static str {
        match self {
            Self::Reports => "----Reports-----\ncommunity,full_content\n",
            Self::Entities => "\n-----Entities-----\nhuman_readable_id,title,description,degree\n",
            Self::Claims => {
                "\n-----Claims-----\nhuman_readable_id,subject_id,object_id,type,status,start_date,end_date,description\n"
            }
            Self::Relationships => {
                "\n-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n"
            }
        }
    }
}

/// How much of a row or report is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Full,
    /// Without the description; of a report, title and summary.
    Short,
}

/// Token costs of all rows, each counted once.
pub(super) struct Costs {
    pub entities: Vec<u32>,
    pub relationships: Vec<u32>,
    pub claims: Vec<u32>,
    /// By [`Section`].
    pub heads: [u32; 4],
}

impl Costs {
    pub(super) fn new(graph: &Graph<'_>, count: TokenCounter<'_>) -> Self {
        let cost = |write: &dyn Fn(&mut String)| {
            let mut row = String::new();
            write(&mut row);
            count(&row) as u32
        };
        let (entities, (relationships, claims)) = rayon::join(
            || {
                (0..graph.entities.len())
                    .into_par_iter()
                    .map(|row| cost(&|out| graph.entity(row, Form::Full, out)))
                    .collect()
            },
            || {
                rayon::join(
                    || {
                        (0..graph.relationships.len())
                            .into_par_iter()
                            .map(|row| cost(&|out| graph.relationship(row, Form::Full, out)))
                            .collect()
                    },
                    || {
                        (0..graph.claims.len())
                            .into_par_iter()
                            .map(|row| cost(&|out| graph.claim(row, out)))
                            .collect()
                    },
                )
            },
        );
        Self {
            entities,
            relationships,
            claims,
            heads: Section::ALL.map(|section| count(section.head()) as u32),
        }
    }
}

impl Graph<'_> {
    pub(super) fn entity(&self, row: usize, form: Form, out: &mut String) {
        let entity = &self.entities[row];
        csv::number(row as u32, out);
        out.push(',');
        csv::field(&entity.title, out);
        out.push(',');
        if form == Form::Full {
            csv::field(&entity.description, out);
        }
        out.push(',');
        csv::number(entity.degree, out);
        out.push('\n');
    }

    pub(super) fn relationship(&self, row: usize, form: Form, out: &mut String) {
        let relationship = &self.relationships[row];
        csv::number(row as u32, out);
        for end in [relationship.source, relationship.target] {
            out.push(',');
            csv::field(&self.entities[end.at()].title, out);
        }
        out.push(',');
        if form == Form::Full {
            csv::field(&relationship.description, out);
        }
        out.push(',');
        csv::number(relationship.combined_degree, out);
        out.push('\n');
    }

    pub(super) fn claim(&self, row: usize, out: &mut String) {
        let Claim {
            claim,
            contradicts,
            confirms,
            ..
        } = &self.claims[row];
        let description = format!("{}{}", claim.description, remark(contradicts, confirms));
        csv::number(row as u32, out);
        let fields = [
            &claim.subject,
            &claim.object,
            &claim.kind,
            &claim.status,
            &claim.start_date,
            &claim.end_date,
            &description,
        ];
        for text in fields {
            out.push(',');
            csv::field(text, out);
        }
        out.push('\n');
    }

    /// Row numbers of the claims about each entity, as (offsets, rows).
    pub(super) fn claims_by_subject(&self) -> (Vec<u32>, Vec<u32>) {
        let mut pairs: Vec<(EntityIx, u32)> = self
            .claims
            .iter()
            .enumerate()
            .filter_map(|(row, claim)| Some((claim.subject?, row as u32)))
            .collect();
        pairs.sort_unstable();
        let mut offsets = vec![0u32; self.entities.len() + 1];
        for (subject, _) in &pairs {
            offsets[subject.at() + 1] += 1;
        }
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        (offsets, pairs.into_iter().map(|(_, row)| row).collect())
    }
}

pub(super) fn report(community: CommunityIx, report: &Report, form: Form, out: &mut String) {
    csv::number(community.0, out);
    out.push(',');
    csv::field(&report_content(report, form), out);
    out.push('\n');
}

pub(super) fn report_content(report: &Report, form: Form) -> String {
    match form {
        Form::Full => report.full_content(),
        Form::Short => format!("# {}\n\n{}", report.title, report.summary),
    }
}
