//! Ending a statement before it is done: Ctrl-C, and time that is up.

use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How many of SQLite's small steps pass between two looks at the clock: about 10 µs.
const STRIDE: i32 = 1000;

/// The exit status after an interrupt, as shells have it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a statement was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    Interrupt,
    Time,
}

/// Says when to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    running: AtomicBool,
    interrupted: AtomicBool,
    deadline: Mutex<Option<Instant>>,
}

/// Statements are running until this is dropped.
#[derive(Debug)]
pub(crate) struct Running<'s>(&'s Stop);

impl Stop {
    /// Makes Ctrl-C end the connection's statement; a second Ctrl-C, and one while none is running, ends the process.
    pub(crate) fn install(connection: &mut Connection) -> rusqlite::Result<Stop> {
        let stop = Stop::default();
        let state = Arc::clone(&stop.0);
        // Where the system has no room for a handler, Ctrl-C ends the process as it always does.
        let _ = ctrlc::set_handler(move || {
            let waits = state.running.load(Ordering::SeqCst);
            if !waits || state.interrupted.swap(true, Ordering::SeqCst) {
                std::process::exit(INTERRUPTED.into());
            }
        });
        let watch = stop.clone();
        connection.progress_handler(STRIDE, Some(move || watch.reason().is_some()))?;
        Ok(stop)
    }

    /// Statements run from now on, for so long at most.
    pub(crate) fn run(&self, timeout: Option<Duration>) -> Running<'_> {
        self.set_deadline(timeout.and_then(|time| Instant::now().checked_add(time)));
        self.0.running.store(true, Ordering::SeqCst);
        Running(self)
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        *self
            .0
            .deadline
            .lock()
            .expect("nothing panics while it holds the lock") = deadline;
    }

    /// Why to stop now, if at all.
    pub(crate) fn reason(&self) -> Option<Reason> {
        if self.0.interrupted.load(Ordering::Relaxed) {
            return Some(Reason::Interrupt);
        }
        let deadline = *self
            .0
            .deadline
            .lock()
            .expect("nothing panics while it holds the lock");
        deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
            .then_some(Reason::Time)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Running(stop) = self;
        stop.0.running.store(false, Ordering::SeqCst);
        // What runs next is not stopped for what came before.
        stop.0.interrupted.store(false, Ordering::SeqCst);
        stop.set_deadline(None);
    }
}
