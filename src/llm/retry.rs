//! How long to wait before a repeat: exponential backoff with full jitter.
//!
//! Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::settings::RetrySettings;

/// A seeded stream of numbers for jitter, shared by all calls (SplitMix64).
#[derive(Debug)]
pub(crate) struct Jitter(AtomicU64);

impl Jitter {
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// A number in `0.0..1.0`.
    pub fn fraction(&self) -> f64 {
        let mut z = self
            .0
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)
            .wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The wait before repeat number `retry` (from 0).
///
/// A wait the server asked for is obeyed up to `max_retry_after`, with up to a tenth (at most a second) on top so that
/// the pool does not return in one instant; otherwise the wait is drawn from zero to `base_delay * 2^retry`, capped.
pub(crate) fn wait_before(
    retry: u32,
    asked: Option<Duration>,
    settings: &RetrySettings,
    jitter: &Jitter,
) -> Duration {
    if let Some(asked) = asked {
        let asked = asked.min(settings.max_retry_after);
        let spread = (asked / 10).clamp(Duration::from_millis(20), Duration::from_secs(1));
        return asked + spread.mul_f64(jitter.fraction());
    }
    let ceiling = settings
        .base_delay
        .saturating_mul(1u32 << retry.min(20))
        .min(settings.max_delay);
    if settings.jitter {
        ceiling.mul_f64(jitter.fraction())
    } else {
        ceiling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_jitter_spreads_them_from_zero() {
        let jitter = Jitter::new(1);
        let mut settings = RetrySettings {
            jitter: false,
            ..RetrySettings::default()
        };
        let secs = |retry, settings: &RetrySettings| {
            wait_before(retry, None, settings, &jitter).as_secs_f64()
        };
        assert_eq!(
            [0, 1, 2, 5, 6, 40].map(|retry| secs(retry, &settings)),
            [1.0, 2.0, 4.0, 32.0, 60.0, 60.0]
        );
        settings.jitter = true;
        let draws: Vec<f64> = (0..1000).map(|_| secs(3, &settings)).collect();
        assert!(draws.iter().all(|&wait| (0.0..8.0).contains(&wait)));
        let mean = draws.iter().sum::<f64>() / 1000.0;
        assert!((3.7..4.3).contains(&mean), "{mean}");
    }

    #[test]
    fn the_servers_wait_wins_and_is_capped() {
        let jitter = Jitter::new(1);
        let settings = RetrySettings::default();
        let wait = wait_before(0, Some(Duration::from_secs(7)), &settings, &jitter).as_secs_f64();
        assert!((7.0..8.0).contains(&wait), "{wait}");
        let wait =
            wait_before(0, Some(Duration::from_secs(100_000)), &settings, &jitter).as_secs_f64();
        assert!((900.0..901.0).contains(&wait), "{wait}");
        // a date in the past
        assert!(
            wait_before(0, Some(Duration::ZERO), &settings, &jitter) < Duration::from_millis(20)
        );
    }
}
