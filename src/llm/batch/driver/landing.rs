//! Looking at batches that were sent, and taking in what ended.

use rustc_hash::FxHashMap;
use tokio::time::Instant;

use super::super::api::{Batch, RequestCounts};
use super::super::lines::{Reply, read_lines, unanswered};
use super::super::record::key_of;
use super::super::submit::{batch_in, is_token_limit, may_pass, stop};
use super::{Driver, Queued, hand_out};
use crate::llm::error::shown;
use crate::llm::request::Key;
use crate::llm::transport::Ticket;

impl Driver {
    pub(super) async fn look(&mut self, at: usize) {
        let Some(id) = self.batches[at].record.batch.clone() else {
            self.batches[at].next_look = None;
            return;
        };
        let answer = self.provider.api.get(&id).await;
        let sent = &mut self.batches[at];
        sent.interval = (sent.interval * 3 / 2).min(self.settings.poll);
        sent.next_look = Some(Instant::now() + sent.interval);
        let Some(batch) = batch_in(&answer) else {
            let passing = may_pass(&answer) || answer.as_ref().is_ok_and(|r| r.status < 300);
            let refusal = self
                .provider
                .refusal(&format!("batch {id} cannot be looked up"), answer);
            if passing {
                // the batch goes on without us: a night without a network loses nothing
                self.say(at, "no word from the provider, trying on");
            } else {
                self.fail_waiting(at, &refusal);
            }
            return;
        };
        if batch.has_ended() {
            self.end(at, &batch).await;
            return;
        }
        if matches!(batch.status.as_str(), "in_progress" | "finalizing") {
            self.batches[at].bodies = None;
        }
        let counts = batch.request_counts.unwrap_or_default();
        if counts.total > 0 && self.batches[at].shown.replace(counts) != Some(counts) {
            self.say(at, &counts_shown(counts));
        }
    }

    /// Every call that waits for this batch gets the same reply; the batch stays on record for the next run.
    pub(super) fn fail_waiting(&mut self, at: usize, reply: &Reply) {
        let sent = &mut self.batches[at];
        sent.next_look = None;
        for (_, waiters) in sent.waiting.drain() {
            hand_out(waiters, reply);
        }
        self.go_on();
    }

    /// Takes up again what was held back for want of room.
    pub(super) fn go_on(&mut self) {
        if !self.queue.is_empty() {
            self.flush_at.get_or_insert_with(Instant::now);
        }
    }

    async fn end(&mut self, at: usize, batch: &Batch) {
        if batch.status == "failed" {
            self.refused_as_a_whole(at, batch);
            return;
        }
        let mut replies: FxHashMap<Key, Reply> = FxHashMap::default();
        for file in [&batch.output_file_id, &batch.error_file_id]
            .into_iter()
            .flatten()
            .filter(|file| !file.is_empty())
        {
            match self.provider.content(file).await {
                Ok(Some(lines)) => {
                    for (id, reply) in read_lines(&lines.body) {
                        replies.entry(id).or_insert(reply);
                    }
                }
                Ok(None) => self.say(at, "the provider keeps its answers no longer"),
                Err(answer) if may_pass(&answer) => {
                    self.say(at, "done, its answers cannot be fetched yet, trying on");
                    return;
                }
                Err(answer) => {
                    let what = format!("the answers of batch {} cannot be fetched", batch.id);
                    let refusal = self.provider.refusal(&what, answer);
                    self.fail_waiting(at, &refusal);
                    return;
                }
            }
        }
        let missing = unanswered(&format!(
            "its batch ended ({}) without an answer to it",
            batch.status
        ));
        let sent = &mut self.batches[at];
        let (mut kept, mut answered) = (FxHashMap::default(), 0);
        let ids: Vec<Key> = sent
            .record
            .requests
            .iter()
            .filter_map(|asked| key_of(&asked.id))
            .collect();
        for id in ids {
            // a question that has been sent again since is answered there
            if self.latest.get(&id) != Some(&at) {
                continue;
            }
            let reply = replies.remove(&id).unwrap_or_else(|| missing.clone());
            answered += usize::from(reply.as_ref().is_ok_and(|r| r.status < 300));
            match sent.waiting.remove(&id) {
                Some(waiters) => {
                    self.latest.remove(&id);
                    hand_out(waiters, &reply);
                }
                None => {
                    kept.insert(id, reply);
                }
            }
        }
        sent.replies = Some(kept);
        sent.bodies = None;
        sent.next_look = None;
        sent.record.ended = true;
        let total = sent.record.requests.len();
        self.save(at);
        self.say(
            at,
            &format!("{}, {answered} of {total} answered", batch.status),
        );
        self.go_on();
    }

    /// Nothing of a failed batch was run, and nothing is charged for it.
    fn refused_as_a_whole(&mut self, at: usize, batch: &Batch) {
        let words = shown(&batch.failure());
        let sent = &mut self.batches[at];
        sent.next_look = None;
        sent.record.remove(&self.settings.folder);
        let mut waiting = std::mem::take(&mut sent.waiting);
        let (bodies, tokens) = (sent.bodies.take(), sent.tokens);
        let requests = std::mem::take(&mut sent.record.requests);
        self.latest.retain(|_, own| *own != at);
        if let (true, Some(mut bodies)) = (is_token_limit(&words), bodies) {
            let again = requests
                .iter()
                .filter_map(|asked| {
                    let id = key_of(&asked.id)?;
                    let ticket = Ticket {
                        id,
                        tokens: asked.tokens,
                        cost: asked.cost,
                    };
                    Some(Queued {
                        ticket,
                        body: bodies.remove(&id)?,
                        waiters: waiting.remove(&id)?,
                    })
                })
                .collect();
            self.lower_room(again, tokens, &words);
            return;
        }
        let reply = if is_token_limit(&words) {
            unanswered(&words)
        } else {
            let reply = stop(&format!(
                "the provider refused batch {} ({words}); correct that, or index without --batch",
                batch.id
            ));
            self.broken = Some(reply.clone());
            reply
        };
        for (_, waiters) in waiting {
            hand_out(waiters, &reply);
        }
        self.go_on();
    }
}

fn counts_shown(counts: RequestCounts) -> String {
    let failed = match counts.failed {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    format!(
        "{} of {} done{failed}",
        counts.completed + counts.failed,
        counts.total
    )
}
