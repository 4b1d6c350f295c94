//! What the stand-in answers: extraction from capitalised names, summaries, reports, points, citations, vectors.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// How a corrective sentence begins; what follows is not part of the question.
const NUDGE: &str = "\n\nYour previous answer could not be used";

const STOP: &[&str] = &[
    "The", "A", "An", "And", "But", "Or", "If", "In", "On", "At", "To", "Of", "For", "From",
    "With", "By", "As", "It", "He", "She", "They", "We", "You", "His", "Her", "Their", "Our", "My",
    "This", "That", "These", "Those", "There", "Then", "When", "While", "Where", "What", "Who",
    "Why", "How", "Not", "No", "Yes", "So", "Now", "Oh", "Well", "Let", "Was", "Were", "Had",
    "Has", "Have", "All", "Any", "Some", "After", "Before", "Upon", "Into", "Out", "Up", "Down",
    "Nor", "Yet", "Still", "Even", "Only", "Very", "Much", "Mr", "Mrs", "Sir",
];

/// Role and text of every turn, corrective sentences cut off.
pub fn messages(body: &Value) -> Vec<(String, String)> {
    let turns = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    turns
        .iter()
        .map(|turn| {
            let content = turn["content"].as_str().unwrap_or_default();
            let content = content.split(NUDGE).next().unwrap_or(content);
            (
                turn["role"].as_str().unwrap_or_default().to_string(),
                content.to_string(),
            )
        })
        .collect()
}

/// The question whatever the sampling and the corrections.
pub fn question(body: &Value, messages: &[(String, String)]) -> String {
    json!([body["model"], messages]).to_string()
}

pub fn kind(messages: &[(String, String)]) -> &'static str {
    let last = messages.last().map_or("", |(_, content)| content.as_str());
    let first = messages.first().map_or("", |(_, content)| content.as_str());
    let all: String = messages
        .iter()
        .map(|(_, content)| content.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let tuples = |text: &str| text.contains("(\"entity\"<|>") || text.contains("(\"entity\"{tuple");
    let lower = first.to_lowercase();
    if last.contains("Answer Y if there are still") || last.contains("single letter Y or N") {
        "loop"
    } else if last.contains("missed in the last extraction") {
        if lower.contains("claim") && !tuples(first) {
            "claims"
        } else {
            "continue"
        }
    } else if all.contains("SAME, DIFFERENT or UNSURE") {
        "adjudicate"
    } else if last.contains("Description List:") {
        "summarize"
    } else if all.contains("IMPACT SEVERITY RATING") || all.contains("rating_explanation") {
        "report"
    } else if tuples(&all) {
        "extract"
    } else if all.contains("Claim description")
        || (lower.contains("claim") && all.contains("<|COMPLETE|>"))
    {
        "claims"
    } else if first.contains("Two answers to one question are given") {
        "judge"
    } else if all.contains("Which types of entities should be looked for") {
        "types"
    } else if first.contains("questions to ask next") {
        "questions"
    } else if all.contains("\"points\"") {
        "map"
    } else if all.contains("Analyst Reports") && all.to_lowercase().contains("analyst") {
        "reduce"
    } else if all.contains("intermediate_answer") {
        "drift_primer"
    } else if all.contains("follow_up_queries") {
        "drift_action"
    } else if all.contains("\"rating\"") {
        "rate"
    } else if all.contains("An inquiry was made in steps") {
        "drift_reduce"
    } else if all.contains("Data tables") || all.contains("Data: Sources") {
        "local"
    } else {
        "generic"
    }
}

