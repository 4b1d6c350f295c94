//! Entity resolution measured on the demo corpus: its planted aliases and homonyms, found without a model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use belvedere::chunk::{self, ChunkSettings};
use belvedere::extract::harvest::{EntityMention, Harvest, NO_DESCRIPTION};
use belvedere::extract::nlp::{KindEvidence, KindTally, NlpSettings, PhraseExtractor, Scratch};
use belvedere::model::{Document, DocumentIx};
use belvedere::resolve::declared::declared;
use belvedere::resolve::{Options, Resolution, resolve};

struct Demo {
    harvest: Harvest,
    document_of: Vec<u32>,
    paths: Vec<String>,
    resolution: Resolution,
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, out),
            false => out.push(path),
        }
    }
}

fn demo() -> Demo {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("input");
    let mut found = Vec::new();
    files(&root, &mut found);
    let settings = ChunkSettings::default();
    let tokenizer = settings.validate().unwrap();
    let extractor = PhraseExtractor::new(&NlpSettings::default());
    let (mut scratch, mut harvest, mut tallies) =
        (Scratch::default(), Harvest::default(), Vec::new());
    let (mut document_of, mut paths) = (Vec::new(), Vec::new());
    for path in found {
        let relative = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let document = Document {
            id: Document::derive_id(relative.as_bytes(), &text),
            title: relative.clone(),
            path: relative.clone(),
            text,
            creation_date: None,
            metadata: None,
        };
        let mut units = Vec::new();
        chunk::split(&document, DocumentIx(0), &settings, tokenizer, &mut units);
        for unit in units {
            let row = document_of.len() as u32;
            document_of.push(paths.len() as u32);
            add_unit(
                &extractor,
                &mut scratch,
                &unit.text,
                row,
                &mut harvest,
                &mut tallies,
            );
        }
        paths.push(relative);
    }
    let kinds: Vec<u32> = tallies
        .iter()
        .map(|tally: &KindTally| harvest.kinds.intern(tally.guess().as_str()))
        .collect();
    harvest.entities.retain_mut(|mention| {
        mention.kind = kinds[mention.name as usize];
        tallies[mention.name as usize].is_credible()
    });
    let options = Options {
        document_of: &document_of,
        ..Options::default()
    };
    let resolution = resolve(&harvest, &options);
    Demo {
        harvest,
        document_of,
        paths,
        resolution,
    }
}

fn add_unit(
    extractor: &PhraseExtractor,
    scratch: &mut Scratch,
    text: &str,
    unit: u32,
    harvest: &mut Harvest,
    tallies: &mut Vec<KindTally>,
) {
    struct Found {
        name: u32,
        bytes: (usize, usize),
        sentence: u32,
        evidence: KindEvidence,
        named: bool,
        alias_of: Option<(usize, usize)>,
    }
    let mut found: Vec<Found> = Vec::new();
    extractor.extract(scratch, text, &mut |phrase| {
        found.push(Found {
            name: harvest.names.intern(phrase.title),
            bytes: (phrase.start, phrase.end),
            sentence: phrase.sentence,
            evidence: phrase.evidence,
            named: phrase.named,
            alias_of: phrase.alias_of.map(|range| (range.start, range.end)),
        });
    });
    tallies.resize(harvest.names.len(), KindTally::default());
    let mut places = Vec::new();
    for phrase in &found {
        tallies[phrase.name as usize].add(&phrase.evidence, phrase.named);
        if let Some(long) = found
            .iter()
            .find(|long| Some(long.bytes) == phrase.alias_of)
        {
            harvest.equated.push((phrase.name, long.name));
        }
        let start = text[..phrase.bytes.0].chars().count() as u32;
        let end = start + text[phrase.bytes.0..phrase.bytes.1].chars().count() as u32;
        places.push((phrase.name, start, end));
        harvest.entities.push(EntityMention {
            name: phrase.name,
            unit,
            kind: 0,
            description: NO_DESCRIPTION,
            span: Some((start, end)),
            sentence: phrase.sentence,
        });
    }
    declared(text, &places, &mut harvest.equated);
}

/// The lists below `names:` of a section of the ground truth.
fn planted_aliases() -> Vec<Vec<String>> {
    let truth = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ground_truth.yaml"),
    )
    .unwrap();
    let section = truth
        .split("\naliases:\n")
        .nth(1)
        .unwrap()
        .split("\nhomonyms:\n")
        .next()
        .unwrap();
    section
        .split("- canonical:")
        .skip(1)
        .map(|group| {
            let names = group.split("names:\n").nth(1).unwrap();
            names
                .lines()
                .map_while(|line| line.trim().strip_prefix("- "))
                .map(|name| name.trim_matches('"').to_owned())
                .collect()
        })
        .collect()
}

