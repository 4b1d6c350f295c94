//! Caps on money, tokens and calls that count what is in flight.
//!
//! Every call reserves its worst case before it is sent and settles what it really took. A call that does not fit waits
//! while others in flight may still give back what they reserved in excess; only when none is left is the cap reached.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use tokio::sync::Notify;

use super::answer::Usage;
use super::error::{CallError, Cap};
use super::limits::lock;
use super::request::Key;
use super::settings::Caps;

/// What was spent, so far or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests sent, repeats included.
    pub calls: u64,
    /// Prompt tokens the servers counted (our own estimate where they did not).
    pub prompt_tokens: u64,
    /// Completion tokens.
    pub completion_tokens: u64,
    /// Money for all calls; `None` once a call of unknown price was made.
    pub cost: Option<f64>,
    /// Money for the calls of known price.
    pub known_cost: f64,
    /// Worst case of calls that got no whole answer but may have been charged; counts against the cap, not in `cost`.
    pub uncertain_cost: f64,
    /// Questions answered from the cache.
    pub cached_calls: u64,
    /// Requests that were repeats after a failure.
    pub retries: u64,
    /// Calls now on the wire.
    pub in_flight: u64,
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    usage: Usage,
    cost: f64,
    /// Models whose calls have no price.
    unpriced: Vec<Box<str>>,
    uncertain_cost: f64,
    uncertain_tokens: u64,
    cached_calls: u64,
    retries: u64,
    in_flight: u64,
    reserved_tokens: u64,
    reserved_cost: f64,
    /// In batches that an earlier process sent, until asked for here.
    carried: FxHashMap<Key, Vec<WorstCase>>,
    carried_calls: u64,
    carried_tokens: u64,
    carried_cost: f64,
}

/// The purse of one process, shared by all doors.
#[derive(Debug)]
pub(crate) struct Budget {
    caps: Caps,
    state: Mutex<State>,
    returned: Notify,
}

/// The most a call can take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WorstCase {
    pub tokens: u64,
    /// `None`: the price is unknown.
    pub cost: Option<f64>,
}

/// A reserved worst case; given back when dropped unsettled.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    worst: WorstCase,
    open: bool,
}

impl Budget {
    pub fn new(caps: Caps) -> Arc<Self> {
        Arc::new(Self {
            caps,
            state: Mutex::default(),
            returned: Notify::new(),
        })
    }

    /// Whether worst cases matter, so that they must be counted exactly.
    pub fn caps_tokens_or_cost(&self) -> bool {
        self.caps.max_cost.is_some() || self.caps.max_tokens.is_some()
    }

    pub fn caps_cost(&self) -> bool {
        self.caps.max_cost.is_some()
    }

    /// Counts what an earlier process sent in batches: the provider may charge for it whatever happens here.
    pub fn carry(&self, calls: impl IntoIterator<Item = (Key, WorstCase)>) {
        let mut state = lock(&self.state);
        for (id, worst) in calls {
            state.carried_calls += 1;
            state.carried_tokens += worst.tokens;
            state.carried_cost += worst.cost.unwrap_or(0.0);
            state.carried.entry(id).or_default().push(worst);
        }
    }

    /// A call that was carried: what it can cost is spent already, so no cap holds it back.
    fn take_over(self: &Arc<Self>, id: Key) -> Option<Reservation> {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let sent = state.carried.get_mut(&id)?;
        let worst = sent.pop()?;
        if sent.is_empty() {
            state.carried.remove(&id);
        }
        state.carried_calls -= 1;
        state.carried_tokens -= worst.tokens;
        // sums of fractions leave dust
        state.carried_cost = match state.carried_calls {
            0 => 0.0,
            _ => state.carried_cost - worst.cost.unwrap_or(0.0),
        };
        Some(self.reserved(state, worst))
    }

    fn reserved(self: &Arc<Self>, state: &mut State, worst: WorstCase) -> Reservation {
        state.calls += 1;
        state.in_flight += 1;
        state.reserved_tokens += worst.tokens;
        state.reserved_cost += worst.cost.unwrap_or(0.0);
        Reservation {
            budget: Arc::clone(self),
            worst,
            open: true,
        }
    }

    /// Reserves a call's worst case, waiting for calls in flight where their return could make room. `id` names the call
    /// where an earlier process may have sent it in a batch.
    pub async fn reserve(
        self: &Arc<Self>,
        worst: WorstCase,
        model: &str,
        id: Option<Key>,
    ) -> Result<Reservation, CallError> {
        if self.caps_cost() && worst.cost.is_none() {
            return Err(CallError::PriceUnknown {
                model: model.to_string(),
            });
        }
        if let Some(reservation) = id.and_then(|id| self.take_over(id)) {
            return Ok(reservation);
        }
        loop {
            let returned = self.returned.notified();
            tokio::pin!(returned);
            // registered before the state is looked at, so that no return is missed
            returned.as_mut().enable();
            if let Some(reservation) = self.try_reserve(worst, model)? {
                return Ok(reservation);
            }
            returned.await;
        }
    }

