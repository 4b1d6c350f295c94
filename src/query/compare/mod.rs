//! The same question answered by several methods, side by side: what each says, from what, and at what cost.

mod claims;
mod html;
mod judge;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;

pub use html::html;
pub use judge::{CRITERIA, Ruling, Won, judge};
pub use text::text;

use super::answer::{Answered, Method, Params};
use super::models::Used;
use claims::Claim;

/// Said wherever a model judged.
pub const JUDGE_WARNING: &str = "a model judged: judges prefer long answers, their own style and often the first place; a flip is a verdict that changed with the order";

/// The size of every context under an equal budget, where none is given: that of a local search.
pub const EQUAL_TOKENS: usize = 12_000;

/// What an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCount {
    /// Rows cited, each once.
    pub cited: usize,
    /// Citations that lead nowhere.
    pub unresolved: usize,
    /// Citations that share no word with what they are cited for.
    pub unsupported: usize,
    /// Numbers of the text units behind the citations.
    pub text_units: BTreeSet<u32>,
    /// Documents behind the citations.
    pub documents: BTreeSet<String>,
}

/// One method's answer with its figures.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// The method's word.
    pub method: &'static str,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The answer with everything known of it.
    pub answer: Option<Answered>,
    /// Tokens of what was read.
    pub context_tokens: usize,
    /// What it rests on.
    pub evidence: EvidenceCount,
    /// Statements of the answer.
    pub claims: usize,
    /// Those that no other method makes.
    pub only_here: Vec<String>,
    #[serde(skip)]
    stated: Vec<Claim>,
}

impl Column {
    /// Seconds from question to answer.
    pub fn seconds(&self) -> f64 {
        self.answer.as_ref().map_or(0.0, |answer| answer.seconds)
    }

    /// What the calls cost; `None` without a model.
    pub fn usage(&self) -> Option<Used> {
        self.answer.as_ref().and_then(|answer| answer.usage)
    }
}

/// What two sets have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// In both.
    pub both: usize,
    /// In either.
    pub either: usize,
}

impl Shared {
    fn of<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> Self {
        let both = a.intersection(b).count();
        Self {
            both,
            either: a.len() + b.len() - both,
        }
    }
}

/// Two methods against each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// One method.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// Text units behind the citations.
    pub text_units: Shared,
    /// Documents behind the citations.
    pub documents: Shared,
    /// Statements of the one that the other makes too.
    pub claims_in_both: usize,
    /// Statements of the one alone.
    pub claims_only_a: usize,
    /// Statements of the other alone.
    pub claims_only_b: usize,
}

/// One question with all answers.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The question.
    pub question: String,
    /// One column a method.
    pub methods: Vec<Column>,
    /// Every two of them that answered.
    pub pairs: Vec<Pair>,
    /// What a model says of every two; empty where it was not asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<Ruling>,
}

/// All questions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// Fingerprint of the index.
    pub index: String,
    /// Tokens of every method's context, where they were made equal.
    pub equal_budget: Option<usize>,
    /// The questions.
    pub questions: Vec<Compared>,
    /// Pairs of answers that the judge was asked about.
    #[serde(skip)]
    pub judged: usize,
    /// Those of them on which no ruling came.
    #[serde(skip)]
    pub unjudged: usize,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Answers that failed.
    pub fn failed(&self) -> usize {
        let columns = self.questions.iter().flat_map(|one| &one.methods);
        columns.filter(|column| column.error.is_some()).count()
    }

    /// Answers that lack something.
    pub fn incomplete(&self) -> usize {
        let columns = self.questions.iter().flat_map(|one| &one.methods);
        let answers = columns.filter_map(|column| column.answer.as_ref());
        answers.filter(|answer| answer.incomplete.is_some()).count()
    }

    /// Answers that were asked for.
    pub fn asked(&self) -> usize {
        self.questions.iter().map(|one| one.methods.len()).sum()
    }
}

