//! Entity resolution measured on the demo corpus: its planted aliases and homonyms, found without a model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use belvedere::chunk::{self, ChunkSettings};
use belvedere::extract::harvest::Harvest;
use belvedere::extract::nlp::NlpSettings;
use belvedere::model::{Document, DocumentIx};
use belvedere::pipeline::{adjudication_decision, harvest_of};
use belvedere::resolve::suspects::suspects;
use belvedere::resolve::{Options, Resolution, resolve};
use belvedere::resolve::{audit, decisions};

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
    let (mut document_of, mut paths, mut texts) = (Vec::new(), Vec::new(), Vec::new());
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
            document_of.push(paths.len() as u32);
            texts.push(unit.text);
        }
        paths.push(relative);
    }
    let harvest = harvest_of(texts.iter().map(String::as_str), &NlpSettings::default());
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

fn ground_truth() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join("tests/ground_truth.yaml")).unwrap()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap().1;
    rest.split_once(to).unwrap().0
}

/// The lists below `names:` of a section of the ground truth.
fn planted_aliases() -> Vec<Vec<String>> {
    let truth = ground_truth();
    let section = between(&truth, "\naliases:\n", "\nhomonyms:\n");
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

    /// Titles of what a name means in a document: its own mentions there, or, where there are none, those of longer proper names
    /// that contain it.
    fn meanings<'r>(
        &self,
        resolution: &'r Resolution,
        name: &str,
        path: &str,
    ) -> BTreeSet<&'r str> {
        let words = |name: &str| -> Vec<String> {
            let upper = name.to_uppercase().replace("'S", "").replace('.', " ");
            upper.split_whitespace().map(str::to_owned).collect()
        };
        let wanted = words(name);
        let document = self.paths.iter().position(|known| known == path).unwrap() as u32;
        let (mut own, mut longer) = (BTreeSet::new(), BTreeSet::new());
        for mention in &self.harvest.entities {
            if self.document_of[mention.unit as usize] != document {
                continue;
            }
            let found = words(self.harvest.names.get(mention.name));
            let Some(entity) = resolution.entity(mention.name, mention.unit) else {
                continue;
            };
            let title = resolution.entities[entity as usize].title.as_str();
            if found == wanted {
                own.insert(title);
            } else if found.windows(wanted.len()).any(|run| run == wanted) {
                longer.insert(title);
            }
        }
        if own.is_empty() { longer } else { own }
    }
}

/// Pairs of planted names by whether they should be, and are, one entity.
#[derive(Default)]
struct Score {
    right: u32,
    wrong: Vec<String>,
    missed: Vec<String>,
    not_extracted: Vec<String>,
}

impl Score {
    fn of(demo: &Demo, resolution: &Resolution) -> Self {
        let mut score = Self::default();
        let mut names: BTreeMap<u32, usize> = BTreeMap::new();
        let groups = planted_aliases();
        assert_eq!(groups.len(), 25);
        for (group, members) in groups.into_iter().enumerate() {
            for name in members {
                match demo.find(&name) {
                    Some(found) => _ = names.insert(found, group),
                    None => score.not_extracted.push(name),
                }
            }
        }
        for (&a, group) in &names {
            for (&b, other) in names.range(a + 1..) {
                let merged = resolution.entity_of[a as usize] == resolution.entity_of[b as usize];
                let name = |name| demo.harvest.names.get(name);
                let pair = || format!("{} = {}", name(a), name(b));
                match (group == other, merged) {
                    (true, true) => score.right += 1,
                    (true, false) => score.missed.push(pair()),
                    (false, true) => score.wrong.push(pair()),
                    (false, false) => {}
                }
            }
        }
        score
    }

    fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from(self.right + self.wrong.len() as u32)
    }

    fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from(self.right + self.missed.len() as u32)
    }
}

#[test]
fn planted_aliases_are_found_and_nothing_else_is_merged() {
    let demo = demo();
    let score = Score::of(&demo, &demo.resolution);
    println!("not extracted: {:?}", score.not_extracted);
    println!(
        "precision {:.3}, recall {:.3}; missed {:?}",
        score.precision(),
        score.recall(),
        score.missed
    );
    assert!(score.precision() >= PRECISION, "wrong: {:?}", score.wrong);
    assert!(score.recall() >= RECALL, "missed: {:?}", score.missed);
}

/// The floor of pairwise precision.
const PRECISION: f64 = 0.98;
/// The floor of pairwise recall over the extracted names.
const RECALL: f64 = 0.9;

/// A planted homonym: its name, and the documents of each sense.
struct Homonym {
    name: String,
    senses: Vec<Vec<String>>,
}

