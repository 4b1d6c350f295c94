//! The one task that looks after the batches of a model: collects, sends, watches, hands the replies out.

mod landing;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::super::error::shown;
use super::super::request::{Key, KeyHasher};
use super::super::settings::EndpointSettings;
use super::super::transport::Ticket;
use super::BatchSettings;
use super::api::{BatchApi, RequestCounts};
use super::lines::{AROUND_BODY, Reply, push_line, unanswered};
use super::record::{Asked, Record, custom_id, key_of};
use super::submit::{Provider, Refused, stop};
use crate::model::shown::agreed;

/// First look at a batch after it was sent.
const FIRST_LOOK: Duration = Duration::from_secs(5);

type Waiter = oneshot::Sender<Reply>;

/// A call that waits for its reply.
pub(super) struct Waiting {
    pub ticket: Ticket,
    pub body: String,
    pub reply: Waiter,
}

/// A question to be sent, with everyone who waits for it.
struct Queued {
    ticket: Ticket,
    body: String,
    waiters: Vec<Waiter>,
}

impl Queued {
    fn bytes(&self) -> usize {
        self.body.len() + AROUND_BODY
    }

    /// What the provider counts against the account's limit, as far as can be told.
    fn tokens(&self) -> u64 {
        self.body.len() as u64 / 4
    }
}

/// A batch at the provider.
struct Sent {
    record: Record,
    waiting: FxHashMap<Key, Vec<Waiter>>,
    /// Its questions in full until it is known to be taken: it may have to be sent in parts.
    bodies: Option<FxHashMap<Key, String>>,
    /// Replies nobody has asked for yet; `None` until they are fetched.
    replies: Option<FxHashMap<Key, Reply>>,
    tokens: u64,
    next_look: Option<Instant>,
    interval: Duration,
    shown: Option<RequestCounts>,
}

/// See the module.
pub(super) struct Driver {
    provider: Provider,
    settings: BatchSettings,
    address: String,
    model: String,
    /// Azure knows a model by its deployment.
    deployment: Option<String>,
    queue: IndexMap<Key, Queued, FxBuildHasher>,
    queued_bytes: usize,
    flush_at: Option<Instant>,
    batches: Vec<Sent>,
    /// The newest batch a question is in, until its reply is handed out.
    latest: FxHashMap<Key, usize>,
    /// Prompt tokens the account may have in unfinished batches, once known.
    room: Option<u64>,
    /// What stops everything that is not sent yet.
    broken: Option<Reply>,
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

impl Driver {
    pub fn new(
        api: BatchApi,
        endpoint: &EndpointSettings,
        settings: BatchSettings,
        records: Vec<Record>,
    ) -> Self {
        let azure = endpoint.provider.starts_with("azure");
        let interval = settings.poll.min(FIRST_LOOK);
        let mut driver = Self {
            provider: Provider {
                api,
                first_wait: settings.poll.min(Duration::from_secs(1)),
                url: if azure {
                    "/chat/completions"
                } else {
                    "/v1/chat/completions"
                },
            },
            address: endpoint.address(),
            model: endpoint.model.clone(),
            deployment: azure.then(|| endpoint.azure_deployment.clone()).flatten(),
            queue: IndexMap::default(),
            queued_bytes: 0,
            flush_at: None,
            batches: Vec::new(),
            latest: FxHashMap::default(),
            room: settings.max_queued_tokens,
            broken: None,
            settings,
        };
        for record in records {
            let next_look = (!record.ended).then(Instant::now);
            driver.add(record, FxHashMap::default(), None, 0, next_look, interval);
        }
        driver
    }

    fn add(
        &mut self,
        record: Record,
        waiting: FxHashMap<Key, Vec<Waiter>>,
        bodies: Option<FxHashMap<Key, String>>,
        tokens: u64,
        next_look: Option<Instant>,
        interval: Duration,
    ) {
        let at = self.batches.len();
        for id in record.requests.iter().filter_map(|asked| key_of(&asked.id)) {
            self.latest.insert(id, at);
        }
        self.batches.push(Sent {
            record,
            waiting,
            bodies,
            replies: None,
            tokens,
            next_look,
            interval,
            shown: None,
        });
    }

    /// Runs until nobody can ask any more.
    pub async fn run(mut self, mut calls: mpsc::UnboundedReceiver<Waiting>) {
        self.find_unconfirmed().await;
        loop {
            let wake = self
                .batches
                .iter()
                .filter_map(|sent| sent.next_look)
                .chain(self.flush_at)
                .min();
            let sleep = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                call = calls.recv() => match call {
                    Some(call) => {
                        self.arrive(call);
                        while let Ok(call) = calls.try_recv() {
                            self.arrive(call);
                        }
                        if self.is_full() {
                            self.flush(true).await;
                        }
                    }
                    None => return,
                },
                () = sleep => self.work().await,
            }
        }
    }

