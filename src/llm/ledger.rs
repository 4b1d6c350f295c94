//! The run's record: one JSON line for every call attempt and every item, as it happens.
//!
//! Lines are handed to a writer thread, which appends whatever has come in one write. The ledger informs (`status`, the
//! list of failures, the cost so far); what must not be paid twice is in the answer cache, which does not depend on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::batch::Settled;
use crate::model::Outcome;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A command began.
    RunStarted {
        /// The command line's verb and method.
        command: String,
    },
    /// A command ended by itself (not killed), with or without failures.
    RunFinished {
        /// Items that failed.
        failed: u64,
    },
    /// One request is about to be sent by itself; its `Call` follows, unless the process is killed before.
    Sending {
        /// The stage's word.
        stage: String,
    },
    /// One request and what came of it.
    Call {
        /// The stage's word.
        stage: String,
        /// What it was about.
        item: String,
        /// Model name.
        model: String,
        /// Which question about the item: 0 is the first, others were asked anew.
        attempt: u32,
        /// Which sending of that question, from 0.
        send: u32,
        /// HTTP status, 0 when no reply came.
        status: u16,
        /// From sending to the last byte.
        milliseconds: u64,
        /// As the server counted.
        prompt_tokens: u64,
        /// As the server counted.
        completion_tokens: u64,
        /// `None`: unknown price.
        cost: Option<f64>,
        /// `answered`, or why not.
        result: String,
        /// The question's name in its batch; absent where it was sent by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<String>,
    },
    /// The end of one item of a stage.
    Item {
        /// The stage's word.
        stage: String,
        /// What it was.
        item: String,
        /// How it ended.
        #[serde(flatten)]
        outcome: Outcome,
        /// Nothing was sent for it.
        cached: bool,
    },
    /// Something the analyst should know.
    Warning {
        /// What and what to do.
        message: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    /// Unix milliseconds.
    at: u64,
    #[serde(flatten)]
    event: Event,
}

/// Appends to a ledger; cheap to clone. Without a file it records nothing.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Option<std::sync::Arc<Writer>>);

#[derive(Debug)]
struct Writer {
    lines: Option<mpsc::Sender<Vec<u8>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Ends a half-written last line, so that the next one is read.
fn mend_tail(file: &mut File) -> io::Result<()> {
    let len = file.seek(SeekFrom::End(0))?;
    if len == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(len - 1))?;
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

impl Ledger {
    /// Opens or creates the ledger at `path`.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)?;
        mend_tail(&mut file)?;
        let (lines, queue) = mpsc::channel::<Vec<u8>>();
        let thread = std::thread::Builder::new()
            .name("ledger".into())
            .spawn(move || {
                while let Ok(mut batch) = queue.recv() {
                    while let Ok(more) = queue.try_recv() {
                        batch.extend_from_slice(&more);
                    }
                    // a full disk is reported by the answer cache, which stops the run
                    let _ = file.write_all(&batch);
                }
                let _ = file.sync_data();
            })?;
        Ok(Self(Some(std::sync::Arc::new(Writer {
            lines: Some(lines),
            thread: Some(thread),
        }))))
    }

    /// Whether anything is recorded.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Records an event.
    pub fn record(&self, event: Event) {
        let Some(lines) = self.0.as_ref().and_then(|writer| writer.lines.as_ref()) else {
            return;
        };
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            });
        if let Ok(mut line) = serde_json::to_vec(&Line { at, event }) {
            line.push(b'\n');
            // the writer ends only when the last sender does
            let _ = lines.send(line);
        }
    }
}

/// Sums over calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// Requests sent.
    pub sent: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Tokens.
    pub prompt_tokens: u64,
    /// Tokens.
    pub completion_tokens: u64,
    /// Money for calls of known price.
    pub cost: f64,
    /// Models that answered calls of unknown price.
    pub unpriced: BTreeSet<String>,
    /// Milliseconds on the wire.
    pub milliseconds: u64,
}

/// One stage as the ledger tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageSummary {
    /// The newest outcome of every item.
    pub items: BTreeMap<String, Outcome>,
    /// Its calls over all runs.
    pub calls: Calls,
}

impl StageSummary {
    /// Items by outcome word.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for outcome in self.items.values() {
            *counts.entry(outcome.word()).or_insert(0) += 1;
        }
        counts
    }

    /// Failed items with their reasons.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.items
            .iter()
            .filter_map(|(item, outcome)| match outcome {
                Outcome::Failed(why) => Some((item.as_str(), why.as_str())),
                _ => None,
            })
    }
}

/// Everything a ledger tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// By stage word.
    pub stages: BTreeMap<String, StageSummary>,
    /// Calls of all stages.
    pub calls: Calls,
    /// Calls since the last `RunFinished`: what the present run and its killed predecessors spent.
    pub calls_of_run: Calls,
    /// Requests of which the end is not recorded: they are on their way, or their process was killed.
    pub unended: u64,
    /// Of these, the ones of the present process.
    on_their_way: u64,
    /// How often each question got its reply from a batch since the last `RunFinished`.
    pub settled_of_run: Settled,
    /// `RunStarted` events.
    pub started: u64,
    /// `RunFinished` events: the number of the present run.
    pub finished: u64,
    /// The last run has not finished.
    pub unfinished: bool,
    /// Failures counted by the last `RunFinished`.
    pub last_failed: u64,
    /// Warnings with how often each was given.
    pub warnings: BTreeMap<String, u64>,
    /// Unix milliseconds of the first and the last line.
    pub first_at: Option<u64>,
    /// See `first_at`.
    pub last_at: Option<u64>,
    /// Lines that could not be read (a kill in mid-line).
    pub unreadable: u64,
}

