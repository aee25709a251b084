//! Time that is up where nothing else can end it.

use crate::sql::Problem;
use crate::words::say;
use obook_book::remove_unfinished;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long a statement has to end by itself once its time is up.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the process soon after a time is up, unless it is dropped before.
///
/// SQLite looks at the clock between two steps of a statement, and one step may take long: a search in a text of a gigabyte, a
/// sort, a file that is read. A transaction that is not committed is rolled back by whoever opens the book next.
#[derive(Debug)]
pub(crate) struct Watchdog {
    _alive: Option<Sender<()>>,
}

impl Watchdog {
    /// Watches over what is asked of a book.
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
