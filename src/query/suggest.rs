//! Questions worth asking: themes from the reports, follow-ups from what the last question was about. By the original's question
//! generation where there is a model, else from titles, entities and relationships.

use rustc_hash::FxHashSet;
use serde::Serialize;

use super::answer::Engine;
use super::context::Turn;
use super::error::QueryError;
use super::index::{Column, NO_ROW, list};
use super::levels;
use super::lexical;
use crate::llm::{ChatRequest, Message, RawAnswer, Stage, Verdict, in_words};
use crate::query::models::Reply;
use crate::report::citations;

/// Tokens of reports that are read to find themes.
const REPORT_TOKENS: usize = 8_000;

/// Suggested questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Suggestions {
    /// About the corpus as a whole.
    pub themes: Vec<String>,
    /// About what was asked last, or about the things that matter most.
    pub follow_ups: Vec<String>,
    /// What the asker should know.
    pub notes: Vec<String>,
}

impl Engine<'_> {
    /// Proposes up to `count` themes and as many follow-ups; `asked` are questions asked before, the latest last.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn suggest(
        &self,
        asked: &[String],
        count: usize,
        level: Option<u32>,
    ) -> Result<Suggestions, QueryError> {
        let level = levels::choose(self.index.communities()?, level)?;
        let mut reports = self.reports_at(level)?;
        let ranks = &self.index.reports()?.ranks;
        // NaN, where a report has no rank, sorts as the greatest.
        let rank = |row: u32| {
            Some(ranks[row as usize])
                .filter(|rank| !rank.is_nan())
                .unwrap_or(0.0)
        };
        reports.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)).then(a.cmp(&b)));
        if self.chat.is_none() {
            return Ok(Suggestions {
                themes: self.themes(&reports, asked, count)?,
                follow_ups: self.follow_ups(&reports, asked, count).await?,
                notes: vec!["made without a model, from titles and names".to_owned()],
            });
        }
        let themes = self
            .generate(&self.report_table(&reports)?, asked, count)
            .await?;
        let follow_ups = match asked.last() {
            None => Vec::new(),
            Some(last) => {
                let history: Vec<Turn> = asked
                    .iter()
                    .map(|question| Turn {
                        question: question.clone(),
                        answer: String::new(),
                    })
                    .collect();
                let tokens = self.params.local_tokens;
                let (_, context) = self
                    .local_context(last, &history[..history.len() - 1], level, tokens)
                    .await?;
                self.generate(&context.text(), asked, count).await?
            }
        };
        Ok(Suggestions {
            themes,
            follow_ups,
            notes: Vec::new(),
        })
    }

    fn report_table(&self, reports: &[u32]) -> Result<String, QueryError> {
        let table = self.index.reports()?;
        let texts = self
            .index
            .texts(Column::ReportText, reports.iter().copied())?;
        let mut text = "-----Reports-----\nid|content\n".to_owned();
        let mut tokens = 0;
        for &row in reports {
            let line = format!(
                "{}|{}\n",
                table.numbers.of(row),
                texts.get(row).replace('\n', " ")
            );
            tokens += (self.count)(&line);
            if tokens > REPORT_TOKENS {
                break;
            }
            text.push_str(&line);
        }
        Ok(text)
    }

    async fn generate(
        &self,
        data: &str,
        asked: &[String],
        count: usize,
    ) -> Result<Vec<String>, QueryError> {
        let Some(chat) = self.chat else {
            return Ok(Vec::new());
        };
        let number = count.to_string();
        let values = [("context_data", data), ("question_count", number.as_str())];
        let mut messages = vec![Message::system(self.prompts.question_gen.render(&values))];
        messages.extend(
            asked
                .iter()
                .map(|question| Message::user(question.as_str())),
        );
        if asked.is_empty() {
            messages.push(Message::user("What should I ask?"));
        }
        let request = ChatRequest {
            stage: Stage::Questions,
            item: "questions to ask".to_owned(),
            messages,
            salt: self.index.fingerprint().to_owned(),
            ..ChatRequest::default()
        };
        let proposed = |answer: &RawAnswer| match in_words(answer) {
            Verdict::Accept(text, _) if questions_of(&text, &[], 1).is_empty() => {
                Verdict::AskAgain {
                    why: "the answer proposes no question".to_owned(),
                    partial: None,
                }
            }
            verdict => verdict.map(|text| Reply {
                text,
                ..Reply::default()
            }),
        };
        let answer = chat.ask(request, &proposed).await?;
        Ok(questions_of(&answer.value.text, asked, count))
    }

    /// One question a report of the highest rank.
    fn themes(
        &self,
        reports: &[u32],
        asked: &[String],
        count: usize,
    ) -> Result<Vec<String>, QueryError> {
        let titles = &self.index.reports()?.titles;
        let mut taken = Taken::new(asked);
        let mut found = Vec::new();
        for &row in reports {
            let title = titles.get(row as usize).trim().trim_end_matches(['.', '…']);
            let question = format!("What do the documents say about {title}?");
            if !title.is_empty() && found.len() < count && taken.is_new(title) {
                found.push(question);
            }
        }
        Ok(found)
    }

    /// Questions about how the last question's entities, or those of the first reports, hang together with others.
    async fn follow_ups(
        &self,
        reports: &[u32],
        asked: &[String],
        count: usize,
    ) -> Result<Vec<String>, QueryError> {
        let (entities, relationships) = (self.index.entities()?, self.index.relationships()?);
        let about: FxHashSet<u32> = match asked.last() {
            Some(last) => {
                let mapped = self.map(last, &[]).await?;
                mapped
                    .anchors
                    .iter()
                    .map(|anchor| anchor.entity)
                    .take(5)
                    .collect()
            }
            None => {
                let (communities, table) = (self.index.communities()?, self.index.reports()?);
                let of = |row: &u32| table.communities[*row as usize];
                reports
                    .iter()
                    .map(of)
                    .filter(|&community| community != NO_ROW)
                    .take(count)
                    .flat_map(|community| list(&communities.entities, community))
                    .copied()
                    .collect()
            }
        };
        let mut edges: Vec<u32> = Vec::new();
        for (row, ends) in relationships
            .sources
            .iter()
            .zip(&relationships.targets)
            .enumerate()
        {
            let row = row as u32;
            let touches = about.contains(ends.0) || about.contains(ends.1);
            let whole = *ends.0 != NO_ROW && *ends.1 != NO_ROW;
            if touches && whole && self.index.allows_relationship(row)? {
                edges.push(row);
            }
        }
        let weight = |row: u32| relationships.weights[row as usize];
        edges.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
        let mut taken = Taken::new(asked);
        let mut named: FxHashSet<u32> = FxHashSet::default();
        let mut found = Vec::new();
        for row in edges {
            let ends = [
                relationships.sources[row as usize],
                relationships.targets[row as usize],
            ];
            let titles = ends.map(|end| entities.titles.get(end as usize));
            // A different thing in every question.
            let fresh = ends.iter().any(|end| !named.contains(end));
            if found.len() < count && fresh && taken.is_new(&titles.join(" ")) {
                named.extend(ends);
                found.push(format!(
                    "How are {} and {} connected?",
                    titles[0], titles[1]
                ));
            }
        }
        Ok(found)
    }
}

