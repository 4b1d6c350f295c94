//! How fast and how many at once: requests and tokens per period, a pause for the whole pool, adaptive concurrency.
//!
//! One [`Pool`] per endpoint (address and model), shared by every door and stage that uses it.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Locks state that no panic can leave half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The runtime's clock, so that tests can stop it.
#[derive(Clone, Debug)]
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

type Bucket = RateLimiter<NotKeyed, InMemoryState, RuntimeClock, NoOpMiddleware<Duration>>;

/// One limit of `n` units in any period.
///
/// The generic cell rate algorithm lets `burst + rate * period` units pass in the worst period. A fortieth of the limit
/// is burst and the rate gives way by as much, so that no period sees more than the limit.
struct Limit {
    bucket: Bucket,
    burst: u32,
    clock: RuntimeClock,
    /// Units taken beyond what was granted (positive) or granted and not used (negative).
    owed: Mutex<i64>,
}

impl Limit {
    fn new(limit: u64, period: Duration) -> Option<Self> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let burst = NonZeroU32::new((limit / 40).max(1))?;
        let rate = (limit.checked_sub(burst.get())? + 1).max(1);
        let quota =
            Quota::with_period((period / rate).max(Duration::from_nanos(1)))?.allow_burst(burst);
        let clock = RuntimeClock(Instant::now());
        Some(Self {
            bucket: RateLimiter::direct_with_clock(quota, clock.clone()),
            burst: burst.get(),
            clock,
            owed: Mutex::new(0),
        })
    }

    /// Waits until `units` may be spent.
    ///
    /// A request larger than the burst starts when a burst is there and leaves the rest as debt for those after it:
    /// the average holds and an idle endpoint answers at once.
    async fn take(&self, units: u64) {
        let mut due = {
            let mut owed = lock(&self.owed);
            let due = i64::try_from(units)
                .unwrap_or(i64::MAX)
                .saturating_add(*owed);
            // what was granted too much stays for the next
            *owed = due.min(0);
            u64::try_from(due.max(0)).unwrap_or(0)
        };
        let first_units = due;
        let debt_before = first_units.saturating_sub(units);
        // debts of earlier requests are waited for in full, then one burst of our own
        let own = first_units - debt_before;
        let wait_for = debt_before + own.min(u64::from(self.burst));
        let left_as_debt = due - wait_for;
        due = wait_for;
        while due > 0 {
            // invariant: burst is at least 1 and at most u32::MAX
            let step = u32::try_from(due.min(u64::from(self.burst))).unwrap_or(self.burst);
            let Some(step) = NonZeroU32::new(step) else {
                break;
            };
            match self.bucket.check_n(step) {
                Ok(Ok(())) => due -= u64::from(step.get()),
                Ok(Err(not_yet)) => {
                    tokio::time::sleep(not_yet.wait_time_from(self.clock.now())).await
                }
                // invariant: step is never above the burst
                Err(_) => break,
            }
        }
        if left_as_debt > 0 {
            self.correct(i64::try_from(left_as_debt).unwrap_or(i64::MAX));
        }
    }

    /// Adds what a call used beyond its estimate (negative: less).
    fn correct(&self, units: i64) {
        let mut owed = lock(&self.owed);
        *owed = owed.saturating_add(units);
    }
}

/// Additive increase, multiplicative decrease of the calls in flight.
struct Adaptive {
    permits: Semaphore,
    state: Mutex<AdaptiveState>,
}

struct AdaptiveState {
    max: usize,
    allowed: usize,
    /// Permits in use that will not come back.
    to_forget: usize,
    /// Successes since the last increase.
    successes: usize,
    /// Decreases less than this long ago answer the same event.
    last_decrease: Option<Instant>,
}

/// Rate limits hit within this time are one event.
const ONE_EVENT: Duration = Duration::from_secs(1);

impl Adaptive {
    fn new(max: usize) -> Self {
        let max = max.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Semaphore::new(max),
            state: Mutex::new(AdaptiveState {
                max,
                allowed: max,
                to_forget: 0,
                successes: 0,
                last_decrease: None,
            }),
        }
    }

    fn halve(&self) {
        let mut state = lock(&self.state);
        if state
            .last_decrease
            .is_some_and(|at| at.elapsed() < ONE_EVENT)
        {
            return;
        }
        state.last_decrease = Some(Instant::now());
        state.successes = 0;
        let target = (state.allowed / 2).max(1);
        let mut surplus = state.allowed - target;
        state.allowed = target;
        surplus -= self.permits.forget_permits(surplus);
        state.to_forget += surplus;
    }

    fn succeeded(&self) {
        let mut state = lock(&self.state);
        if state.allowed >= state.max {
            return;
        }
        state.successes += 1;
        if state.successes >= state.allowed {
            state.successes = 0;
            state.allowed += 1;
            if state.to_forget > 0 {
                state.to_forget -= 1;
            } else {
                self.permits.add_permits(1);
            }
        }
    }
}