    /// Learns the ids of batches whose creation an earlier process did not live to write down.
    async fn find_unconfirmed(&mut self) {
        for at in 0..self.batches.len() {
            if self.batches[at].record.batch.is_some() {
                continue;
            }
            match self.provider.find_again(&self.batches[at].record).await {
                Ok(Some(id)) => {
                    self.batches[at].record.batch = Some(id);
                    self.save(at);
                }
                Ok(None) => {
                    // it was never taken: its questions are asked anew
                    self.latest.retain(|_, own| *own != at);
                    self.batches[at].next_look = None;
                    self.batches[at].record.remove(&self.settings.folder);
                }
                Err(refusal) => {
                    self.latest.retain(|_, own| *own != at);
                    self.batches[at].next_look = None;
                    self.broken = Some(refusal);
                }
            }
        }
    }

    fn save(&mut self, at: usize) {
        // a record that cannot be written is found by its name; a full disk stops the run at the next answer
        let _ = self.batches[at].record.save(&self.settings.folder);
    }

    fn say(&self, at: usize, what: &str) {
        let of = self.batches.len();
        (self.settings.say)(&format!("batch {} of {of}: {what}", at + 1));
    }

    fn arrive(&mut self, call: Waiting) {
        let id = call.ticket.id;
        if let Some(&at) = self.latest.get(&id) {
            let sent = &mut self.batches[at];
            match &mut sent.replies {
                Some(replies) => {
                    self.latest.remove(&id);
                    let reply = replies
                        .remove(&id)
                        .unwrap_or_else(|| unanswered("its batch ended without an answer to it"));
                    let _ = call.reply.send(reply);
                }
                None => {
                    sent.waiting.entry(id).or_default().push(call.reply);
                    sent.next_look.get_or_insert_with(Instant::now);
                }
            }
            return;
        }
        if let Some(broken) = &self.broken {
            let _ = call.reply.send(broken.clone());
            return;
        }
        let queued = Queued {
            ticket: call.ticket,
            body: self.body(call.body),
            waiters: vec![call.reply],
        };
        self.push(queued);
        self.flush_at = Some(Instant::now() + self.settings.linger);
    }

    fn push(&mut self, queued: Queued) {
        match self.queue.entry(queued.ticket.id) {
            indexmap::map::Entry::Occupied(mut own) => own.get_mut().waiters.extend(queued.waiters),
            indexmap::map::Entry::Vacant(free) => {
                self.queued_bytes += queued.bytes();
                free.insert(queued);
            }
        }
    }

