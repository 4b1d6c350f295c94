//! Clusters -> entities: which mention goes where, canonical titles, majority types, homonyms.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::audit::{Decision, Verdict};
use super::clusters::is_strong;
use super::decide::Decided;
use super::decisions::{Bound, Meaning};
use super::evidence::Corpus;
use super::reason::{Reason, Reasons};
use super::{MERGE, Options, Resolution, ResolvedEntity};

/// A short form may stand for one that is short itself, and so on.
const CHAIN: usize = 4;

/// A cluster, or one sense of a name: cluster 0 of none.
type Group = (u32, u32);

pub(super) struct Assembly<'a> {
    pub corpus: &'a Corpus<'a>,
    pub decided: Decided,
    /// Sense of a name in a document, where it is not the first.
    senses: FxHashMap<(u32, u32), Group>,
    /// Titles of the senses, which are numbered from 1.
    titles: Vec<String>,
}

pub(super) fn assemble(corpus: &Corpus<'_>, decided: Decided, options: &Options<'_>) -> Resolution {
    let mut assembly = Assembly {
        corpus,
        decided,
        senses: FxHashMap::default(),
        titles: Vec::new(),
    };
    assembly.split_by_analyst(&options.analyst);
    if !options.exact {
        assembly.split_homonyms(&options.analyst);
    }
    assembly.finish(options)
}

