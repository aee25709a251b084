//! Waiting for another process: a database has one writer at a time.

use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::path::Path;
use std::sync::RwLock;
use std::time::Duration;

/// How long it is not told that this process waits.
const GRACE: Duration = Duration::from_secs(1);

/// How long this process waits for another, and what is told then.
#[derive(Clone, Copy)]
struct BusyTimeout {
    limit: Duration,
    tell: fn(&str),
}

static TIMEOUT: RwLock<BusyTimeout> = RwLock::new(BusyTimeout {
    limit: Duration::from_secs(60),
    tell: |_| (),
});

/// How long this process waits for another one that is writing to the same database (the busy timeout), and what is called
/// with a sentence that says so, once it has waited for a second. Without this it waits for a minute and says nothing.
///
/// ```
/// obook_book::wait_at_most(std::time::Duration::from_secs(5), |sentence| eprintln!("{sentence}"));
/// ```
pub fn wait_at_most(limit: Duration, tell: fn(&str)) {
    let mut timeout = TIMEOUT
        .write()
        .expect("nothing panics while it holds the lock");
    *timeout = BusyTimeout { limit, tell };
}

/// Begins a transaction that writes.
pub(super) fn begin<'c>(connection: &'c Connection, path: &Path) -> Result<Transaction<'c>> {
    let BusyTimeout { limit, tell } = *TIMEOUT
        .read()
        .expect("nothing panics while it holds the lock");
    let begin = |wait: Duration| {
        connection.busy_timeout(wait)?;
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
    };
    let is_busy =
        |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    let mut begun = begin(GRACE.min(limit));
    if limit > GRACE && begun.as_ref().is_err_and(is_busy) {
        tell(&format!(
            "{}: another process is writing; waiting up to {} s",
            path.display(),
            limit.as_secs()
        ));
        begun = begin(limit - GRACE);
    }
    begun.map_err(|error| {
        if is_busy(&error) {
            let limit = limit.as_secs();
            let problem = format!("another process is still writing after {limit} s; try again later, or with --wait SECONDS");
            Error::unfit(path, problem)
        } else {
            Error::sqlite(path, "begin to write")(error)
        }
    })
}
