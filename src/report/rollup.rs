//! A parent community's report from its children's reports.

use rustc_hash::FxHashMap;

use super::citations::{self, CitedIds, DataKind};
use super::extractive::{CITED_IDS, Corpus, MAX_FINDINGS, RELATED, with_citation};
use super::headline::enumerate;
use super::rating::counted;
use super::salience::{display_name, running_name};
use super::terms;

use crate::model::{Community, EntityIx, Finding, Relationship, Report};

/// Children's findings that are compared, the best by a quick score.
const MAX_CANDIDATES: usize = 96;

/// Weight of common terms, as a share, from which two children's findings tell of one theme.
const SAME_THEME: f32 = 0.25;

/// Bytes an explanation may reach by taking in another child's.
const MAX_EXPLANATION: usize = 1600;

const MMR_LAMBDA: f32 = 0.7;

/// Share from which the second only repeats the first.
const SAME_WORDS: f32 = 0.6;

struct Candidate<'a> {
    child: usize,
    finding: &'a Finding,
    /// Sorted, with weights.
    terms: Vec<(u64, f32)>,
    weight: f32,
    score: f32,
}

/// Summary and findings of a parent: the children's findings by rank, novelty and coverage of the big children, with their
/// citations carried through and the child reports cited.
pub(super) fn from_children(
    corpus: &Corpus<'_>,
    community: &Community,
    named: &[EntityIx],
    children: &[&Report],
) -> (String, Vec<Finding>) {
    let mut ordered: Vec<&Report> = children.to_vec();
    let size = |report: &Report| corpus.communities[report.community.at()].entities.len();
    ordered.sort_by(|a, b| {
        b.rank
            .total_cmp(&a.rank)
            .then(size(b).cmp(&size(a)))
            .then(a.community.cmp(&b.community))
    });
    let candidates = candidates(&ordered);
    let picked = choose(&candidates, ordered.len());
    let findings: Vec<Finding> = picked
        .iter()
        .map(|(row, partners)| carry(&ordered, &candidates, *row, partners))
        .collect();
    (
        summary(corpus, community, named, &ordered, &findings),
        findings,
    )
}

fn candidates<'a>(children: &[&'a Report]) -> Vec<Candidate<'a>> {
    let best = children.first().map_or(1.0, |report| report.rank).max(0.1);
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    for (child, report) in children.iter().enumerate() {
        for (position, finding) in report.findings.iter().enumerate() {
            candidates.push(Candidate {
                child,
                finding,
                terms: Vec::new(),
                weight: 0.0,
                score: (0.15 + (report.rank / best) as f32) / (1.0 + 0.22 * position as f32),
            });
        }
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates.truncate(MAX_CANDIDATES);
    weigh(&mut candidates);
    candidates
}

/// Gives the candidates their terms; what few of them say weighs more.
fn weigh(candidates: &mut [Candidate<'_>]) {
    let sets: Vec<Vec<u64>> = candidates
        .iter()
        .map(|candidate| terms::term_set(&citations::strip(&candidate.finding.explanation)))
        .collect();
    let mut frequency: FxHashMap<u64, f32> = FxHashMap::default();
    for term in sets.iter().flatten() {
        *frequency.entry(*term).or_default() += 1.0;
    }
    let count = candidates.len() as f32;
    for (candidate, set) in candidates.iter_mut().zip(sets) {
        candidate.terms = set
            .into_iter()
            .map(|term| {
                (
                    term,
                    (1.0 + count / frequency.get(&term).copied().unwrap_or(1.0)).ln(),
                )
            })
            .collect();
        candidate.weight = candidate.terms.iter().map(|(_, weight)| weight).sum();
    }
}

/// Weight of the shared terms over that of the lighter set, damped for short ones; 0 where fewer than three are shared.
fn similarity(a: &Candidate<'_>, b: &Candidate<'_>) -> f32 {
    let (mut left, mut right) = (0, 0);
    let (mut shared, mut weight) = (0, 0.0);
    while left < a.terms.len() && right < b.terms.len() {
        match a.terms[left].0.cmp(&b.terms[right].0) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                weight += a.terms[left].1;
                left += 1;
                right += 1;
            }
        }
    }
    if shared < 3 {
        0.0
    } else {
        weight / (a.weight.min(b.weight) + 6.0)
    }
}

