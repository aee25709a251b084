//! Ending a statement before it is done: Ctrl-C, and time that is up.

use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How many of SQLite's small steps pass between two looks at the clock: about 10 µs.
const STRIDE: i32 = 1000;

/// Why a statement was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    Interrupt,
    Time,
}

/// What an interrupt stops: there is one session in a process.
static WATCHED: OnceLock<Arc<State>> = OnceLock::new();

/// Ends the statement that is running; `false` where none is, or where it was asked to end before.
pub(crate) fn interrupt() -> bool {
    WATCHED.get().is_some_and(|state| {
        state.running.load(Ordering::SeqCst) && !state.interrupted.swap(true, Ordering::SeqCst)
    })
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
    /// Makes [`interrupt`] end the connection's statement.
    pub(crate) fn install(connection: &mut Connection) -> rusqlite::Result<Stop> {
        let stop = Stop::default();
        let _ = WATCHED.set(Arc::clone(&stop.0));
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
