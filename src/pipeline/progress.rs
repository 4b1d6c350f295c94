//! Progress of long work: bars on a terminal, plain lines elsewhere, nothing when asked for quiet.

use crate::model::shown::printable;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Seconds between two plain lines of one stage.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Bars,
    Lines,
    Quiet,
}

/// Where a run shows how far it is. Everything goes to standard error. Cheap to clone.
#[derive(Clone)]
pub struct Progress {
    mode: Mode,
    bars: MultiProgress,
    now: Arc<Mutex<Now>>,
}

/// What goes on beside the stages.
#[derive(Default)]
struct Now {
    line: String,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Bars when standard error is a terminal, else lines.
    pub fn new(quiet: bool) -> Self {
        let mode = if quiet {
            Mode::Quiet
        } else if std::io::stderr().is_terminal() {
            Mode::Bars
        } else {
            Mode::Lines
        };
        let target = match mode {
            Mode::Bars => ProgressDrawTarget::stderr_with_hz(10),
            _ => ProgressDrawTarget::hidden(),
        };
        Self {
            mode,
            bars: MultiProgress::with_draw_target(target),
            now: Arc::default(),
        }
    }

    /// One line that the next one replaces on a terminal; elsewhere each new one stays.
    pub fn now(&self, line: &str) {
        let Ok(mut now) = self.now.lock() else {
            return;
        };
        if self.mode == Mode::Quiet || now.line == line {
            return;
        }
        line.clone_into(&mut now.line);
        match self.mode {
            Mode::Bars => {
                let bar = now.bar.get_or_insert_with(|| {
                    let style = ProgressStyle::with_template("{elapsed:>12} {msg}")
                        .unwrap_or_else(|_| ProgressStyle::default_spinner());
                    self.bars.add(ProgressBar::new_spinner().with_style(style))
                });
                bar.set_message(line.to_owned());
            }
            _ => aside(line),
        }
    }

    /// One line that stays.
    pub fn say(&self, line: &str) {
        let line = &printable(line);
        match self.mode {
            // A terminal that went away is no reason to stop the night's work.
            Mode::Bars => drop(self.bars.println(line)),
            Mode::Lines => aside(line),
            Mode::Quiet => {}
        }
    }

    /// Opens a stage of `total` items.
    pub fn stage(&self, name: &'static str, total: u64) -> Stage<'_> {
        let bar = if self.mode == Mode::Bars {
            let style = ProgressStyle::with_template(
                "{prefix:<12} {bar:28} {human_pos}/{human_len} {per_sec:>10} {eta:>6} left {msg}",
            )
            .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = self.bars.add(ProgressBar::new(total).with_style(style));
            bar.set_prefix(name);
            Some(bar)
        } else {
            None
        };
        Stage {
            progress: self,
            name,
            total,
            done: AtomicU64::new(0),
            start: Instant::now(),
            last: Mutex::new(Instant::now()),
            bar,
        }
    }
}

/// Writes a line to standard error. Where that is full or gone the line is lost: no reason to stop, as `eprintln!` does.
pub fn aside(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One stage under way. Ends when it is dropped.
pub struct Stage<'a> {
    progress: &'a Progress,
    name: &'static str,
    total: u64,
    done: AtomicU64,
    start: Instant,
    last: Mutex<Instant>,
    bar: Option<ProgressBar>,
}

impl Stage<'_> {
    /// Counts finished items.
    pub fn inc(&self, items: u64) {
        let done = self.done.fetch_add(items, Ordering::Relaxed) + items;
        if let Some(bar) = &self.bar {
            bar.inc(items);
            return;
        }
        if self.progress.mode != Mode::Lines || done >= self.total {
            return;
        }
        // Whoever finds the lock taken leaves the line to the holder.
        if let Ok(mut last) = self.last.try_lock()
            && last.elapsed() >= PLAIN_EVERY
        {
            *last = Instant::now();
            let seconds = self.start.elapsed().as_secs_f64();
            let rate = done as f64 / seconds.max(1e-9);
            let left = (self.total.saturating_sub(done)) as f64 / rate.max(1e-9);
            aside(&format!(
                "{}: {done} of {}, {rate:.1} a second, {left:.0} s left",
                self.name, self.total
            ));
        }
    }

    /// Shows a remark behind the bar: cost so far, for one.
    pub fn remark(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let done = self.done.load(Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if done > 0 || self.total > 0 {
            let seconds = self.start.elapsed().as_secs_f64();
            self.progress
                .say(&format!("{:<12} {done} in {seconds:.1} s", self.name));
        }
    }
}