/// The chosen candidates, each with the candidates of other children that tell of the same theme.
fn choose(candidates: &[Candidate<'_>], children: usize) -> Vec<(usize, Vec<usize>)> {
    let mut taken = vec![false; candidates.len()];
    let mut redundancy = vec![0f32; candidates.len()];
    let mut covered = vec![0u32; children];
    let partners: Vec<Vec<usize>> = candidates
        .iter()
        .map(|one| {
            let similar = |other: &Candidate<'_>| {
                other.child != one.child && similarity(one, other) >= SAME_THEME
            };
            (0..candidates.len())
                .filter(|&row| similar(&candidates[row]))
                .collect()
        })
        .collect();
    let limit = MAX_FINDINGS.min((children + 2).max(3));
    let mut picks = Vec::new();
    while picks.len() < limit {
        let value = |row: usize| {
            let one = &candidates[row];
            let mut sides: Vec<usize> = partners[row]
                .iter()
                .map(|&other| candidates[other].child)
                .collect();
            sides.sort_unstable();
            sides.dedup();
            let shared = (1.0 + sides.len() as f32).ln() * 0.3;
            let coverage = match covered[one.child] {
                0 => 0.25,
                1 => 0.0,
                uses => -0.15 * uses as f32,
            };
            MMR_LAMBDA * (one.score + shared) - (1.0 - MMR_LAMBDA) * redundancy[row] + coverage
        };
        let free = (0..candidates.len())
            .filter(|&row| !taken[row])
            .map(|row| (value(row), row));
        let Some((_, row)) = free.reduce(|best, next| if next.0 > best.0 { next } else { best })
        else {
            break;
        };
        taken[row] = true;
        covered[candidates[row].child] += 1;
        let joined: Vec<usize> = partners[row]
            .iter()
            .copied()
            .filter(|&other| !taken[other])
            .collect();
        for &other in &joined {
            taken[other] = true;
            covered[candidates[other].child] += 1;
        }
        for &told in std::iter::once(&row).chain(&joined) {
            for (other, slot) in redundancy.iter_mut().enumerate() {
                *slot = slot.max(similarity(&candidates[told], &candidates[other]));
                // What is told in other words already is not told again.
                taken[other] |= *slot > SAME_WORDS;
            }
        }
        picks.push((row, joined));
    }
    picks
}

fn reports_cited(ids: Vec<u32>) -> CitedIds {
    CitedIds {
        kind: DataKind::Reports,
        ids,
        more: false,
    }
}

/// Begins the sentence of a finding that points at the reports it was taken from.
pub(super) const SUB_REPORTS: &str = "See the sub-report";

/// What a finding's explanation says of the corpus: without the sentences that only point elsewhere, and citations taken out before.
pub fn without_pointers(bare: &str) -> String {
    let mut text = bare.to_owned();
    for pointer in [RELATED, SUB_REPORTS] {
        while let Some(at) = text.find(pointer) {
            let end = text[at..]
                .find('.')
                .map_or(text.len(), |stop| at + stop + 1);
            text.replace_range(at..end, "");
        }
    }
    text
}