fn planted_homonyms() -> Vec<Homonym> {
    let truth = ground_truth();
    let section = between(&truth, "\nhomonyms:\n", "\nchanges:\n");
    section
        .split("- name:")
        .skip(1)
        .map(|entry| {
            let name = entry.lines().next().unwrap().trim().trim_matches('"');
            let senses = entry.split("- description:").skip(1);
            let documents = |sense: &str| {
                let lines = sense.split("documents:\n").nth(1).unwrap().lines();
                lines
                    .map_while(|line| line.trim().strip_prefix("- "))
                    .map(str::to_owned)
                    .collect()
            };
            Homonym {
                name: name.to_owned(),
                senses: senses.map(documents).collect(),
            }
        })
        .collect()
}

/// Pairs of documents that should be, or should not be, of one entity by a planted homonym, and are not, or are.
fn wrong_senses(demo: &Demo, resolution: &Resolution) -> (Vec<String>, Vec<String>) {
    let homonyms = planted_homonyms();
    assert_eq!(homonyms.len(), 6);
    let (mut merges, mut splits, mut across, mut within) = (Vec::new(), Vec::new(), 0, 0);
    for homonym in &homonyms {
        let mut places: Vec<(usize, &str, BTreeSet<&str>)> = Vec::new();
        for (sense, documents) in homonym.senses.iter().enumerate() {
            for path in documents {
                let meanings = demo.meanings(resolution, &homonym.name, path);
                println!("{} {sense} {path}: {meanings:?}", homonym.name);
                if !meanings.is_empty() {
                    places.push((sense, path, meanings));
                }
            }
        }
        for (at, (sense, path, meanings)) in places.iter().enumerate() {
            for (other_sense, other_path, others) in &places[at + 1..] {
                let pair = || format!("{}: {path} and {other_path}", homonym.name);
                if sense != other_sense {
                    across += 1;
                    if !meanings.is_disjoint(others) {
                        merges.push(pair());
                    }
                } else {
                    within += 1;
                    if meanings.is_disjoint(others) {
                        splits.push(pair());
                    }
                }
            }
        }
    }
    println!(
        "{} of {across} pairs merged wrongly: {merges:#?}",
        merges.len()
    );
    println!(
        "{} of {within} pairs split wrongly: {splits:#?}",
        splits.len()
    );
    (merges, splits)
}

#[test]
fn planted_homonyms_stay_apart() {
    let demo = demo();
    let (merges, splits) = wrong_senses(&demo, &demo.resolution);
    assert!(merges.is_empty(), "{merges:?}");
    assert!(splits.len() <= WRONG_SPLITS, "{splits:?}");
}

/// Pairs of documents that use a planted homonym in one sense and yet end in two entities, at most.
const WRONG_SPLITS: usize = 2;

/// Entity titles of a name in each text, the texts being documents.
fn senses(texts: &[&str], name: &str, analyst: &str) -> (Vec<Option<String>>, Resolution, Harvest) {
    let harvest = harvest_of(texts.iter().copied(), &NlpSettings::default());
    let decisions = decisions::parse(analyst, Path::new("resolution.yaml")).unwrap();
    let (analyst, unknown) = decisions.bind(&harvest, &[]);
    assert!(unknown.is_empty(), "{unknown:?}");
    let options = Options {
        analyst,
        ..Options::default()
    };
    let resolution = resolve(&harvest, &options);
    let number = harvest.names.find(name).unwrap();
    let title = |unit| {
        let mut mentions = harvest.entities.iter();
        mentions.find(|mention| mention.name == number && mention.unit == unit)?;
        let entity = resolution.entity(number, unit)?;
        Some(resolution.entities[entity as usize].title.clone())
    };
    let titles = (0..texts.len() as u32).map(title).collect();
    (titles, resolution, harvest)
}

const PLACES: [&str; 4] = [
    "The outlet sample at St Cuthbert's reservoir was bad. A hatch seal had perished at St Cuthbert's, and gull feathers were found in the outlet screen.",
    "ST CUTHBERT'S HOSPITAL\n\nYour duty clerk rang the night porter at St Cuthbert's. The dialysis patients on our renal ward need soft water.",
    "The hatch seal at St Cuthbert's was renewed, and the outlet sample was good. No gull feathers were found.",
    "The dialysis patients left the renal ward when the duty clerk informed St Cuthbert's. The night porter had soft water.",
];

#[test]
fn a_name_that_heads_two_kinds_of_place_is_two_things() {
    let (titles, resolution, harvest) = senses(&PLACES, "ST CUTHBERT", "");
    let titles: Vec<&str> = titles.iter().flatten().map(String::as_str).collect();
    let expected = ["ST CUTHBERT (RESERVOIR)", "ST CUTHBERT (HOSPITAL)"];
    assert_eq!(titles, [expected, expected].concat());
    let rows = audit::rows(&harvest, &resolution);
    let split = rows.iter().find(|row| row.decision == "split").unwrap();
    assert_eq!(split.reasons, ["usage", "disjoint_contexts"]);
    let homonyms = suspects(&rows).homonyms;
    assert_eq!(homonyms.len(), 1);
    assert_eq!(homonyms[0].name, "ST CUTHBERT");
    assert!(
        expected
            .iter()
            .all(|title| homonyms[0].meanings.iter().any(|known| known == title))
    );
}