/// A place among the calls in flight.
pub(crate) struct Slot<'a> {
    adaptive: &'a Adaptive,
    permit: Option<SemaphorePermit<'a>>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.adaptive.state);
        if state.to_forget > 0 {
            state.to_forget -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
    }
}

struct Health {
    paused_until: Option<Instant>,
    last_success: Option<Instant>,
    /// Start of the present streak of failures without any success.
    failing_since: Option<Instant>,
    /// A connection was made in this process.
    reached: bool,
}

/// The limits of one endpoint.
pub struct Pool {
    requests: Option<Limit>,
    tokens: Option<Limit>,
    /// First come, first served, so that a large request is not starved by small ones.
    queue: tokio::sync::Mutex<()>,
    adaptive: Adaptive,
    health: Mutex<Health>,
}

impl Pool {
    /// Limits of `requests` and `tokens` per `period`, and `concurrency` calls in flight.
    pub fn new(
        requests: Option<u32>,
        tokens: Option<u64>,
        period: Duration,
        concurrency: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            requests: requests.and_then(|limit| Limit::new(limit.into(), period)),
            tokens: tokens.and_then(|limit| Limit::new(limit, period)),
            queue: tokio::sync::Mutex::new(()),
            adaptive: Adaptive::new(concurrency),
            health: Mutex::new(Health {
                paused_until: None,
                last_success: None,
                failing_since: None,
                reached: false,
            }),
        })
    }

    /// Waits for a place in flight.
    pub(crate) async fn slot(&self) -> Slot<'_> {
        // invariant: the semaphore is never closed
        let permit = self.adaptive.permits.acquire().await.ok();
        Slot {
            adaptive: &self.adaptive,
            permit,
        }
    }

    /// Waits for the pause to end and for both limits.
    pub(crate) async fn admit(&self, tokens: u64) {
        if self.requests.is_some() || self.tokens.is_some() {
            let _turn = self.queue.lock().await;
            self.wait_out_pause().await;
            if let Some(limit) = &self.requests {
                limit.take(1).await;
            }
            if let Some(limit) = &self.tokens {
                limit.take(tokens).await;
            }
        }
        self.wait_out_pause().await;
    }

    async fn wait_out_pause(&self) {
        loop {
            let until = lock(&self.health).paused_until;
            match until {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                _ => return,
            }
        }
    }

    /// Corrects the tokens taken for a call to what it used.
    pub(crate) fn used_tokens(&self, estimated: u64, used: u64) {
        if let Some(limit) = &self.tokens {
            let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            limit.correct(signed(used) - signed(estimated));
        }
    }

    /// Holds every call of the pool back for `wait` from now.
    pub(crate) fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut health = lock(&self.health);
        health.paused_until = health.paused_until.max(Some(until));
    }

    /// Halves the calls in flight.
    pub(crate) fn rate_limited(&self) {
        self.adaptive.halve();
    }

    /// Somebody listens at the address, whatever was said.
    pub(crate) fn reached(&self) {
        lock(&self.health).reached = true;
    }

    /// Whether anybody ever listened there.
    pub(crate) fn was_reached(&self) -> bool {
        lock(&self.health).reached
    }

    /// A call came back with an answer (or with an error that is about the call alone).
    pub(crate) fn answered(&self) {
        let mut health = lock(&self.health);
        health.last_success = Some(Instant::now());
        health.failing_since = None;
        drop(health);
        self.adaptive.succeeded();
    }

    /// A call failed for no reason of its own. Returns for how long nothing at all has been answered.
    pub(crate) fn failed(&self) -> Duration {
        let mut health = lock(&self.health);
        health
            .failing_since
            .get_or_insert_with(Instant::now)
            .elapsed()
    }

    /// Whether any call was answered after `since`.
    pub(crate) fn answered_since(&self, since: Instant) -> bool {
        lock(&self.health)
            .last_success
            .is_some_and(|at| at >= since)
    }

    /// Calls that may be in flight now.
    #[cfg(test)]
    pub fn allowed(&self) -> usize {
        lock(&self.adaptive.state).allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_period_sees_more_requests_than_the_limit_and_the_rate_is_used() {
        for limit in [3u32, 60, 600] {
            let pool = Pool::new(Some(limit), None, Duration::from_secs(60), 10);
            let start = Instant::now();
            let mut times = Vec::new();
            for _ in 0..limit * 4 {
                pool.admit(0).await;
                times.push(start.elapsed().as_secs_f64());
            }
            let most = times
                .iter()
                .map(|&from| {
                    times
                        .iter()
                        .filter(|&&at| at >= from && at < from + 59.99)
                        .count()
                })
                .max();
            assert!(
                most.unwrap() <= limit as usize,
                "limit {limit}: {most:?} in one period"
            );
            let ideal = 4.0 * 60.0;
            assert!(
                times.last().unwrap() / ideal < 1.03,
                "limit {limit}: {times:?}"
            );
        }
    }

    // See: https://github.com/microsoft/graphrag/issues/2020
    #[tokio::test(start_paused = true)]
    async fn sixty_reports_at_six_hundred_a_minute_take_less_than_ten_seconds() {
        let pool = Pool::new(Some(600), None, Duration::from_secs(60), 10);
        let start = Instant::now();
        for _ in 0..60 {
            pool.admit(0).await;
        }
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_keep_to_the_limit_after_correction() {
        let pool = Pool::new(None, Some(60_000), Duration::from_secs(60), 10);
        let start = Instant::now();
        // estimated 500, used 1,000: 180 calls are 180,000 tokens, three minutes
        for _ in 0..180 {
            pool.admit(500).await;
            pool.used_tokens(500, 1000);
        }
        pool.admit(1).await;
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        assert!((2.9..3.15).contains(&minutes), "{minutes}");
        // estimated 1,000, used 100
        let start = Instant::now();
        for _ in 0..600 {
            pool.admit(1000).await;
            pool.used_tokens(1000, 100);
        }
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        assert!((0.9..1.06).contains(&minutes), "{minutes}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_larger_than_the_burst_starts_at_once_when_idle() {
        let pool = Pool::new(None, Some(10_000), Duration::from_secs(60), 10);
        let start = Instant::now();
        pool.admit(5000).await;
        assert!(start.elapsed() < Duration::from_secs(1));
        pool.admit(5000).await;
        assert!(
            (25.0..35.0).contains(&start.elapsed().as_secs_f64()),
            "{:?}",
            start.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_the_whole_pool() {
        let pool = Pool::new(None, None, Duration::from_secs(60), 10);
        pool.pause(Duration::from_secs(7));
        pool.pause(Duration::from_secs(2));
        let start = Instant::now();
        let waiting: Vec<_> = (0..5)
            .map(|_| {
                let pool = Arc::clone(&pool);
                tokio::spawn(async move { pool.admit(0).await })
            })
            .collect();
        for task in waiting {
            task.await.unwrap();
        }
        assert!((7.0..7.1).contains(&start.elapsed().as_secs_f64()));
    }

    #[tokio::test(start_paused = true)]
    async fn concurrency_is_halved_once_an_event_and_comes_back() {
        let pool = Pool::new(None, None, Duration::from_secs(60), 8);
        let mut slots = Vec::new();
        for _ in 0..8 {
            slots.push(pool.slot().await);
        }
        pool.rate_limited();
        pool.rate_limited();
        assert_eq!(pool.allowed(), 4);
        slots.truncate(4);
        // four still in flight, four allowed: no fifth
        assert!(
            tokio::time::timeout(Duration::from_secs(1), pool.slot())
                .await
                .is_err()
        );
        slots.pop();
        slots.push(pool.slot().await);
        drop(slots);
        for _ in 0..4 + 5 + 6 + 7 {
            pool.answered();
        }
        assert_eq!(pool.allowed(), 8);
        let mut slots = Vec::new();
        for _ in 0..8 {
            slots.push(
                tokio::time::timeout(Duration::from_secs(1), pool.slot())
                    .await
                    .expect("a slot"),
            );
        }
        assert!(
            tokio::time::timeout(Duration::from_secs(1), pool.slot())
                .await
                .is_err()
        );
    }
}