    /// A request as a line may hold it: Azure wants the deployment for the model.
    fn body(&self, body: String) -> String {
        let Some(deployment) = &self.deployment else {
            return body;
        };
        match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&body) {
            Ok(mut fields) => {
                fields.insert("model".to_owned(), deployment.clone().into());
                serde_json::Value::Object(fields).to_string()
            }
            Err(_) => body,
        }
    }

    fn is_full(&self) -> bool {
        self.queue.len() > self.settings.max_requests || self.queued_bytes > self.settings.max_bytes
    }

    async fn work(&mut self) {
        let now = Instant::now();
        if self.flush_at.is_some_and(|at| at <= now) {
            self.flush(false).await;
        }
        for at in 0..self.batches.len() {
            if self.batches[at].next_look.is_some_and(|look| look <= now) {
                self.look(at).await;
            }
        }
    }

    /// Sends what waits, in as few batches as the limits allow; `full`: only full ones.
    async fn flush(&mut self, full: bool) {
        self.flush_at = None;
        if let Some(broken) = self.broken.clone() {
            self.refuse(Vec::new(), broken);
            return;
        }
        // nobody waits for the answers of a run that was stopped
        self.queue
            .retain(|_, queued| queued.waiters.iter().any(|waiter| !waiter.is_closed()));
        self.queued_bytes = self.queue.values().map(Queued::bytes).sum();
        while !self.queue.is_empty() && (!full || self.is_full()) {
            let unfinished: u64 = self
                .batches
                .iter()
                .filter(|sent| sent.next_look.is_some())
                .map(|sent| sent.tokens)
                .sum();
            let room = self.room.map(|room| room.saturating_sub(unfinished));
            let fits = cut(self.queue.values(), &self.settings, room);
            if fits == 0 && unfinished > 0 {
                // goes on when a batch ends
                return;
            }
            let group: Vec<Queued> = self
                .queue
                .drain(..fits.max(1))
                .map(|(_, queued)| queued)
                .collect();
            self.queued_bytes -= group.iter().map(Queued::bytes).sum::<usize>();
            if !self.send(group).await {
                return;
            }
        }
        if !self.queue.is_empty() {
            self.flush_at = Some(Instant::now() + self.settings.linger);
        }
    }

    /// Sends one batch; `false` when the queue has to wait.
    async fn send(&mut self, group: Vec<Queued>) -> bool {
        let mut lines = Vec::with_capacity(group.iter().map(Queued::bytes).sum());
        let mut requests = Vec::with_capacity(group.len());
        for queued in &group {
            push_line(
                &mut lines,
                queued.ticket.id,
                self.provider.url,
                &queued.body,
            );
            requests.push(Asked {
                id: custom_id(queued.ticket.id),
                tokens: queued.ticket.tokens,
                cost: queued.ticket.cost,
            });
        }
        let mut record = Record {
            name: new_name(&lines),
            address: self.address.clone(),
            model: self.model.clone(),
            prepared: unix_seconds(),
            batch: None,
            ended: false,
            requests,
        };
        let folder = self.settings.folder.clone();
        if let Err(error) = record.save(&folder) {
            return self.refuse(group, stop(&error.to_string()));
        }
        match self.provider.submit(&record, &lines).await {
            Ok(id) => record.batch = Some(id),
            Err(Refused::TooManyTokens(words)) => {
                record.remove(&folder);
                let tokens = group.iter().map(Queued::tokens).sum();
                return self.lower_room(group, tokens, &words);
            }
            Err(Refused::Plainly(reply)) => {
                record.remove(&folder);
                return self.refuse(group, reply);
            }
            // the record stays: should the batch have been made after all, the next run finds it by its name
            Err(Refused::Unclear(reply)) => return self.refuse(group, reply),
        }
        let tokens = group.iter().map(Queued::tokens).sum();
        let mut waiting: FxHashMap<Key, Vec<Waiter>> = FxHashMap::default();
        let mut bodies = FxHashMap::default();
        for queued in group {
            bodies.insert(queued.ticket.id, queued.body);
            waiting.insert(queued.ticket.id, queued.waiters);
        }
        let interval = self.settings.poll.min(FIRST_LOOK);
        let requests = record.requests.len();
        let look = Some(Instant::now() + interval);
        self.add(record, waiting, Some(bodies), tokens, look, interval);
        let at = self.batches.len() - 1;
        self.save(at);
        self.say(at, &format!("0 of {requests} done"));
        true
    }

    fn refuse(&mut self, group: Vec<Queued>, reply: Reply) -> bool {
        self.queued_bytes = 0;
        let rest = std::mem::take(&mut self.queue);
        for queued in group.into_iter().chain(rest.into_values()) {
            hand_out(queued.waiters, &reply);
        }
        self.broken = Some(reply);
        let open = self.batches.iter().filter(|sent| sent.next_look.is_some());
        match open.count() {
            0 => {}
            open => (self.settings.say)(&format!(
                "nothing more is sent; {} still waited for (Ctrl-C leaves them at the provider)",
                agreed(open, "batch is", "batches are")
            )),
        }
        false
    }

    /// The account may not have that many tokens in unfinished batches: less at a time, or later.
    fn lower_room(&mut self, group: Vec<Queued>, tokens: u64, words: &str) -> bool {
        let others: u64 = self
            .batches
            .iter()
            .filter(|sent| sent.next_look.is_some())
            .map(|sent| sent.tokens)
            .sum();
        if others == 0 && group.len() == 1 {
            let words = format!(
                "one request is more than the account's limit of tokens in batches ({}); index without --batch",
                shown(words)
            );
            return self.refuse(group, stop(&words));
        }
        self.room = Some(if others > 0 { others } else { tokens / 2 });
        for queued in group {
            self.push(queued);
        }
        if others == 0 {
            self.flush_at = Some(Instant::now() + self.provider.first_wait);
        }
        (self.settings.say)(&format!(
            "the account's limit of tokens in batches is reached: the rest is sent later ({})",
            shown(words)
        ));
        false
    }
}

fn hand_out(waiters: Vec<Waiter>, reply: &Reply) {
    for waiter in waiters {
        // a call that was stopped meanwhile wants no reply
        let _ = waiter.send(reply.clone());
    }
}

/// How many of the first questions fit one batch.
fn cut<'a>(
    queue: impl Iterator<Item = &'a Queued>,
    settings: &BatchSettings,
    room: Option<u64>,
) -> usize {
    let (mut bytes, mut tokens) = (0, 0);
    queue
        .take(settings.max_requests)
        .take_while(|queued| {
            bytes += queued.bytes();
            tokens += queued.tokens();
            bytes <= settings.max_bytes && room.is_none_or(|room| tokens <= room)
        })
        .count()
}

/// A name no other batch has, and that cannot stand in the lines themselves.
fn new_name(lines: &[u8]) -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut hasher = KeyHasher::new("batch.1");
    hasher
        .part(lines)
        .part(&since.as_nanos().to_le_bytes())
        .part(&std::process::id().to_le_bytes());
    custom_id(hasher.finish())
}
