//! How long an answer is waited for.

use super::trouble::{Failed, Trouble};
use crate::Limits;
use std::time::{Duration, Instant};

/// How often it is looked whether a search is to be stopped.
const LOOK: Duration = Duration::from_millis(20);

/// How much an engine may say before it has answered.
const MOST_LINES: u32 = 1_000_000;

/// The time for one answer, and what may end it.
pub(super) struct Wait<'a> {
    limits: Option<&'a Limits>,
    /// When the search began, which may have been tried before.
    began: Instant,
    asked: Instant,
    patience: Duration,
    heard: u32,
}

impl<'a> Wait<'a> {
    /// For an answer within these limits, of a search that began at some time.
    pub(super) fn new(limits: &'a Limits, began: Instant, patience: Duration) -> Wait<'a> {
        Wait {
            limits: Some(limits),
            began,
            ..Wait::greeting(patience)
        }
    }

    /// For a process that was just started.
    pub(super) fn greeting(patience: Duration) -> Wait<'a> {
        let now = Instant::now();
        Wait {
            limits: None,
            began: now,
            asked: now,
            patience,
            heard: 0,
        }
    }

    /// How long to wait before looking again.
    pub(super) fn moment(&self) -> Result<Duration, Failed> {
        let mut left = match self.patience.checked_sub(self.asked.elapsed()) {
            Some(left) if !left.is_zero() => left,
            _ => return Err(Trouble::Silent(self.patience).into()),
        };
        if let Some(limits) = self.limits {
            if limits.stop.is_set() {
                return Err(Failed::Stopped);
            }
            if let Some(time) = limits.time {
                let in_time = time.checked_sub(self.began.elapsed());
                left = left.min(in_time.ok_or(Failed::Stopped)?);
            }
        }
        Ok(left.clamp(Duration::from_millis(1), LOOK))
    }

    /// One more line was heard.
    pub(super) fn count(&mut self) -> Result<(), Failed> {
        self.heard += 1;
        if self.heard > MOST_LINES {
            return Err(Trouble::Endless.into());
        }
        Ok(())
    }
}