pub fn answer(kind: &str, messages: &[(String, String)], entities: usize, glean: usize) -> String {
    let all: String = messages
        .iter()
        .map(|(_, content)| content.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let asked = messages
        .iter()
        .find(|(_, content)| content.contains("Text:"))
        .map_or(all.as_str(), |(_, content)| content.as_str());
    match kind {
        "extract" => extract(asked, 0, entities),
        "continue" => extract(asked, entities, entities + glean),
        "loop" => "N".to_string(),
        "claims" => claims(asked),
        "adjudicate" => "SAME\nThe stand-in thinks so.".to_string(),
        "summarize" => summary(&all),
        "report" => report(&all),
        "map" => {
            let ids = ids(&all, 5);
            let points: Vec<Value> = ids
                .iter()
                .enumerate()
                .map(|(rank, id)| json!({"description": format!("Report {id} describes its members [Data: Reports ({id})]"), "score": 90 - 10 * rank}))
                .collect();
            json!({ "points": points }).to_string()
        }
        "reduce" => format!("# Answer\n\nThe main themes come from these reports [Data: Reports ({})].", cited(&all)),
        "local" => format!("An answer from the tables [Data: Entities ({})].", ids(&all, 3).join(", ")),
        // Every first answer proposes the same question, and one of its own.
        "drift_primer" => {
            let report = reports(&all).into_iter().next().unwrap_or_default();
            json!({"intermediate_answer": format!("The first report speaks of it [Data: Reports ({report})]."), "score": 70,
                "follow_up_queries": ["Who is most connected?", format!("What became of report {report}?")]})
            .to_string()
        }
        "drift_action" => {
            let sources = all.rfind("-----Sources-----").map_or("", |at| &all[at..]);
            let again = if all.contains("What became of") { vec![] } else { vec!["And what came after that?"] };
            json!({"response": format!("A detail [Data: Sources ({})].", ids(sources, 1).join("")), "score": 60, "follow_up_queries": again}).to_string()
        }
        "drift_reduce" => {
            let cited: Vec<&str> = all.split("[Data: ").skip(1).filter_map(|rest| rest.split(']').next()).filter(|cited| cited.contains(" (") && !cited.contains("id")).take(2).collect();
            format!("What the steps found [Data: {}].", cited.join("; "))
        }
        // Prefers the longer answer, but what comes first in directness.
        "judge" => {
            let part = |number: usize| {
                all.split(&format!("<answer number=\"{number}\">")).nth(1).and_then(|rest| rest.split("</answer>").next()).map_or(0, str::len)
            };
            let longer = if part(1) >= part(2) { 1 } else { 2 };
            json!({"comprehensiveness": {"winner": longer, "reason": "longer"}, "diversity": {"winner": 0, "reason": "equal"},
                "empowerment": {"winner": longer, "reason": "longer"}, "directness": {"winner": 1, "reason": "first"}})
            .to_string()
        }
        "types" => "person, site, organization".to_string(),
        "questions" => "- Who is most connected?\n- What happened at Harrow?\n- Who is most connected?\n\nThat is all.".to_string(),
        "rate" => json!({"reason": "stand-in", "rating": number(&all) % 6}).to_string(),
        _ => format!("A plain answer {:x}", number(&all)),
    }
}

fn number(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

fn clean(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace("<|>", " ")
        .replace("##", " ")
        .replace('"', "'")
}

/// The passage: after the last `Text:`, up to a row of number signs.
fn passage(prompt: &str) -> &str {
    let text = prompt.rfind("Text:").map_or(prompt, |at| &prompt[at + 5..]);
    text.find("######").map_or(text, |end| &text[..end])
}

/// Names by falling count, then first sentence, then spelling; and the names of every sentence.
type Names = (Vec<(String, usize, String)>, Vec<Vec<String>>);

fn names(text: &str) -> Names {
    let mut found: BTreeMap<String, (usize, usize, String)> = BTreeMap::new();
    let mut sentences = Vec::new();
    for (at, sentence) in text.split_inclusive(['.', '!', '?', ';']).enumerate() {
        let mut own = Vec::new();
        let mut run: Vec<&str> = Vec::new();
        for word in sentence.split_whitespace().chain(["."]) {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let named = bare.chars().count() > 2
                && bare.starts_with(char::is_uppercase)
                && bare.chars().skip(1).all(char::is_lowercase);
            if named && run.len() < 4 && !(run.is_empty() && STOP.contains(&bare)) {
                run.push(bare);
            }
            if (!named || word.ends_with([',', ':'])) && !run.is_empty() {
                own.push(run.join(" ").to_uppercase());
                run.clear();
            }
        }
        for name in &own {
            let entry = found
                .entry(name.clone())
                .or_insert_with(|| (0, at, clean(sentence).chars().take(180).collect()));
            entry.0 += 1;
        }
        sentences.push(own);
    }
    let mut ranked: Vec<(String, (usize, usize, String))> = found.into_iter().collect();
    ranked.sort_by(|(a, (count_a, first_a, _)), (b, (count_b, first_b, _))| {
        count_b
            .cmp(count_a)
            .then(first_a.cmp(first_b))
            .then(a.cmp(b))
    });
    (
        ranked
            .into_iter()
            .map(|(name, (count, _, sentence))| (name, count, sentence))
            .collect(),
        sentences,
    )
}

fn title(name: &str) -> String {
    let words: Vec<String> = name
        .split(' ')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|first| format!("{first}{}", chars.as_str().to_lowercase()))
                .unwrap_or_default()
        })
        .collect();
    words.join(" ")
}

