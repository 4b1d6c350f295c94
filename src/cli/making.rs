//! Says on standard error that the search file of an index is being made, and how far it is.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::model::shown::printable_line;
use crate::pipeline::aside;
use crate::query::search::{self, Building};

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(2);

/// Tells what happens to a search file.
#[derive(Default)]
pub(super) struct Making {
    last: Mutex<Option<Instant>>,
}

impl Making {
    pub fn tell(&self, event: Building<'_>) {
        let file = search::FILE;
        match event {
            Building::Begun(folder) => aside(&format!(
                "making {file} in {}, once for this index: it says where each word stands",
                printable_line(&folder.display().to_string())
            )),
            Building::Waits => aside(&format!("waiting for another process that makes {file}")),
            Building::Done(share) => {
                // Whoever finds the lock taken leaves the line to the holder.
                let Ok(mut last) = self.last.try_lock() else {
                    return;
                };
                if last.get_or_insert_with(Instant::now).elapsed() >= EVERY {
                    *last = Some(Instant::now());
                    aside(&format!("{file}: {:.0} %", share * 100.0));
                }
            }
        }
    }
}