#[test]
fn a_make_is_not_the_system_of_the_same_name() {
    let texts = [
        "Two pumps were bought, Lark K2, with spare impellers. A Lark needs grease, and the impellers wear in sand.",
        "Overdue jobs were found in Lark, where planners defer them. The backlog is closed by clerks.",
        "Clerks entered the backlog of jobs into Lark. Planners had deferred them.",
        "The planners say that what is in Lark, jobs and backlog, is out of date.",
    ];
    let (titles, ..) = senses(&texts, "LARK", "");
    let titles: Vec<&str> = titles.iter().flatten().map(String::as_str).collect();
    assert_eq!(titles, ["LARK K2", "LARK", "LARK", "LARK"]);
    // What an analyst says holds everywhere.
    let (titles, ..) = senses(&texts, "LARK", "merge:\n  - [Lark, Lark K2]\n");
    assert!(
        titles.windows(2).all(|pair| pair[0] == pair[1]),
        "{titles:?}"
    );
}

#[test]
fn a_man_is_not_a_woman_of_the_same_initial() {
    let texts = [
        "Mr Joel Reed keeps the locks. The lock gates were painted.",
        "Mrs Joan Reed sells paint. The price of paint rose.",
        "A letter came from Mr J. Reed about paint.",
        "A bill came from J. Reed (Mrs) for the lock gates.",
        "The weather was fine in Alston.",
    ];
    let (titles, ..) = senses(&texts, "J REED", "");
    assert_eq!(titles[2].as_deref(), Some("JOEL REED"));
    assert_eq!(titles[3].as_deref(), Some("JOAN REED"));
}

/// What a small local model (Qwen2.5-Coder-0.5B) answered to the questions about the demo, recorded.
const RECORDED: &str = include_str!("data/adjudication.json");

#[test]
fn a_weak_model_does_no_harm_by_adjudicating() {
    let demo = demo();
    let recorded: serde_json::Value = serde_json::from_str(RECORDED).unwrap();
    let said = |a: &str, b: &str| -> Option<&str> {
        let rows = recorded.as_array().unwrap().iter();
        let mut rows = rows.filter(|row| {
            let names = [row["names"][0].as_str(), row["names"][1].as_str()];
            names == [Some(a), Some(b)] || names == [Some(b), Some(a)]
        });
        rows.next()?["answer"].as_str()
    };
    let questions = audit::undecided(&demo.harvest, &demo.resolution);
    let name = |name| demo.harvest.names.get(name);
    let mut answers = Vec::new();
    let mut unheard = Vec::new();
    for question in &questions {
        let (a, b) = question.names;
        match said(name(a), name(b)).and_then(adjudication_decision) {
            Some(same) => answers.extend(same.map(|same| audit::Answer {
                names: (a, b),
                same,
            })),
            None => unheard.push((name(a), name(b))),
        }
    }
    println!(
        "{} questions, {} decided; no answer recorded: {unheard:?}",
        questions.len(),
        answers.len()
    );
    // The recorded model, one that says yes to all, and one that says no to all.
    let all = |same| -> Vec<audit::Answer> {
        let names = questions.iter().map(|question| question.names);
        names.map(|names| audit::Answer { names, same }).collect()
    };
    let before = Score::of(&demo, &demo.resolution);
    println!(
        "without: precision {:.3}, recall {:.3}",
        before.precision(),
        before.recall()
    );
    // A yes brings a name's company along, so that one that is wrong may decide a document more.
    let models = [
        ("recorded", answers, 0),
        ("yes to all", all(true), 5),
        ("no to all", all(false), 0),
    ];
    for (who, answers, may_merge) in models {
        let options = Options {
            document_of: &demo.document_of,
            answers: &answers,
            ..Options::default()
        };
        let resolution = resolve(&demo.harvest, &options);
        let score = Score::of(&demo, &resolution);
        println!(
            "{who}: precision {:.3}, recall {:.3}",
            score.precision(),
            score.recall()
        );
        assert!(score.precision() >= PRECISION, "{who}: {:?}", score.wrong);
        assert!(
            score.recall() >= before.recall(),
            "{who}: {:?}",
            score.missed
        );
        let (merges, splits) = wrong_senses(&demo, &resolution);
        println!(
            "{who}: {} merged wrongly, {} split wrongly",
            merges.len(),
            splits.len()
        );
        assert!(merges.len() <= may_merge, "{who}: {merges:?}");
        assert!(splits.len() <= WRONG_SPLITS, "{who}: {splits:?}");
    }
}

#[test]
fn resolution_is_the_same_every_time() {
    assert_eq!(demo().resolution, demo().resolution);
}
