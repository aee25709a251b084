//! Stopping a statement: by Ctrl-C and by a timeout.

use crate::prelude::*;
use crate::sql::Problem;
use obook_base::locked;
use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The number of SQLite's steps between two checks, about 10 µs.
const STRIDE: i32 = 1000;

/// Whether a statement is running. A process runs one at a time.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Whether it was interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The clock of its time limit.
static CLOCK: Mutex<Option<Arc<Clock>>> = Mutex::new(None);

/// Stops the running statement. Returns `false` if none is running or it was asked to stop before.
pub(crate) fn interrupt() -> bool {
    RUNNING.load(Ordering::SeqCst) && !INTERRUPTED.swap(true, Ordering::SeqCst)
}

/// Stops the clock of the running statement while `wait` waits for a person.
pub(crate) fn without_clock<T>(wait: impl FnOnce() -> T) -> T {
    let Some(clock) = locked(&CLOCK).clone() else {
        return wait();
    };
    let (end, began) = (locked(&clock.end).take(), Instant::now());
    let waited = wait();
    *locked(&clock.end) = end.and_then(|end| end.checked_add(began.elapsed()));
    waited
}

/// Lets interrupts and time limits stop the connection's statements about this book.
pub(crate) fn install(connection: &mut Connection, book: &Path) -> rusqlite::Result<()> {
    let book = book.to_owned();
    connection.progress_handler(STRIDE, Some(move || reason(&book).is_some()))
}

/// The reason to stop a statement about this book now, if any.
pub(crate) fn reason(book: &Path) -> Option<Failure> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Some(Failure::Interrupted);
    }
    let clock = locked(&CLOCK);
    let clock = clock.as_ref().filter(|it| it.is_late_by(Duration::ZERO))?;
    Some(Problem::late(book, clock.timeout).into())
}

/// A time limit, and when it ends.
#[derive(Debug)]
struct Clock {
    timeout: Duration,
    /// `None` while a person reads.
    end: Mutex<Option<Instant>>,
}

impl Clock {
    /// Returns `None` if the end is too far away to represent.
    fn new(timeout: Duration) -> Option<Clock> {
        let end = Mutex::new(Some(Instant::now().checked_add(timeout)?));
        Some(Clock { timeout, end })
    }

    fn is_late_by(&self, grace: Duration) -> bool {
        locked(&self.end).is_some_and(|end| Instant::now() >= end + grace)
    }
}

/// The time for a statement to end by itself after its timeout.
const GRACE: Duration = Duration::from_millis(500);

/// A time limit, which lasts until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Limit {
    clock: Option<Arc<Clock>>,
    /// Keeps the watchdog quiet.
    _alive: Option<Sender<()>>,
}

impl Limit {
    /// Starts a limit that ends the process if the statement doesn't end soon after it.
    ///
    /// SQLite checks the time between the steps of a statement, and one step may take long: searching a text of a gigabyte, sorting,
    /// reading a file. An open transaction is rolled back when the book is opened next.
    pub(crate) fn start(book: &Path, timeout: Option<Duration>) -> Limit {
        let Some(clock) = timeout.and_then(Clock::new).map(Arc::new) else {
            return Limit::default();
        };
        let (alive, ended) = channel();
        let (book, watched) = (book.to_owned(), Arc::clone(&clock));
        std::thread::spawn(move || watch(&ended, &watched, &book));
        Limit {
            clock: Some(clock),
            _alive: Some(alive),
        }
    }

    /// Starts a limit for statements that have only short steps.
    pub(crate) fn gentle(timeout: Duration) -> Limit {
        Limit {
            clock: Clock::new(timeout).map(Arc::new),
            _alive: None,
        }
    }

    /// Statements run from now until this is dropped.
    pub(crate) fn run(self) -> Limit {
        locked(&CLOCK).clone_from(&self.clock);
        RUNNING.store(true, Ordering::SeqCst);
        self
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        RUNNING.store(false, Ordering::SeqCst);
        // An old interrupt must not stop the next statement.
        INTERRUPTED.store(false, Ordering::SeqCst);
        *locked(&CLOCK) = None;
    }
}

fn watch(ended: &Receiver<()>, clock: &Clock, book: &Path) {
    let left = |end: Instant| end.saturating_duration_since(Instant::now());
    let patience = || locked(&clock.end).map_or(Duration::ZERO, left) + GRACE;
    while ended.recv_timeout(patience()) == Err(RecvTimeoutError::Timeout) {
        if clock.is_late_by(GRACE) {
            let late = Problem::late(book, clock.timeout);
            say(format_args!("obook: {late}"));
            context::clean_up();
            std::process::exit(1);
        }
    }
}