/// Sets the answers to one question side by side.
pub fn compare(question: &str, answers: Vec<(Method, Result<Answered, String>)>) -> Compared {
    let mut methods: Vec<Column> = answers
        .into_iter()
        .map(|(method, result)| {
            let (answer, error) = match result {
                Ok(answer) => (Some(answer), None),
                Err(error) => (None, Some(error)),
            };
            let stated = answer
                .as_ref()
                .map(|answer| claims::of(&answer.answer))
                .unwrap_or_default();
            Column {
                method: method.as_str(),
                error,
                context_tokens: answer.as_ref().map_or(0, |answer| answer.context.tokens),
                evidence: answer.as_ref().map(evidence_of).unwrap_or_default(),
                claims: stated.len(),
                only_here: Vec::new(),
                stated,
                answer,
            }
        })
        .collect();
    for at in 0..methods.len() {
        let others: Vec<&Claim> = methods
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .flat_map(|(_, column)| &column.stated)
            .collect();
        let alone = methods[at]
            .stated
            .iter()
            .filter(|claim| !others.iter().any(|other| claim.is_said_by(other)))
            .map(|claim| claim.text.clone())
            .collect();
        methods[at].only_here = alone;
    }
    let mut pairs = Vec::new();
    for (at, a) in methods.iter().enumerate() {
        for b in &methods[at + 1..] {
            if a.answer.is_none() || b.answer.is_none() {
                continue;
            }
            let in_both = |one: &[Claim], other: &[Claim]| {
                one.iter()
                    .filter(|claim| other.iter().any(|known| claim.is_said_by(known)))
                    .count()
            };
            let claims_in_both = in_both(&a.stated, &b.stated);
            pairs.push(Pair {
                a: a.method,
                b: b.method,
                text_units: Shared::of(&a.evidence.text_units, &b.evidence.text_units),
                documents: Shared::of(&a.evidence.documents, &b.evidence.documents),
                claims_in_both,
                claims_only_a: a.stated.len() - claims_in_both,
                claims_only_b: b.stated.len() - in_both(&b.stated, &a.stated),
            });
        }
    }
    Compared {
        question: question.to_owned(),
        methods,
        pairs,
        rulings: Vec::new(),
    }
}

fn evidence_of(answer: &Answered) -> EvidenceCount {
    let rows: BTreeSet<usize> = answer.citations.iter().map(|found| found.number).collect();
    let mut count = EvidenceCount {
        cited: rows.len(),
        unresolved: answer.unresolved.len(),
        unsupported: answer.unsupported,
        ..EvidenceCount::default()
    };
    for found in &answer.citations {
        if found.kind == "Sources" {
            count.text_units.insert(found.id);
        }
        count.documents.extend(found.document.clone());
        for support in &found.supports {
            count.text_units.insert(support.source);
            count.documents.insert(support.document.clone());
        }
    }
    count
}

impl Params {
    /// The same tokens of context for every method: one batch of reports, text units until it is full, and for DRIFT a quarter for
    /// the reports and for each of three follow-up questions.
    pub fn with_equal_budget(self, tokens: usize) -> Self {
        let mut params = self;
        params.local_tokens = tokens;
        params.basic_tokens = tokens;
        params.basic_k = usize::MAX;
        params.batch_tokens = tokens.max(params.batch_tokens);
        params.report_tokens = Some(tokens);
        params.context_only = true;
        params.drift.folds = 1;
        params.drift.primer_tokens = tokens / 4;
        params.drift.depth = 1;
        params.drift.followups = 3;
        params.drift.step_tokens = tokens / 4;
        params
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::evidence::{Resolved, Support};

    fn cited(number: usize, kind: &'static str, id: u32, supports: &[(u32, &str)]) -> Resolved {
        Resolved {
            number,
            marker: String::new(),
            kind,
            id,
            title: String::new(),
            document: (kind == "Sources").then(|| format!("{id}.md")),
            start: None,
            end: None,
            text: String::new(),
            supports: supports
                .iter()
                .map(|&(source, document)| Support {
                    source,
                    document: document.to_owned(),
                })
                .collect(),
            supported: true,
        }
    }

    fn answered(answer: &str, citations: Vec<Resolved>) -> Answered {
        Answered {
            answer: answer.to_owned(),
            citations,
            ..Answered::default()
        }
    }

    #[test]
    fn sources_and_statements_are_set_against_each_other() {
        let one = answered(
            "- The pump at Harrow failed in March. [Data: Sources (1)]\n- The valve at Lune was seized. [Data: Sources (2)]",
            vec![cited(1, "Sources", 1, &[]), cited(2, "Sources", 2, &[])],
        );
        let other = answered(
            "In March the pump at Harrow failed. [Data: Reports (4)] Osei wrote to the board.",
            vec![cited(1, "Reports", 4, &[(1, "1.md"), (7, "7.md")])],
        );
        let compared = compare(
            "what failed?",
            vec![
                (Method::Basic, Ok(one)),
                (Method::Global, Ok(other)),
                (Method::Local, Err("no".into())),
            ],
        );
        let [basic, global, local] = &compared.methods[..] else {
            panic!("three methods")
        };
        assert_eq!(basic.only_here, ["The valve at Lune was seized."]);
        assert_eq!(global.only_here, ["Osei wrote to the board."]);
        assert_eq!((local.claims, local.error.as_deref()), (0, Some("no")));
        assert_eq!(
            compared.pairs,
            [Pair {
                a: "basic",
                b: "global",
                text_units: Shared { both: 1, either: 3 },
                documents: Shared { both: 1, either: 3 },
                claims_in_both: 1,
                claims_only_a: 1,
                claims_only_b: 1,
            }]
        );
    }
}
