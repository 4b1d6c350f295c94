//! What the corpus says about two names: documents, neighbours, sentences, types.

use crate::extract::cue::Cue;
use crate::extract::harvest::{EntityMention, Harvest};

use super::key::{Form, Lexicon};
use super::reason::{Reason, Reasons};
use super::relate::Named;

/// Mentions of a name that are looked at for its neighbours.
const MENTIONS_SEEN: usize = 12;
/// In a corpus of fewer documents, that one names both says nothing.
const FEW_DOCUMENTS: usize = 4;
/// Mentions around one that count as neighbours.
const AROUND: usize = 48;

/// Lists by name, end to end.
#[derive(Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (row, _) in pairs.clone() {
            starts[row as usize + 1] += 1;
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (row, item) in pairs {
            let slot = &mut next[row as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { starts, items }
    }

    fn of(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The harvest, indexed for questions about names.
pub(super) struct Corpus<'a> {
    pub harvest: &'a Harvest,
    pub lexicon: Lexicon,
    /// By name.
    pub forms: Vec<Form>,
    /// Type that most mentions give, by name.
    pub kinds: Vec<u32>,
    person: Vec<bool>,
    common: Vec<bool>,
    ordinary: Vec<bool>,
    word_mentions: Vec<u32>,
    word_names: Vec<u32>,
    word_inner: Vec<u32>,
    word_first: Vec<u32>,
    mentions: Lists,
    documents: Lists,
    partners: Lists,
    document_of: &'a [u32],
    units: Vec<(u32, u32)>,
    sentences: bool,
    common_above: usize,
    /// Too few for a document to be a context.
    pub few_documents: bool,
}

impl<'a> Corpus<'a> {
    /// `document_of` gives the document of each text unit; units beyond it are documents of their own.
    pub fn new(harvest: &'a Harvest, document_of: &'a [u32]) -> Self {
        let count = harvest.names.len();
        let mut lexicon = Lexicon::default();
        let forms: Vec<Form> = harvest
            .names
            .iter()
            .map(|name| lexicon.parse(name))
            .collect();
        let rows = harvest.entities.iter().enumerate();
        let mentions = Lists::new(count, rows.map(|(row, mention)| (mention.name, row as u32)));
        let document = |unit: u32| document_of.get(unit as usize).copied().unwrap_or(unit);
        let mut pairs: Vec<(u32, u32)> = harvest
            .entities
            .iter()
            .map(|m| (m.name, document(m.unit)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let documents = Lists::new(count, pairs.iter().copied());
        let mut partners: Vec<(u32, u32)> = Vec::with_capacity(harvest.relationships.len() * 2);
        for relationship in &harvest.relationships {
            partners.push((relationship.source, relationship.target));
            partners.push((relationship.target, relationship.source));
        }
        partners.sort_unstable();
        partners.dedup();
        let partners = Lists::new(count, partners.iter().copied());
        let mut all: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        all.sort_unstable();
        all.dedup();
        let mut units: Vec<(u32, u32)> = Vec::new();
        let mut at = 0u32;
        for unit in harvest.entities.chunk_by(|a, b| a.unit == b.unit) {
            let number = unit[0].unit as usize;
            if units.len() <= number {
                units.resize(number + 1, (0, 0));
            }
            units[number] = (at, at + unit.len() as u32);
            at += unit.len() as u32;
        }
        let mut corpus = Self {
            harvest,
            lexicon,
            forms,
            kinds: vec![0; count],
            person: vec![false; count],
            common: vec![true; count],
            ordinary: vec![false; count],
            word_mentions: Vec::new(),
            word_names: Vec::new(),
            word_inner: Vec::new(),
            word_first: Vec::new(),
            mentions,
            documents,
            partners,
            document_of,
            units,
            sentences: harvest.entities.iter().any(|mention| mention.sentence > 0),
            common_above: (all.len() / 8).max(3),
            few_documents: all.len() < FEW_DOCUMENTS,
        };
        corpus.find_kinds();
        corpus.count_words();
        corpus
    }

    fn find_kinds(&mut self) {
        let mut votes: Vec<u32> = Vec::new();
        for name in 0..self.forms.len() as u32 {
            votes.clear();
            votes.extend(self.mentions(name).map(|mention| mention.kind));
            let kind = self.majority(&mut votes);
            let text = self.harvest.kinds.get(kind);
            self.kinds[name as usize] = kind;
            self.person[name as usize] = text == "PERSON";
            let small = self
                .mentions(name)
                .filter(|mention| mention.cues.has(Cue::Common));
            self.ordinary[name as usize] = small.count() * 2 > votes.len();
            self.common[name as usize] = matches!(text, "CONCEPT" | "UNKNOWN" | "");
        }
    }

    fn count_words(&mut self) {
        self.word_mentions = vec![0; self.lexicon.len()];
        self.word_names = vec![0; self.lexicon.len()];
        self.word_inner = vec![0; self.lexicon.len()];
        self.word_first = vec![0; self.lexicon.len()];
        for (name, form) in self.forms.iter().enumerate() {
            let count = self.mentions.of(name as u32).len() as u32;
            for part in form.content.iter().filter(|_| count > 0) {
                self.word_mentions[part.word as usize] += count;
                self.word_names[part.word as usize] += 1;
            }
            for part in form.content.iter().skip(1).filter(|_| count > 0) {
                self.word_inner[part.word as usize] += 1;
            }
            if let [first, _, ..] = form.content.as_slice()
                && count > 0
                && !self.common[name]
            {
                self.word_first[first.word as usize] += 1;
            }
        }
    }

    /// Whether a name is a single word, and one that other names only begin with, or that none beyond these two clusters contains.
    pub fn is_distinctive(&self, name: u32, a: &[u32], b: &[u32]) -> bool {
        let [part] = self.forms[name as usize].content.as_slice() else {
            return false;
        };
        let contains = |name: &&u32| {
            self.forms[**name as usize]
                .content
                .iter()
                .any(|other| other.word == part.word)
        };
        let word = part.word as usize;
        let known = a.iter().chain(b).filter(|name| {
            let content = &self.forms[**name as usize].content;
            !self.common[**name as usize] && content.len() >= 2 && content[0].word == part.word
        });
        // Ordinary words stand inside other names, proper names before them: "backup radio", "Nordmere delivery".
        if self.word_inner[word] * 4 <= self.word_names[word]
            && self.word_first[word] as usize <= known.count()
        {
            return true;
        }
        let inside = a.iter().chain(b).filter(contains).count();
        inside >= 2 && self.word_names[word] as usize <= inside
    }

    /// How often the rarest word of a name is used in the corpus.
    pub fn rarest_word(&self, name: u32) -> u32 {
        let words = self.forms[name as usize].content.iter();
        words
            .map(|part| self.word_mentions[part.word as usize])
            .min()
            .unwrap_or(0)
    }

    /// Whether just one of two names is a person's, the other's type being known.
    pub fn is_one_a_person(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.named(a), self.named(b));
        a.person && !b.person && !b.common || b.person && !a.person && !a.common
    }

    /// Whether, of two spellings of a word, one is so much rarer that it is a slip.
    pub fn is_slip(&self, a: u32, b: u32) -> bool {
        let (x, y) = (
            &self.forms[a as usize].content,
            &self.forms[b as usize].content,
        );
        let mut pairs = x.iter().zip(y).filter(|(a, b)| a.word != b.word);
        pairs.next().is_some_and(|(a, b)| {
            let (a, b) = (
                self.word_mentions[a.word as usize],
                self.word_mentions[b.word as usize],
            );
            a.min(b) * 4 <= a.max(b)
        })
    }

    /// The type with the most votes; ties go to the one first in the alphabet.
    pub fn majority(&self, votes: &mut [u32]) -> u32 {
        votes.sort_unstable();
        let mut best: Option<(usize, u32)> = None;
        for same in votes.chunk_by(|a, b| a == b) {
            let kind = same[0];
            let wins = best.is_none_or(|(count, other)| {
                same.len() > count
                    || same.len() == count
                        && self.harvest.kinds.get(kind) < self.harvest.kinds.get(other)
            });
            if wins {
                best = Some((same.len(), kind));
            }
        }
        best.map_or(0, |(_, kind)| kind)
    }

    pub fn mentions(&self, name: u32) -> impl Iterator<Item = &EntityMention> + Clone {
        self.mentions
            .of(name)
            .iter()
            .map(|&row| &self.harvest.entities[row as usize])
    }

    pub fn mention_count(&self, name: u32) -> usize {
        self.mentions.of(name).len()
    }

    /// Sorted.
    pub fn documents(&self, name: u32) -> &[u32] {
        self.documents.of(name)
    }

    pub fn document(&self, unit: u32) -> u32 {
        self.document_of.get(unit as usize).copied().unwrap_or(unit)
    }

    pub fn named(&self, name: u32) -> Named<'_> {
        Named {
            form: &self.forms[name as usize],
            person: self.person[name as usize],
            common: self.common[name as usize],
            ordinary: self.ordinary[name as usize],
        }
    }

    /// Names near a name, sorted; those that are everywhere left out. With `document`, only there, and the whole text unit counts.
    pub fn neighbours(&self, name: u32, document: Option<u32>, out: &mut Vec<u32>) {
        out.clear();
        if document.is_none() {
            out.extend(self.partners.of(name));
        }
        let known = out.len();
        let mut seen = 0;
        for &row in self.mentions.of(name) {
            let mention = &self.harvest.entities[row as usize];
            if document.is_some_and(|document| self.document(mention.unit) != document) {
                continue;
            }
            seen += 1;
            // Relationships say it better than mere nearness.
            if seen > MENTIONS_SEEN || (known > 0 && !self.sentences) {
                break;
            }
            let (from, to) = self.units[mention.unit as usize];
            let from = from.max(row.saturating_sub(AROUND as u32));
            let to = to.min(row + AROUND as u32);
            for near in &self.harvest.entities[from as usize..to as usize] {
                let together = !self.sentences
                    || document.is_some()
                    || near.sentence.abs_diff(mention.sentence) <= 1;
                if near.name != name && together {
                    out.push(near.name);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out.retain(|&near| self.documents(near).len() <= self.common_above);
    }

    /// Rows of the mentions of a name in a document, the first ones. Text units come document by document.
    fn rows_in(&self, name: u32, document: u32) -> impl Iterator<Item = u32> + '_ {
        let rows = self.mentions.of(name);
        let document_at = move |row: u32| self.document(self.harvest.entities[row as usize].unit);
        let first = rows.partition_point(|&row| document_at(row) < document);
        let here = rows[first..].iter().copied();
        here.take_while(move |&row| document_at(row) == document)
            .take(MENTIONS_SEEN)
    }

    /// The first mentions of a name in a document.
    pub fn mentions_in(&self, name: u32, document: u32) -> impl Iterator<Item = &EntityMention> {
        self.rows_in(name, document)
            .map(|row| &self.harvest.entities[row as usize])
    }

    /// Visits every mention around those of a name in a document, after the mention of the name itself, with whether a sentence
    /// at most lies between.
    pub fn around(
        &self,
        name: u32,
        document: u32,
        mut visit: impl FnMut(&EntityMention, &EntityMention, bool),
    ) {
        let entities = &self.harvest.entities;
        for row in self.rows_in(name, document) {
            let mention = &entities[row as usize];
            let (from, to) = self.units[mention.unit as usize];
            let from = from.max(row.saturating_sub(AROUND as u32));
            let to = to.min(row + AROUND as u32);
            for near in &entities[from as usize..to as usize] {
                if near.name != name {
                    let close = near.sentence.abs_diff(mention.sentence) <= 1;
                    visit(mention, near, close);
                }
            }
        }
    }

    /// Whether some sentence names both.
    pub fn share_sentence(&self, a: u32, b: u32) -> bool {
        if !self.sentences {
            return false;
        }
        let places = |name: u32| {
            self.mentions(name)
                .map(|mention| (mention.unit, mention.sentence))
        };
        // Mentions are in order of place.
        let mut others = places(b).peekable();
        places(a).any(|place| {
            while others.next_if(|other| *other < place).is_some() {}
            others.peek() == Some(&place)
        })
    }

    /// Whether some document names both; in a corpus of few, some text unit.
    pub fn share_document(&self, a: u32, b: u32) -> bool {
        match self.few_documents {
            true => self.share_unit(a, b),
            false => shared(self.documents(a), self.documents(b), 1) > 0,
        }
    }

    /// Whether some text unit names both.
    pub fn share_unit(&self, a: u32, b: u32) -> bool {
        let mut others = self.mentions(b).map(|mention| mention.unit).peekable();
        self.mentions(a).any(|mention| {
            while others.next_if(|other| *other < mention.unit).is_some() {}
            others.peek() == Some(&mention.unit)
        })
    }

    /// Whether a name of a cluster was written with an article: it is a word, not a person's name.
    pub fn has_article(&self, names: &[u32]) -> bool {
        names.iter().any(|&name| self.forms[name as usize].article)
    }
}

/// How many items two sorted lists share, counted up to `enough`.
pub(super) fn shared(a: &[u32], b: &[u32], enough: usize) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() && count < enough {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// Nearness of what is said of two names, -1 to 1; `None` where it is not known.
pub type Nearness<'a> = dyn Fn(u32, u32) -> Option<f32> + Sync + 'a;

/// Working memory of [`weigh`].
#[derive(Default)]
pub(super) struct Buffers {
    a: Vec<u32>,
    b: Vec<u32>,
}

/// Points that the corpus adds to a pair of like names. Names are weighed with the company of all of their side.
pub(super) fn weigh(
    corpus: &Corpus<'_>,
    a: u32,
    b: u32,
    sides: (&[u32], &[u32]),
    reasons_of_name: Reasons,
    near: Option<&Nearness<'_>>,
    buffers: &mut Buffers,
) -> (i32, Reasons) {
    let mut points = 0;
    let mut reasons = Reasons::default();
    let pairs = || {
        sides
            .0
            .iter()
            .flat_map(|&x| sides.1.iter().map(move |&y| (x, y)))
            .take(64)
    };
    if pairs().any(|(x, y)| corpus.share_document(x, y)) {
        points += 15;
        reasons.add(Reason::SameDocument);
    }
    let mut most = 0;
    for (x, y) in pairs().take(16) {
        corpus.neighbours(x, None, &mut buffers.a);
        corpus.neighbours(y, None, &mut buffers.b);
        most = most.max(shared(&buffers.a, &buffers.b, 3));
        if most == 3 {
            break;
        }
    }
    if most > 0 {
        points += [0, 10, 20, 25][most];
        reasons.add(Reason::SharedNeighbours);
    }
    let (x, y) = (corpus.named(a), corpus.named(b));
    if !x.common && !y.common {
        if corpus.kinds[a as usize] == corpus.kinds[b as usize] {
            points += 5;
            reasons.add(Reason::SameType);
        } else if x.form.content.len() > 1 && y.form.content.len() > 1 {
            // The type of a single word is mostly guessed.
            points -= 10;
            reasons.add(Reason::DifferentTypes);
        }
    }
    if reasons_of_name.has(Reason::Misspelling) && corpus.is_slip(a, b) {
        points += 10;
    }
    match near.and_then(|near| near(a, b)) {
        Some(nearness) if nearness >= 0.8 => {
            points += 20;
            reasons.add(Reason::NearVectors);
        }
        Some(nearness) if nearness < 0.3 => {
            points -= 15;
            reasons.add(Reason::FarVectors);
        }
        _ => {}
    }
    (points, reasons)
}