fn extract(prompt: &str, from: usize, to: usize) -> String {
    const TYPES: &[&str] = &["ORGANIZATION", "PERSON", "GEO", "EVENT"];
    let (ranked, sentences) = names(passage(prompt));
    let known: BTreeSet<&str> = ranked
        .iter()
        .take(to)
        .map(|(name, ..)| name.as_str())
        .collect();
    let picked: BTreeSet<&str> = ranked
        .iter()
        .take(to)
        .skip(from)
        .map(|(name, ..)| name.as_str())
        .collect();
    let mut records: Vec<String> = ranked
        .iter()
        .take(to)
        .skip(from)
        .map(|(name, _, sentence)| {
            let kind = TYPES[(number(name) % TYPES.len() as u64) as usize];
            format!(
                "(\"entity\"<|>{name}<|>{kind}<|>{} appears in the passage: {sentence})",
                title(name)
            )
        })
        .collect();
    let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut before: Vec<&str> = Vec::new();
    for sentence in &sentences {
        let own: Vec<&str> = sentence
            .iter()
            .map(String::as_str)
            .filter(|name| known.contains(name))
            .collect();
        let pool: BTreeSet<&str> = before.iter().chain(&own).copied().collect();
        for a in &pool {
            for b in
                pool.range::<str, _>((std::ops::Bound::Excluded(*a), std::ops::Bound::Unbounded))
            {
                if picked.contains(a) || picked.contains(b) {
                    *pairs.entry((a, b)).or_insert(0) += 1;
                }
            }
        }
        before = own;
    }
    let mut pairs: Vec<((&str, &str), usize)> = pairs.into_iter().collect();
    pairs.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    records.extend(pairs.into_iter().take(2 * picked.len().max(1)).map(|((a, b), count)| {
        format!("(\"relationship\"<|>{a}<|>{b}<|>{} and {} occur together {count} time(s) in this passage<|>{})", title(a), title(b), count.min(10))
    }));
    format!("{}\n<|COMPLETE|>", records.join("\n##\n"))
}

fn claims(prompt: &str) -> String {
    let (ranked, _) = names(passage(prompt));
    let rows: Vec<String> = ranked
        .iter()
        .take(3)
        .map(|(name, _, sentence)| {
            format!(
                "({name}<|>NONE<|>MENTION<|>TRUE<|>NONE<|>NONE<|>{} is mentioned<|>{sentence})",
                title(name)
            )
        })
        .collect();
    format!("{}\n<|COMPLETE|>", rows.join("\n##\n"))
}

fn summary(all: &str) -> String {
    let name = all
        .split("Entities:")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .map(clean)
        .unwrap_or_default();
    let list = all.rsplit("Description List:").next().unwrap_or_default();
    let notes = list.matches('"').count() / 2;
    let first: String = clean(list).chars().skip(1).take(160).collect();
    format!("{name} is described by {notes} notes; the first says: {first}")
}

/// Rows that begin with a number and a comma or a bar: id and what follows.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (id, rest) = line.split_at(digits);
        let rest = rest.strip_prefix([',', '|'])?;
        (digits > 0).then_some((id, rest))
    })
}

fn ids(text: &str, most: usize) -> Vec<String> {
    let data = text.rfind("Data tables").map_or(text, |at| &text[at..]);
    let mut seen = BTreeSet::new();
    let mut ids: Vec<String> = rows(data)
        .map(|(id, _)| id.to_string())
        .filter(|id| seen.insert(id.clone()))
        .take(most)
        .collect();
    if ids.is_empty() {
        ids.push("0".to_string());
    }
    ids
}

/// Numbers of the reports that DRIFT's first round reads.
fn reports(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("Report "))
        .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        .collect()
}

fn cited(text: &str) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for part in text.split("Data: Reports (").skip(1) {
        let id = part.split([')', ',']).next().unwrap_or_default();
        if !ids.contains(&id) && ids.len() < 5 {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        "0".to_string()
    } else {
        ids.join(", ")
    }
}

fn report(all: &str) -> String {
    let data = all.rfind("# Real Data").map_or(all, |at| &all[at..]);
    let members: Vec<(&str, String)> = rows(data)
        .filter_map(|(id, rest)| {
            let name = rest
                .trim_start_matches('"')
                .split([',', '|', '"'])
                .next()
                .unwrap_or_default();
            name.starts_with(char::is_uppercase)
                .then(|| (id, title(&clean(name))))
        })
        .take(6)
        .collect();
    let members = if members.is_empty() {
        vec![("0", "Unnamed Group".to_string())]
    } else {
        members
    };
    let ids: Vec<&str> = members.iter().take(5).map(|(id, _)| *id).collect();
    let findings: Vec<Value> = members
        .iter()
        .take(5)
        .enumerate()
        .map(|(at, (_, name))| {
            let other = &members[(at + 1) % members.len()].1;
            json!({"summary": format!("{name} is a member"),
                "explanation": format!("{name} belongs to this community and is linked to {other}. [Data: Entities ({})]", ids.join(", "))})
        })
        .collect();
    let names: Vec<&str> = members
        .iter()
        .take(3)
        .map(|(_, name)| name.as_str())
        .collect();
    json!({
        "title": names.join(" and "),
        "summary": format!("A community of {} main members led by {}.", members.len(), members[0].1),
        "rating": (number(data) % 90) as f64 / 10.0 + 1.0,
        "rating_explanation": "A rating of the stand-in.",
        "findings": findings,
    })
    .to_string()
}

/// A unit vector from the words of a text.
pub fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0f32; dimensions];
    for word in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(400)
    {
        let mut x = number(word);
        for _ in 0..4 {
            vector[(x % dimensions as u64) as usize] += if (x >> 20) & 1 == 1 { 1.0 } else { -1.0 };
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
        }
    }
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|value| *value /= norm);
    } else {
        vector[0] = 1.0;
    }
    vector
}