    /// `None`: no room now, but calls in flight may make some.
    fn try_reserve(
        self: &Arc<Self>,
        worst: WorstCase,
        model: &str,
    ) -> Result<Option<Reservation>, CallError> {
        let mut state = lock(&self.state);
        let already = self.caps.already;
        let reached = |cap, limit: String, spent: String, next: String| CallError::BudgetReached {
            cap,
            limit: limit.into(),
            spent: spent.into(),
            next: next.into(),
            model: model.into(),
        };
        if let Some(cap) = self.caps.max_calls {
            let calls = already.calls + state.calls + state.carried_calls;
            if calls >= cap {
                return Err(reached(
                    Cap::Calls,
                    cap.to_string(),
                    calls.to_string(),
                    "1".into(),
                ));
            }
        }
        if let Some(cap) = self.caps.max_tokens {
            let spent = already.tokens
                + state.usage.total()
                + state.uncertain_tokens
                + state.carried_tokens;
            if spent
                .saturating_add(state.reserved_tokens)
                .saturating_add(worst.tokens)
                > cap
            {
                if state.in_flight > 0 {
                    return Ok(None);
                }
                return Err(reached(
                    Cap::Tokens,
                    cap.to_string(),
                    spent.to_string(),
                    worst.tokens.to_string(),
                ));
            }
        }
        if let (Some(cap), Some(cost)) = (self.caps.max_cost, worst.cost) {
            let spent = already.cost + state.cost + state.uncertain_cost + state.carried_cost;
            if spent + state.reserved_cost + cost > cap {
                if state.in_flight > 0 {
                    return Ok(None);
                }
                return Err(reached(Cap::Cost, money(cap), money(spent), money(cost)));
            }
        }
        Ok(Some(self.reserved(&mut state, worst)))
    }

    pub fn count_cached(&self) {
        lock(&self.state).cached_calls += 1;
    }

    pub fn count_retry(&self) {
        lock(&self.state).retries += 1;
    }

    pub fn spent(&self) -> Spent {
        let state = lock(&self.state);
        Spent {
            calls: state.calls,
            prompt_tokens: state.usage.prompt_tokens,
            completion_tokens: state.usage.completion_tokens,
            cost: state.unpriced.is_empty().then_some(state.cost),
            known_cost: state.cost,
            uncertain_cost: state.uncertain_cost,
            cached_calls: state.cached_calls,
            retries: state.retries,
            in_flight: state.in_flight,
        }
    }

    /// Models that were called and have no price.
    pub fn unpriced(&self) -> Vec<String> {
        let state = lock(&self.state);
        state
            .unpriced
            .iter()
            .map(|model| model.to_string())
            .collect()
    }
}

/// A sum of money for messages: four decimals, more where it is smaller.
fn money(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 {
        format!("{amount:.6}")
    } else {
        format!("{amount:.4}")
    }
}

impl Reservation {
    /// Replaces the worst case by what the call to `model` took. `cost` is `None` when the price is unknown.
    pub fn settle(mut self, usage: Usage, cost: Option<f64>, model: &str) {
        self.close(|state, _| {
            state.usage.prompt_tokens += usage.prompt_tokens;
            state.usage.completion_tokens += usage.completion_tokens;
            match cost {
                Some(cost) => state.cost += cost,
                None if state.unpriced.iter().any(|known| **known == *model) => {}
                None => state.unpriced.push(model.into()),
            }
        });
    }

    /// No whole answer came, but the provider may charge for one.
    pub fn settle_uncertain(mut self) {
        self.close(|state, worst| {
            state.uncertain_tokens += worst.tokens;
            state.uncertain_cost += worst.cost.unwrap_or(0.0);
        });
    }

    fn close(&mut self, change: impl FnOnce(&mut State, WorstCase)) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let mut state = lock(&self.budget.state);
        change(&mut state, self.worst);
        state.in_flight -= 1;
        state.reserved_tokens -= self.worst.tokens;
        // sums of fractions leave dust; an empty purse holds none
        state.reserved_cost = if state.in_flight == 0 {
            0.0
        } else {
            state.reserved_cost - self.worst.cost.unwrap_or(0.0)
        };
        drop(state);
        self.budget.returned.notify_waiters();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.close(|_, _| {});
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::super::settings::Already;
    use super::*;

