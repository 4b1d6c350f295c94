//! How long a server asks us to wait: headers first, then words in the body.

use std::time::{Duration, SystemTime};

use super::transport::Headers;

/// The wait a reply asks for, uncapped; `None` when it names none. `now` is the local clock.
///
/// Order: `retry-after-ms`, `retry-after` (seconds or a date, against the server's own `date` when it sends one),
/// the `x-ratelimit-reset-*` of a dimension with nothing remaining, then the body's words.
pub(crate) fn wait_asked_for(headers: &Headers, body: &str, now: SystemTime) -> Option<Duration> {
    from_retry_after(headers, now)
        .or_else(|| from_reset(headers, now))
        .or_else(|| from_words(body))
}

fn from_retry_after(headers: &Headers, now: SystemTime) -> Option<Duration> {
    for name in ["retry-after-ms", "x-ms-retry-after-ms"] {
        if let Some(ms) = headers
            .get(name)
            .and_then(|value| value.trim().parse::<f64>().ok())
        {
            return seconds(ms / 1000.0);
        }
    }
    let value = headers.get("retry-after")?.trim();
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    if let Some(wait) = duration(value) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let reference = headers
        .get("date")
        .and_then(|date| httpdate::parse_http_date(date.trim()).ok())
        .unwrap_or(now);
    Some(date.duration_since(reference).unwrap_or(Duration::ZERO))
}

fn from_reset(headers: &Headers, now: SystemTime) -> Option<Duration> {
    let mut longest = None;
    for dimension in ["requests", "tokens"] {
        let spent = headers
            .get(&format!("x-ratelimit-remaining-{dimension}"))
            .and_then(|value| value.trim().parse::<f64>().ok())
            .is_some_and(|remaining| remaining <= 0.0);
        if spent {
            let reset = headers
                .get(&format!("x-ratelimit-reset-{dimension}"))
                .and_then(|value| duration(value.trim()));
            longest = longest.max(reset);
        }
    }
    longest.or_else(|| {
        // one figure for all: seconds to wait, or a moment in seconds or milliseconds since 1970
        let value: f64 = headers.get("x-ratelimit-reset")?.trim().parse().ok()?;
        let since_epoch = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()?
            .as_secs_f64();
        match value {
            v if v > 1e12 => seconds((v / 1000.0 - since_epoch).max(0.0)),
            v if v > 1e9 => seconds((v - since_epoch).max(0.0)),
            v => seconds(v),
        }
    })
}

fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value.max(0.0)).ok()
}

/// Reads `1.5s`, `120ms`, `6m0s`, `1h2m`, `26 seconds`, `2 minutes`: at least one number with a unit, from the start.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut total = None;
    loop {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else {
            return total;
        };
        let after = after.trim_start();
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let scale = match unit.to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            _ => return total,
        };
        total = Some(
            total
                .unwrap_or(Duration::ZERO)
                .saturating_add(seconds(number * scale)?),
        );
        rest = after.trim_start();
    }
}

/// Looks for "try again in 1.5s", "retry after 26 seconds", `"retryDelay": "34s"` and the like.
fn from_words(body: &str) -> Option<Duration> {
    const BEFORE: &[&str] = &[
        "try again in",
        "retry after",
        "retry in",
        "try again after",
        "retrydelay",
        "retry_after",
        "wait",
    ];
    // bodies are shown to people, so they are short; the cap keeps a hostile one cheap
    let lower: String = body
        .chars()
        .take(4096)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    BEFORE.iter().find_map(|words| {
        lower.match_indices(words).find_map(|(at, found)| {
            // invariant: `at` and `found.len()` come from match_indices, so both ends are character boundaries
            let after = &lower[at + found.len()..];
            let value = after.trim_start_matches(|c: char| {
                c.is_whitespace() || matches!(c, '"' | ':' | '=' | '~' | '\\')
            });
            duration(value).or_else(|| {
                let end = value
                    .find(|c: char| !c.is_ascii_digit() && c != '.')
                    .unwrap_or(value.len());
                let bare = value[..end].trim_end_matches('.').parse::<f64>().ok()?;
                found.contains("retry").then(|| seconds(bare)).flatten()
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&str, &str)], body: &str) -> Option<f64> {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:27:30 GMT").unwrap();
        wait_asked_for(&Headers::from_pairs(headers), body, now).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn headers_in_every_form() {
        assert_eq!(wait(&[("Retry-After", "7")], ""), Some(7.0));
        assert_eq!(wait(&[("retry-after", "0.5")], ""), Some(0.5));
        assert_eq!(
            wait(&[("retry-after-ms", "1500"), ("retry-after", "2")], ""),
            Some(1.5)
        );
        assert_eq!(
            wait(&[("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")], ""),
            Some(30.0)
        );
        assert_eq!(
            wait(&[("Retry-After", "Wed, 21 Oct 2020 07:28:00 GMT")], ""),
            Some(0.0)
        );
        assert_eq!(
            wait(
                &[
                    ("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"),
                    ("Date", "Wed, 21 Oct 2026 07:27:50 GMT")
                ],
                ""
            ),
            Some(10.0)
        );
        assert_eq!(
            wait(
                &[
                    ("x-ratelimit-remaining-requests", "5"),
                    ("x-ratelimit-reset-requests", "9m"),
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "6m0s")
                ],
                ""
            ),
            Some(360.0)
        );
        assert_eq!(wait(&[("x-ratelimit-reset", "3")], ""), Some(3.0));
        assert_eq!(wait(&[("retry-after", "-4")], ""), Some(0.0));
        assert_eq!(wait(&[("retry-after", "NaN")], ""), Some(0.0));
        assert_eq!(wait(&[("retry-after", "soon")], ""), None);
    }

    #[test]
    fn words_in_the_body_come_after_headers() {
        let body = r#"{"error":{"message":"Limit reached. Please try again in 1.5s."}}"#;
        assert_eq!(wait(&[], body), Some(1.5));
        assert_eq!(wait(&[("retry-after", "2")], body), Some(2.0));
        assert_eq!(wait(&[], "Please retry after 26 seconds."), Some(26.0));
        assert_eq!(wait(&[], "Please try again in 7m12s. Visit"), Some(432.0));
        assert_eq!(wait(&[], "try again in 820ms"), Some(0.82));
        assert_eq!(wait(&[], r#""retryDelay": "34s""#), Some(34.0));
        assert_eq!(wait(&[], r#"{"retry_after": 3.2}"#), Some(3.2));
        assert_eq!(wait(&[], "wait a moment"), None);
        assert_eq!(wait(&[], "slow down"), None);
    }
}
