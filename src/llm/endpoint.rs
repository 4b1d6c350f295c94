//! One model behind one address, with what was learnt about it: shared by every door that leads there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::answer::Usage;
use super::budget::WorstCase;
use super::error::Place;
use super::limits::{Pool, lock};
use super::prices::{self, Prices};
use super::quirks::Quirks;
use super::request::Params;
use super::settings::{EndpointSettings, Secret};
use super::transport::{HttpReply, Transport};

/// Answer length assumed where none is set and a cap must hold; it is then sent as the limit too.
pub(crate) const ASSUMED_OUTPUT: u32 = 8192;

/// See the module.
pub(crate) struct Endpoint {
    pub settings: EndpointSettings,
    pub place: Arc<Place>,
    pub params: Params,
    pub prices: Option<Prices>,
    pub transport: Arc<dyn Transport>,
    pub pool: Arc<Pool>,
    /// Calls wait for others and go in batches.
    pub in_batches: bool,
    lessons: Arc<Lessons>,
}

/// What calls taught about the endpoint.
struct Lessons {
    quirks: Mutex<Quirks>,
    /// Most prompt tokens the server ever counted for one of ours, in thousandths.
    token_ratio: AtomicU64,
    /// Moving average of answer lengths.
    typical_output: AtomicU64,
}

impl Default for Lessons {
    fn default() -> Self {
        Self {
            quirks: Mutex::default(),
            token_ratio: AtomicU64::new(1100),
            typical_output: AtomicU64::new(500),
        }
    }
}

/// Tokens a call is expected to take, and could take at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// Prompt tokens by our own count: exact where a cap needs it, else from the length.
    pub prompt: u64,
    /// Limit on the answer that must be sent for the worst case to hold.
    pub output_limit: Option<u32>,
    /// For the rate limit.
    pub expected: u64,
    /// For the caps.
    pub worst: WorstCase,
}

impl Endpoint {
    pub fn new(settings: EndpointSettings, transport: Arc<dyn Transport>, pool: Arc<Pool>) -> Self {
        let own_address = settings.api_base.is_none()
            || settings.provider.starts_with("azure")
            || settings.address().contains("api.openai.com");
        let prices = settings.prices.or_else(|| {
            own_address
                .then(|| prices::built_in(&settings.model))
                .flatten()
        });
        Self {
            place: Arc::new(Place {
                model: settings.model.clone(),
                address: settings.address(),
            }),
            params: Params::from_call_args(&settings.call_args),
            prices,
            transport,
            pool,
            in_batches: false,
            lessons: Arc::default(),
            settings,
        }
    }

    /// The same endpoint with other parameters.
    pub fn sibling(
        self: Arc<Self>,
        settings: EndpointSettings,
        transport: Arc<dyn Transport>,
    ) -> Arc<Self> {
        let mut sibling = Self::new(settings, transport, Arc::clone(&self.pool));
        sibling.lessons = Arc::clone(&self.lessons);
        Arc::new(sibling)
    }

    /// The same endpoint through batches: half the price, limits of its own.
    pub fn in_batches(
        &self,
        settings: EndpointSettings,
        transport: Arc<dyn Transport>,
        pool: Arc<Pool>,
    ) -> Arc<Self> {
        let mut own = Self::new(settings, transport, pool);
        own.lessons = Arc::clone(&self.lessons);
        own.prices = own.prices.map(Prices::in_batches);
        own.in_batches = true;
        Arc::new(own)
    }

    pub fn quirks(&self) -> Quirks {
        lock(&self.lessons.quirks).clone()
    }

    pub fn with_quirks<T>(&self, change: impl FnOnce(&mut Quirks) -> T) -> T {
        change(&mut lock(&self.lessons.quirks))
    }

    /// Estimates a call of `prompt` tokens by our count. `capped`: a cap on tokens or money must hold.
    pub fn estimate(
        &self,
        prompt: u64,
        max_output: Option<u32>,
        answers: bool,
        capped: bool,
    ) -> Estimate {
        let typical = self.lessons.typical_output.load(Ordering::Relaxed);
        if !answers {
            let tokens = self.most_prompt(prompt);
            let worst = WorstCase {
                tokens,
                cost: self.cost(Usage {
                    prompt_tokens: tokens,
                    ..Usage::default()
                }),
            };
            return Estimate {
                prompt,
                output_limit: None,
                expected: prompt,
                worst,
            };
        }
        let most = lock(&self.lessons.quirks).max_output;
        let assumed = || {
            let window = self
                .settings
                .context_window
                .map_or(ASSUMED_OUTPUT, |window| (window / 2).max(256));
            ASSUMED_OUTPUT.min(window)
        };
        let output_limit = max_output
            .or_else(|| capped.then(assumed))
            .map(|limit| most.map_or(limit, |most| limit.min(most)));
        let completion = u64::from(output_limit.unwrap_or(ASSUMED_OUTPUT));
        let usage = Usage {
            prompt_tokens: self.most_prompt(prompt),
            completion_tokens: completion,
            cached_tokens: 0,
        };
        Estimate {
            prompt,
            output_limit,
            expected: prompt + typical.min(completion),
            worst: WorstCase {
                tokens: usage.total(),
                cost: self.cost(usage),
            },
        }
    }

    /// The prompt as the server's tokenizer may count it at most, with the turns' own tokens.
    fn most_prompt(&self, prompt: u64) -> u64 {
        (prompt + 64)
            .saturating_mul(self.lessons.token_ratio.load(Ordering::Relaxed))
            .div_ceil(1000)
    }

    /// Money for a call; `None` when the price is unknown.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        self.prices.map(|prices| prices.cost(usage))
    }

    /// A failed reply without our key in it: some servers quote what was sent.
    pub fn masked(&self, reply: HttpReply) -> HttpReply {
        let key = self
            .settings
            .api_key
            .as_ref()
            .map(Secret::expose)
            .filter(|key| key.len() >= 4);
        match (key, std::str::from_utf8(&reply.body)) {
            (Some(key), Ok(body)) if body.contains(key) => HttpReply {
                body: body.replace(key, "***").into(),
                ..reply
            },
            _ => reply,
        }
    }

    /// Learns from the server's count. `prompt` is our own exact count, where there is one.
    pub fn learn(&self, usage: Usage, prompt: Option<u64>) {
        if let Some(prompt) = prompt.filter(|&prompt| prompt > 0) {
            // a tenth on top: the next prompt may be denser
            let ratio = usage.prompt_tokens.saturating_mul(1100) / (prompt + 64);
            self.lessons
                .token_ratio
                .fetch_max(ratio.min(8000), Ordering::Relaxed);
        }
        if usage.completion_tokens > 0 {
            let old = self.lessons.typical_output.load(Ordering::Relaxed);
            // a race loses one sample of an average
            self.lessons
                .typical_output
                .store((old * 7 + usage.completion_tokens) / 8, Ordering::Relaxed);
        }
    }
}