impl Assembly<'_> {
    fn split_by_analyst(&mut self, analyst: &Bound) {
        let reasons = Reasons::one(Reason::Analyst);
        // Two names that are split off under one title are one thing.
        let mut first: FxHashMap<&str, Group> = FxHashMap::default();
        for split in &analyst.split {
            let title = match &split.meaning {
                Meaning::Known(other) => {
                    for &document in &split.documents {
                        self.decided
                            .stands_for
                            .insert((split.name, document), *other);
                    }
                    self.record_split(split.name, &split.documents, Verdict::ByAnalyst, reasons);
                    continue;
                }
                Meaning::New(title) => title,
            };
            let number = self.split(
                split.name,
                &split.documents,
                title.clone(),
                Verdict::ByAnalyst,
                reasons,
            );
            let group = *first.entry(title).or_insert((split.name, number));
            for &document in &split.documents {
                self.senses.insert((split.name, document), group);
            }
        }
        for rename in &analyst.rename {
            self.decided.decisions.push(Decision {
                a: rename.name,
                b: rename.name,
                verdict: Verdict::ByAnalyst,
                score: MERGE,
                reasons,
                document: None,
            });
        }
    }

    /// Gives a name a sense of its own in these documents; returns the sense's number.
    pub(super) fn split(
        &mut self,
        name: u32,
        documents: &[u32],
        title: String,
        verdict: Verdict,
        reasons: Reasons,
    ) -> u32 {
        self.titles.push(title);
        let number = self.titles.len() as u32;
        for &document in documents {
            self.senses.insert((name, document), (name, number));
        }
        self.record_split(name, documents, verdict, reasons);
        number
    }

    fn record_split(&mut self, name: u32, documents: &[u32], verdict: Verdict, reasons: Reasons) {
        self.decided.decisions.push(Decision {
            a: name,
            b: name,
            verdict,
            score: MERGE,
            reasons,
            document: documents.first().copied(),
        });
    }

    fn group(&self, name: u32, document: u32) -> Group {
        if let Some(&sense) = self.senses.get(&(name, document)) {
            return sense;
        }
        let mut stands = name;
        for _ in 0..CHAIN {
            match self.decided.stands_for.get(&(stands, document)) {
                Some(&other) => stands = other,
                None => break,
            }
        }
        (self.decided.clusters.root(stands), 0)
    }

    fn finish(mut self, options: &Options<'_>) -> Resolution {
        let harvest = self.corpus.harvest;
        let mut numbers: FxHashMap<Group, u32> = FxHashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        let mut rows: Vec<(u32, u32, u32)> = Vec::with_capacity(harvest.entities.len());
        let mut places: Vec<(u32, u32, u32)> = Vec::with_capacity(harvest.entities.len());
        for mention in &harvest.entities {
            let document = self.corpus.document(mention.unit);
            let group = self.group(mention.name, document);
            let entity = *numbers.entry(group).or_insert_with(|| {
                groups.push(group);
                groups.len() as u32 - 1
            });
            rows.push((entity, mention.name, mention.kind));
            places.push((mention.name, document, entity));
        }
        places.sort_unstable();
        places.dedup();
        let mut entity_of = vec![None; harvest.names.len()];
        let mut by_document = FxHashMap::default();
        for of_name in places.chunk_by(|a, b| a.0 == b.0) {
            let name = of_name[0].0;
            // Where nothing is known of a document the name means its own cluster, else what it means most often.
            let own = numbers.get(&(self.decided.clusters.root(name), 0)).copied();
            let main = own
                .filter(|own| of_name.iter().any(|place| place.2 == *own))
                .unwrap_or_else(|| most(of_name));
            entity_of[name as usize] = Some(main);
            for &(_, document, entity) in of_name.iter().filter(|place| place.2 != main) {
                by_document.insert((name, document), entity);
            }
        }
        rows.sort_unstable();
        let mut entities = Vec::with_capacity(groups.len());
        let mut votes = Vec::new();
        let renamed: FxHashMap<u32, &str> = options
            .analyst
            .rename
            .iter()
            .map(|rename| (rename.name, rename.title.as_str()))
            .collect();
        for of_entity in rows.chunk_by(|a, b| a.0 == b.0) {
            votes.clear();
            votes.extend(of_entity.iter().map(|row| row.2));
            let kind = self.corpus.majority(&mut votes);
            entities.push(self.entity(groups[of_entity[0].0 as usize], of_entity, kind, &renamed));
        }
        make_distinct(&mut entities);
        self.decided.decisions.sort_unstable();
        Resolution {
            entity_of,
            entities,
            decisions: self.decided.decisions,
            by_document,
            document_of: options.document_of.to_vec(),
        }
    }

    fn entity(
        &self,
        group: Group,
        rows: &[(u32, u32, u32)],
        kind: u32,
        renamed: &FxHashMap<u32, &str>,
    ) -> ResolvedEntity {
        let harvest = self.corpus.harvest;
        let mut names: Vec<(u32, usize)> = rows
            .chunk_by(|a, b| a.1 == b.1)
            .map(|of_name| (of_name[0].1, of_name.len()))
            .collect();
        names.sort_by_cached_key(|&(name, count)| self.rank(name, count, group.0));
        // A name that stands for this entity in some document only does not rename it.
        let renamed = names
            .iter()
            .filter(|&&(name, _)| self.decided.clusters.root(name) == group.0)
            .find_map(|(name, _)| renamed.get(name));
        let sense = group.1.checked_sub(1).map(|at| &self.titles[at as usize]);
        let title = match (sense, renamed) {
            (Some(title), _) => title.clone(),
            (None, Some(title)) => (*title).to_owned(),
            // invariant: an entity has a mention, and so a name
            (None, None) => harvest.names.get(names[0].0).to_owned(),
        };
        let mut aliases: Vec<String> = names
            .iter()
            .map(|&(name, _)| harvest.names.get(name).to_owned())
            .filter(|name| *name != title)
            .collect();
        aliases.sort_unstable();
        ResolvedEntity {
            title,
            kind: harvest.kinds.get(kind).to_owned(),
            aliases,
        }
    }

    /// The best title comes first: spelled out, in reading order, without honorific, most often used, first in the alphabet.
    fn rank(&self, name: u32, count: usize, cluster: u32) -> impl Ord + use<> {
        let form = &self.corpus.forms[name as usize];
        (
            self.decided.clusters.root(name) != cluster,
            form.inverted || form.qualifier.is_some(),
            !is_strong(self.corpus, name),
            form.honorific && form.content.len() > 1,
            Reverse(count),
            form.honorific,
            Reverse(form.content.len()),
            Reverse(self.corpus.rarest_word(name)),
            self.corpus.harvest.names.get(name).to_owned(),
        )
    }
}

fn most(places: &[(u32, u32, u32)]) -> u32 {
    let mut entities: Vec<u32> = places.iter().map(|place| place.2).collect();
    entities.sort_unstable();
    let runs = entities.chunk_by(|a, b| a == b);
    runs.max_by_key(|run| (run.len(), Reverse(run[0])))
        .map_or(0, |run| run[0])
}

/// Ids derive from titles, so no two are the same.
fn make_distinct(entities: &mut [ResolvedEntity]) {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for entity in entities {
        let mut number = 2;
        let base = entity.title.clone();
        while !taken.insert(entity.title.clone()) {
            entity.title = format!("{base} ({number})");
            number += 1;
        }
    }
}
