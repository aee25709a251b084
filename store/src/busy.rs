//! Waiting for another process: a database has one writer at a time.

use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::path::Path;
use std::sync::RwLock;
use std::time::Duration;

/// How long this process waits without a word.
const SILENT: Duration = Duration::from_secs(1);

/// How long this process waits, and what it tells that it does.
#[derive(Clone, Copy)]
struct BusyTimeout {
    limit: Duration,
    tell: fn(&str),
}

/// One setting for the whole process: every command that writes opens databases of its own, so that an argument for this
/// would have to go through all of them.
static BUSY_TIMEOUT: RwLock<BusyTimeout> = RwLock::new(BusyTimeout {
    limit: Duration::from_secs(60),
    tell: |_| (),
});

/// How long this process waits for another one that is writing to the same database; `tell` gets a sentence that says so once
/// it has waited for a second. Without this it waits for a minute, and says nothing.
///
/// ```
/// use std::time::Duration;
/// obook_store::set_busy_timeout(Duration::from_secs(5), |sentence| eprintln!("{sentence}"));
/// ```
pub fn set_busy_timeout(limit: Duration, tell: fn(&str)) {
    let mut setting = BUSY_TIMEOUT
        .write()
        .expect("nothing panics while it holds the lock");
    *setting = BusyTimeout { limit, tell };
}

/// Begins a transaction that writes.
pub(crate) fn begin<'c>(connection: &'c Connection, path: &Path) -> Result<Transaction<'c>> {
    wait(connection, path, "begin to write", || {
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
    })
}

/// Does what has to wait for other processes; `doing` is said where it fails.
pub(crate) fn wait<T>(
    connection: &Connection,
    path: &Path,
    doing: &'static str,
    attempt: impl Fn() -> rusqlite::Result<T>,
) -> Result<T> {
    let BusyTimeout { limit, tell } = *BUSY_TIMEOUT
        .read()
        .expect("nothing panics while it holds the lock");
    let within = |wait: Duration| {
        connection.busy_timeout(wait)?;
        attempt()
    };
    let is_busy =
        |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    let mut done = within(SILENT.min(limit));
    if limit > SILENT && done.as_ref().is_err_and(is_busy) {
        tell(&format!(
            "{}: another process is writing; waiting up to {} s",
            path.display(),
            limit.as_secs()
        ));
        done = within(limit - SILENT);
    }
    done.map_err(|error| match is_busy(&error) {
        true => Error::Busy {
            path: path.to_owned(),
            waited: limit,
        },
        false => Error::sqlite(path, doing)(error),
    })
}