/// A child's finding as the parent's: its text, the like findings of other children, and the reports they came from.
fn carry(
    children: &[&Report],
    candidates: &[Candidate<'_>],
    row: usize,
    partners: &[usize],
) -> Finding {
    // The child's own `Reports` citations point two levels down; the child itself is cited instead.
    let own = |row: usize| {
        let text = citations::check_with(&candidates[row].finding.explanation, |kind, _| {
            kind != DataKind::Reports
        })
        .text;
        match text.rfind(SUB_REPORTS) {
            Some(at) => text[..at].trim_end().to_owned(),
            None => text,
        }
    };
    let mut explanation = own(row);
    let mut ids = vec![children[candidates[row].child].community.0];
    let mut quoted = 0;
    for &partner in partners {
        let id = children[candidates[partner].child].community.0;
        if ids.contains(&id) {
            continue;
        }
        ids.push(id);
        let text = own(partner);
        let repeats = similarity(&candidates[row], &candidates[partner]) > SAME_WORDS;
        if !repeats && quoted < 2 && explanation.len() + text.len() < MAX_EXPLANATION {
            explanation.push(' ');
            explanation.push_str(&text);
            quoted += 1;
        }
    }
    ids.sort_unstable();
    let shared = ids.len() > 1;
    let tail = if shared {
        "See the sub-reports that share this theme."
    } else {
        "See the sub-report."
    };
    explanation.push(' ');
    explanation.push_str(&with_citation(tail, &[reports_cited(ids)]));
    Finding {
        summary: candidates[row].finding.summary.clone(),
        explanation,
    }
}

fn summary(
    corpus: &Corpus<'_>,
    community: &Community,
    named: &[EntityIx],
    children: &[&Report],
    findings: &[Finding],
) -> String {
    let names: Vec<String> = named.iter().map(|&ix| running_name(corpus, ix)).collect();
    let mut titles: Vec<&str> = children
        .iter()
        .take(4)
        .map(|report| report.title.as_str())
        .collect();
    let left = children.len().saturating_sub(titles.len());
    let more = if left > 0 {
        format!("; and {left} more")
    } else {
        String::new()
    };
    titles.dedup();
    let groups = [reports_cited(
        children
            .iter()
            .map(|report| report.community.0)
            .take(CITED_IDS + 1)
            .collect(),
    )];
    let lead = format!(
        "Around {}, {} of {} come together: {}{more}.",
        enumerate(&names),
        counted(children.len(), "group"),
        counted(community.entities.len(), "entity"),
        titles.join("; "),
    );
    let mut parts = vec![with_citation(&lead, &groups)];
    // The first sentences of the two leading findings, with their citations.
    for finding in findings.iter().take(2) {
        parts.push(first_sentence(&finding.explanation));
    }
    if let Some(ties) = ties(corpus, community, children) {
        parts.push(ties);
    }
    parts.join(" ")
}

/// Up to the end of the first citation.
fn first_sentence(explanation: &str) -> String {
    match citations::parse(explanation).first() {
        Some(citation) => {
            let end = citation.span.end;
            let stop = explanation[end..].starts_with('.');
            explanation[..end + usize::from(stop)].to_owned()
        }
        None => explanation.to_owned(),
    }
}

/// The heaviest relationships between members of different children: what only the parent shows.
fn ties(corpus: &Corpus<'_>, community: &Community, children: &[&Report]) -> Option<String> {
    let child_of = |entity: EntityIx| {
        children.iter().position(|report| {
            corpus.communities[report.community.at()]
                .entities
                .binary_search(&entity)
                .is_ok()
        })
    };
    let mut heaviest: Vec<(&Relationship, u32)> = community
        .relationships
        .iter()
        .map(|ix| (&corpus.relationships[ix.at()], ix.0))
        .collect();
    heaviest.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight).then(a.1.cmp(&b.1)));
    let mut pairs: Vec<String> = Vec::new();
    let mut ids = Vec::new();
    let mut used: Vec<EntityIx> = Vec::new();
    // A few dozen of the heaviest are enough to find the ties that matter.
    for (relationship, id) in heaviest.into_iter().take(200) {
        let ends = [relationship.source, relationship.target];
        let (Some(left), Some(right)) = (child_of(ends[0]), child_of(ends[1])) else {
            continue;
        };
        if left == right || ends.iter().any(|end| used.contains(end)) {
            continue;
        }
        used.extend(ends);
        pairs.push(format!(
            "{} with {}",
            display_name(corpus, ends[0]),
            display_name(corpus, ends[1])
        ));
        ids.push(id);
        if pairs.len() == 3 {
            break;
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let group = [CitedIds {
        kind: DataKind::Relationships,
        ids,
        more: false,
    }];
    Some(with_citation(
        &format!("The groups are tied by {}.", enumerate(&pairs)),
        &group,
    ))
}