    fn usage(tokens: u64) -> Usage {
        Usage {
            prompt_tokens: tokens,
            ..Usage::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn fifty_at_once_never_pass_a_cap_and_use_it_fully() {
        let budget = Budget::new(Caps {
            max_cost: Some(1.0),
            max_tokens: Some(100_000),
            max_calls: Some(10_000),
            ..Caps::default()
        });
        let most_at_risk = Arc::new(AtomicU64::new(0));
        let tasks: Vec<_> = (0..50u64)
            .map(|worker| {
                let (budget, most) = (Arc::clone(&budget), Arc::clone(&most_at_risk));
                tokio::spawn(async move {
                    let worst = WorstCase {
                        tokens: 1000,
                        cost: Some(0.01),
                    };
                    while let Ok(reservation) = budget.reserve(worst, "m", None).await {
                        tokio::time::sleep(Duration::from_millis(worker % 7 + 1)).await;
                        reservation.settle(
                            usage(500 + worker),
                            Some(0.005 + worker as f64 * 0.0001),
                            "m",
                        );
                        most.fetch_max(lock(&budget.state).usage.total(), Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let spent = budget.spent();
        let cost = spent.cost.unwrap();
        assert!(cost <= 1.0 && cost > 0.985, "{cost}");
        assert!(spent.prompt_tokens <= 100_000);
        assert_eq!(spent.in_flight, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_call_cap_is_exact_under_fifty_at_once() {
        let budget = Budget::new(Caps {
            max_calls: Some(17),
            already: Already {
                calls: 7,
                ..Already::default()
            },
            ..Caps::default()
        });
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let budget = Arc::clone(&budget);
                tokio::spawn(async move {
                    budget
                        .reserve(
                            WorstCase {
                                tokens: 1,
                                cost: None,
                            },
                            "m",
                            None,
                        )
                        .await
                        .map(|r| r.settle(usage(1), None, "m"))
                })
            })
            .collect();
        let mut granted = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(()) => granted += 1,
                Err(error) => assert!(
                    matches!(
                        error,
                        CallError::BudgetReached {
                            cap: Cap::Calls,
                            ..
                        }
                    ),
                    "{error}"
                ),
            }
        }
        assert_eq!(granted, 10);
    }

    #[tokio::test]
    async fn a_cap_on_money_needs_a_price() {
        let budget = Budget::new(Caps {
            max_cost: Some(1.0),
            ..Caps::default()
        });
        let error = budget
            .reserve(
                WorstCase {
                    tokens: 1,
                    cost: None,
                },
                "llama3",
                None,
            )
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("price of model llama3 is unknown")
        );
    }

    #[tokio::test]
    async fn a_call_of_unknown_price_makes_the_cost_unknown() {
        let budget = Budget::new(Caps::default());
        budget
            .reserve(
                WorstCase {
                    tokens: 1,
                    cost: None,
                },
                "m",
                None,
            )
            .await
            .unwrap()
            .settle(usage(3), None, "m");
        assert_eq!(budget.spent().cost, None);
    }

    #[tokio::test]
    async fn lost_calls_count_against_the_cap() {
        let budget = Budget::new(Caps {
            max_cost: Some(0.025),
            ..Caps::default()
        });
        let worst = WorstCase {
            tokens: 10,
            cost: Some(0.01),
        };
        budget
            .reserve(worst, "m", None)
            .await
            .unwrap()
            .settle_uncertain();
        budget
            .reserve(worst, "m", None)
            .await
            .unwrap()
            .settle(usage(1), Some(0.001), "m");
        drop(budget.reserve(worst, "m", None).await.unwrap());
        budget
            .reserve(worst, "m", None)
            .await
            .unwrap()
            .settle_uncertain();
        let error = budget.reserve(worst, "m", None).await.unwrap_err();
        assert_eq!(error.action(), super::super::error::Action::StopRun);
    }

    #[tokio::test]
    async fn what_is_in_batches_counts_until_it_is_asked_for_and_is_never_refused() {
        let budget = Budget::new(Caps {
            max_calls: Some(2),
            max_cost: Some(0.03),
            ..Caps::default()
        });
        let worst = WorstCase {
            tokens: 10,
            cost: Some(0.02),
        };
        budget.carry([(Key(1), worst)]);
        let error = budget.reserve(worst, "m", Some(Key(2))).await.unwrap_err();
        assert!(error.to_string().contains("cost cap"), "{error}");
        let reserved = budget.reserve(worst, "m", Some(Key(1))).await.unwrap();
        assert_eq!(budget.spent().in_flight, 1);
        reserved.settle(usage(3), Some(0.005), "m");
        let next = budget.reserve(worst, "m", Some(Key(2))).await.unwrap();
        next.settle(usage(3), Some(0.005), "m");
        let error = budget.reserve(worst, "m", None).await.unwrap_err();
        assert!(error.to_string().contains("call cap"), "{error}");
    }
}