impl Summary {
    /// Reads a ledger; a missing one is empty.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        match File::open(path) {
            Ok(file) => Self::from_lines(BufReader::with_capacity(256 << 10, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Counts finished runs without reading the lines' fields.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count_finished(path: &Path) -> io::Result<u64> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            result => result?,
        };
        let mut reader = BufReader::with_capacity(256 << 10, file);
        let (mut line, mut count) = (Vec::new(), 0);
        while reader.read_until(b'\n', &mut line)? > 0 {
            // only such a line is short; in texts the quotes would be escaped
            let finished = line.len() < 200
                && line
                    .windows(22)
                    .any(|part| part == br#""event":"run_finished""#);
            count += u64::from(finished);
            line.clear();
        }
        Ok(count)
    }

    fn from_lines(mut reader: impl BufRead) -> io::Result<Self> {
        let mut summary = Self::default();
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes)? > 0 {
            match serde_json::from_slice::<Line>(&bytes) {
                Ok(line) => summary.add(line),
                Err(_) => summary.unreadable += u64::from(!bytes.trim_ascii().is_empty()),
            }
            bytes.clear();
        }
        Ok(summary)
    }

    fn add(&mut self, line: Line) {
        self.first_at.get_or_insert(line.at);
        self.last_at = Some(line.at);
        match line.event {
            Event::RunStarted { .. } => {
                self.started += 1;
                self.unfinished = true;
                self.on_their_way = 0;
            }
            Event::RunFinished { failed } => {
                self.finished += 1;
                self.unfinished = false;
                self.last_failed = failed;
                self.calls_of_run = Calls::default();
                self.settled_of_run.clear();
            }
            Event::Sending { .. } => {
                self.unended += 1;
                self.on_their_way += 1;
            }
            Event::Call {
                stage,
                model,
                status,
                milliseconds,
                prompt_tokens,
                completion_tokens,
                cost,
                batch,
                ..
            } => {
                match batch {
                    Some(id) => *self.settled_of_run.entry(id).or_insert(0) += 1,
                    // Ledgers of older versions have ends without beginnings.
                    None if self.on_their_way > 0 => {
                        self.on_their_way -= 1;
                        self.unended -= 1;
                    }
                    None => {}
                }
                let answered = (200..300).contains(&status);
                let stage = self.stages.entry(stage).or_default();
                for calls in [&mut stage.calls, &mut self.calls, &mut self.calls_of_run] {
                    calls.sent += 1;
                    calls.answered += u64::from(answered);
                    calls.prompt_tokens += prompt_tokens;
                    calls.completion_tokens += completion_tokens;
                    calls.cost += cost.unwrap_or(0.0);
                    if answered && cost.is_none() && !calls.unpriced.contains(&model) {
                        calls.unpriced.insert(model.clone());
                    }
                    calls.milliseconds += milliseconds;
                }
            }
            Event::Item {
                stage,
                item,
                outcome,
                ..
            } => {
                self.stages
                    .entry(stage)
                    .or_default()
                    .items
                    .insert(item, outcome);
            }
            Event::Warning { message } => *self.warnings.entry(message).or_insert(0) += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, outcome: Outcome) -> Event {
        Event::Item {
            stage: "extract_graph".into(),
            item: name.into(),
            outcome,
            cached: false,
        }
    }

    fn call(status: u16, cost: Option<f64>) -> Event {
        Event::Call {
            stage: "extract_graph".into(),
            item: "a".into(),
            model: "m".into(),
            attempt: 0,
            send: 0,
            status,
            milliseconds: 5,
            prompt_tokens: 10,
            completion_tokens: 2,
            cost,
            result: "answered".into(),
            batch: None,
        }
    }

    #[test]
    fn the_newest_outcome_of_an_item_counts_and_costs_add_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/ledger.jsonl");
        let ledger = Ledger::open(&path).unwrap();
        ledger.record(Event::RunStarted {
            command: "index".into(),
        });
        ledger.record(call(200, Some(0.5)));
        ledger.record(item("a", Outcome::Failed("no json".into())));
        ledger.record(item("b", Outcome::Empty));
        ledger.record(Event::RunFinished { failed: 1 });
        drop(ledger);
        // killed in mid-line, then resumed
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"at\":12,\"ev")
            .unwrap();
        let ledger = Ledger::open(&path).unwrap();
        ledger.record(Event::RunStarted {
            command: "index".into(),
        });
        ledger.record(call(429, None));
        ledger.record(call(200, Some(0.25)));
        ledger.record(item("a", Outcome::Repaired("fence".into())));
        drop(ledger);
        assert_eq!(Summary::count_finished(&path).unwrap(), 1);
        let summary = Summary::read(&path).unwrap();
        let stage = &summary.stages["extract_graph"];
        assert_eq!(
            stage.counts(),
            BTreeMap::from([("empty", 1), ("repaired", 1)])
        );
        assert_eq!(stage.failed().count(), 0);
        assert_eq!(
            (
                summary.calls.sent,
                summary.calls.answered,
                summary.calls.cost
            ),
            (3, 2, 0.75)
        );
        assert_eq!(
            (summary.calls_of_run.sent, summary.calls_of_run.cost),
            (2, 0.25)
        );
        assert_eq!(
            (
                summary.started,
                summary.finished,
                summary.unfinished,
                summary.unreadable
            ),
            (2, 1, true, 1)
        );
    }

    #[test]
    fn no_ledger_is_an_empty_summary() {
        assert_eq!(
            Summary::read(Path::new("/nonexistent/ledger")).unwrap(),
            Summary::default()
        );
        Ledger::default().record(Event::Warning {
            message: "x".into(),
        });
    }
}
