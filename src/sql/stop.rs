//! Stopping a statement: by Ctrl-C and by a timeout.

use crate::context;
use crate::sql::Problem;
use crate::words::say;
use rusqlite::Connection;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The number of SQLite's steps between two checks, about 10 µs.
const STRIDE: i32 = 1000;

/// Why a statement was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    Interrupt,
    Time,
}

/// The session that an interrupt stops; a process has only one.
static WATCHED: OnceLock<Arc<State>> = OnceLock::new();

/// Stops the running statement. Returns `false` if none is running or it was asked to stop before.
pub(crate) fn interrupt() -> bool {
    WATCHED.get().is_some_and(|state| {
        state.running.load(Ordering::SeqCst) && !state.interrupted.swap(true, Ordering::SeqCst)
    })
}

/// Decides when to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    running: AtomicBool,
    interrupted: AtomicBool,
    deadline: Mutex<Option<Instant>>,
}

/// Statements run until this is dropped.
#[derive(Debug)]
pub(crate) struct Running<'s>(&'s Stop);

impl Stop {
    /// Makes [`interrupt`] stop the connection's statements.
    pub(crate) fn install(connection: &mut Connection) -> rusqlite::Result<Stop> {
        let stop = Stop::default();
        let _ = WATCHED.set(Arc::clone(&stop.0));
        let watch = stop.clone();
        connection.progress_handler(STRIDE, Some(move || watch.reason().is_some()))?;
        Ok(stop)
    }

    /// Starts running statements, with a time limit.
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

    /// The reason to stop now, if any.
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
        // An old interrupt must not stop the next statement.
        stop.0.interrupted.store(false, Ordering::SeqCst);
        stop.set_deadline(None);
    }
}

/// The time for a statement to end by itself after its timeout.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the process soon after a timeout, unless it is dropped before.
///
/// SQLite checks the time between the steps of a statement, and one step may take long: searching a text of a gigabyte, sorting,
/// reading a file. An open transaction is rolled back when the book is opened next.
#[derive(Debug)]
pub(crate) struct Watchdog {
    _alive: Option<Sender<()>>,
}

impl Watchdog {
    /// Starts watching.
    pub(crate) fn start(book: &Path, timeout: Option<Duration>) -> Watchdog {
        let Some(timeout) = timeout else {
            return Watchdog { _alive: None };
        };
        let (alive, ended) = channel();
        let book = book.to_owned();
        std::thread::spawn(move || watch(&ended, timeout, &book));
        Watchdog {
            _alive: Some(alive),
        }
    }
}

fn watch(ended: &Receiver<()>, timeout: Duration, book: &Path) {
    let patience = timeout.saturating_add(GRACE);
    if ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        say(format_args!("obook: {}", Problem::late(book, timeout)));
        context::quiet().remove_unfinished();
        std::process::exit(1);
    }
}