/// What was asked or proposed already, by its words.
struct Taken(FxHashSet<Vec<u64>>);

impl Taken {
    fn new(asked: &[String]) -> Self {
        Self(
            asked
                .iter()
                .map(|question| lexical::term_set(question))
                .collect(),
        )
    }

    fn is_new(&mut self, text: &str) -> bool {
        let terms = lexical::term_set(text);
        !terms.is_empty() && self.0.insert(terms)
    }
}

/// The items of a list, each once, none that was asked; lines that are no item are left out where there are items.
fn questions_of(answer: &str, asked: &[String], count: usize) -> Vec<String> {
    let plain = citations::strip(answer);
    let items: Vec<&str> = plain.lines().filter_map(item).collect();
    let lines: Vec<&str> = match items.is_empty() {
        true => plain
            .lines()
            .filter(|line| line.trim_end().ends_with('?'))
            .collect(),
        false => items,
    };
    let mut taken = Taken::new(asked);
    lines
        .into_iter()
        .map(|line| line.trim().trim_matches(['"', '*']).to_owned())
        .filter(|question| taken.is_new(question))
        .take(count)
        .collect()
}

fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(text) = line.strip_prefix(['-', '*', '•']) {
        return text.starts_with(' ').then_some(text);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line[digits..]
        .strip_prefix(['.', ')'])
        .filter(|_| digits > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_the_items_each_once_and_none_that_was_asked() {
        let answer = "Here you are:\n- Who is Osei?\n* What burst at Lune?\n3. **Who runs Harrow?**\n- who is OSEI\n";
        let asked = ["What burst at Lune?".to_owned()];
        assert_eq!(
            questions_of(answer, &asked, 9),
            ["Who is Osei?", "Who runs Harrow?"]
        );
        assert_eq!(questions_of(answer, &[], 1), ["Who is Osei?"]);
        assert_eq!(
            questions_of("Who?\nWhere is Harrow?\nNo.", &[], 9),
            ["Where is Harrow?"]
        );
    }
}