impl Demo {
    /// The name as extraction writes it: initials without points, a full name perhaps without its honorific.
    fn find(&self, name: &str) -> Option<u32> {
        let upper = name.to_uppercase().replace('.', "");
        let bare = upper
            .split_once(' ')
            .filter(|(_, rest)| rest.contains(' '))
            .map(|(_, rest)| rest.to_owned());
        [Some(upper), bare].into_iter().flatten().find_map(|name| {
            let found = self.harvest.names.find(&name)?;
            self.resolution.entity_of[found as usize].map(|_| found)
        })
    }

    /// Title of what a name means in a document.
    fn meaning(&self, name: &str, path: &str) -> Option<&str> {
        let name = self.harvest.names.find(name)?;
        let document = self.paths.iter().position(|known| known == path)? as u32;
        let mut mentions = self.harvest.entities.iter();
        let here =
            mentions.find(|m| m.name == name && self.document_of[m.unit as usize] == document)?;
        let entity = self.resolution.entity(name, here.unit)?;
        Some(&self.resolution.entities[entity as usize].title)
    }
}

#[test]
fn planted_aliases_are_found_and_nothing_else_is_merged() {
    let demo = demo();
    let groups = planted_aliases();
    assert_eq!(groups.len(), 25);
    let mut missing = Vec::new();
    let mut names: BTreeMap<u32, usize> = BTreeMap::new();
    for (group, members) in groups.iter().enumerate() {
        for name in members {
            match demo.find(name) {
                Some(found) => _ = names.insert(found, group),
                None => missing.push(name.as_str()),
            }
        }
    }
    let (mut right, mut wrong, mut missed) = (0u32, Vec::new(), Vec::new());
    for (&a, group) in &names {
        for (&b, other) in names.range(a + 1..) {
            let merged =
                demo.resolution.entity_of[a as usize] == demo.resolution.entity_of[b as usize];
            let pair = || {
                format!(
                    "{} = {}",
                    demo.harvest.names.get(a),
                    demo.harvest.names.get(b)
                )
            };
            match (group == other, merged) {
                (true, true) => right += 1,
                (true, false) => missed.push(pair()),
                (false, true) => wrong.push(pair()),
                (false, false) => {}
            }
        }
    }
    let precision = f64::from(right) / f64::from(right + wrong.len() as u32);
    let recall = f64::from(right) / f64::from(right + missed.len() as u32);
    println!("{} names, not extracted: {missing:?}", names.len());
    println!("precision {precision:.3}, recall {recall:.3}; wrong {wrong:?}; missed {missed:?}");
    assert!(precision >= 0.98, "wrong: {wrong:?}");
    assert!(recall >= RECALL, "recall {recall:.3}; missed: {missed:?}");
}

/// The floor of pairwise recall over the extracted names.
const RECALL: f64 = 0.9;

#[test]
fn planted_homonyms_stay_apart() {
    let demo = demo();
    let different = |a: &str, b: &str| {
        let title = |name: &str| {
            demo.find(name)
                .and_then(|name| demo.resolution.entity_of[name as usize])
        };
        if let (Some(a), Some(b)) = (title(a), title(b)) {
            assert_ne!(a, b, "{a} and {b}");
        }
    };
    different("Project Mercury", "Mercury Analytical Ltd");
    different("Jonah Smith", "Joyce Smith");
    different("Coldwell Pumping Station", "Coldwell & Partners");
    different("Kestrel", "Kestrel K3");
    let senses = [
        (
            "J SMITH",
            [
                "incidents/2023/INC-2023-006-alarm-flood.md",
                "board/2023-12-minutes.txt",
            ],
            ["letters/2022-08-19-thrupp-harbottle.txt"],
        ),
        (
            "COLDWELL",
            [
                "incidents/2023/INC-2023-019-coldwell-flooding.md",
                "incidents/2023/INC-2023-019-coldwell-flooding.md",
            ],
            ["incidents/2023/INC-2023-040-root-cause.txt"],
        ),
    ];
    for (name, one, other) in senses {
        let titles = |paths: &[&str]| -> BTreeSet<String> {
            paths
                .iter()
                .filter_map(|path| demo.meaning(name, path))
                .map(str::to_owned)
                .collect()
        };
        assert!(
            titles(&one).is_disjoint(&titles(&other)),
            "{name}: {:?} {:?}",
            titles(&one),
            titles(&other)
        );
    }
}

#[test]
fn resolution_is_the_same_every_time() {
    assert_eq!(demo().resolution, demo().resolution);
}
