//! A timeout that works even if SQLite doesn't react.

use crate::sql::Problem;
use crate::words::say;
use obook_book::remove_unfinished;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

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
        remove_unfinished();
        std::process::exit(1);
    }
}
