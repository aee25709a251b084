//! A new database under a name where another one is, was or never was.
//!
//! A database is more than its file: what SQLite has not moved there yet lies beside it, found by its name. Whatever file
//! of that name comes next would be taken to belong to it.

use super::companions;
use crate::{AtomicFile, Error, IfExists, Result};
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Gives a database its name, once no process uses the one that has it and nothing of it is left.
///
/// # Errors
/// [`Error::Unfit`] where another process uses the old one, [`Error::Leftover`] as [`refuse_leftovers`], and as
/// [`AtomicFile::commit`].
pub(crate) fn put(mut file: AtomicFile) -> Result<()> {
    // What takes long comes first: while the name is cleared, other processes wait.
    let path = file.target().to_owned();
    file.file().sync_all().map_err(Error::io(&path, "write"))?;
    file.may_be_named()?;
    let cleared = Cleared::new(&path, file.if_exists())?;
    if cfg!(windows) {
        // Where an open file can't give way.
        drop(cleared);
        return file.commit();
    }
    file.name()
}

/// Refuses a name beside which something is left of a database that is gone: changes that may be the last copy, if
/// the database was only moved.
///
/// # Errors
/// [`Error::Leftover`].
pub(crate) fn refuse_leftovers(path: &Path) -> Result<()> {
    match companions::journal(path) {
        Some(companion) => Err(Error::Leftover {
            path: path.to_owned(),
            companion,
        }),
        None => Ok(()),
    }
}

/// A name that a new database may take: no process writes to what has it now, and none can begin to while this lives.
///
/// A process that has the old file open and waits until this is gone finds it outside of WAL mode, and there SQLite itself
/// refuses to write to a file that has lost its name.
#[derive(Debug)]
struct Cleared {
    /// With the exclusive lock, where there was a database.
    _lock: Option<Connection>,
}

impl Cleared {
    fn new(path: &Path, if_exists: IfExists) -> Result<Cleared> {
        let lock = if path.exists() {
            match lock(path) {
                Ok(connection) => Some(connection),
                Err(Taken::Damaged) => None,
                Err(Taken::InUse) => {
                    return Err(Error::unfit(
                        path,
                        "another process is using this database; end it before the database is replaced",
                    ));
                }
                Err(Taken::Refused(error)) => return Err(Error::sqlite(path, "lock")(error)),
            }
        } else {
            None
        };
        if if_exists == IfExists::Refuse {
            refuse_leftovers(path)?;
        }
        // A process that still has a database open that was deleted keeps these files, too, without their names: what it
        // writes reaches neither name.
        for companion in companions::of(path) {
            match std::fs::remove_file(&companion) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io(&companion, "remove")(error));
                }
                _ => {}
            }
        }
        Ok(Cleared { _lock: lock })
    }
}

/// Why a file can't be locked as a database.
enum Taken {
    /// Another process reads or writes it.
    InUse,
    /// It is no database, or none that SQLite can read.
    Damaged,
    /// Anything else.
    Refused(rusqlite::Error),
}

impl From<rusqlite::Error> for Taken {
    fn from(error: rusqlite::Error) -> Taken {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Taken::InUse,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Taken::Damaged,
            _ => Taken::Refused(error),
        }
    }
}

/// Moves all that lies beside a database into it and takes the lock beside which there can be no other.
fn lock(path: &Path) -> std::result::Result<Connection, Taken> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    set_journal_mode(&connection, "delete")?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    // Between the two, another process may have switched back.
    match journal_mode(&connection)?.as_str() {
        "delete" => Ok(connection),
        _ => Err(Taken::InUse),
    }
}

/// Switches the journal mode: SQLite may answer with another mode in place of an error.
pub(crate) fn set_journal_mode(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    let said: String = first(connection, &format!("PRAGMA journal_mode = {mode}"))?;
    if said == mode {
        return Ok(());
    }
    let problem = format!("the journal mode stays {said} in place of {mode}");
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    Err(rusqlite::Error::SqliteFailure(code, Some(problem)))
}

/// Switches a database that nobody else uses to a journal of its own, and moves all that it holds into its one file: closing
/// does that too, but does not say where it fails.
pub(crate) fn finish(connection: Connection) -> rusqlite::Result<()> {
    set_journal_mode(&connection, "wal")?;
    if first(&connection, "PRAGMA main.wal_checkpoint(TRUNCATE)")? {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        let problem = String::from("changes stay in the journal");
        return Err(rusqlite::Error::SqliteFailure(code, Some(problem)));
    }
    connection.close().map_err(|(_, error)| error)
}

/// What the first column of the only row says, once the statement has come to its end: what it writes it writes there, and
/// one that is dropped before does not say that it failed.
fn first<T: FromSql>(connection: &Connection, sql: &str) -> rusqlite::Result<T> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let said = row.get(0)?;
    while rows.next()?.is_some() {}
    Ok(said)
}

fn journal_mode(connection: &Connection) -> rusqlite::Result<String> {
    connection.pragma_query_value(None, "journal_mode", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BookHeader, Entry, NewBook, Store};
    use obook_converters::Header;
    use obook_model::RuleSet;

    fn make(path: &Path, if_exists: IfExists) -> Result<()> {
        let new = NewBook::create(path, if_exists)?;
        new.fill(|| Ok(std::iter::empty()))?;
        new.set_header(&BookHeader {
            rules: RuleSet::Edax,
            format: None,
            header: Header::default(),
        })?;
        new.commit(&Entry::new("test"))
    }

    fn change(path: &Path) -> Result<()> {
        crate::set_busy_timeout(Duration::ZERO, |_| ());
        let mut store = Store::open_for_writing(path)?;
        let update = store.update()?;
        update
            .connection()
            .execute_batch("UPDATE book SET level = 1")
            .unwrap();
        update.commit(&Entry::new("change"))
    }

    #[test]
    fn while_a_name_is_cleared_what_has_it_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path, IfExists::Refuse).unwrap();
        let early = Connection::open(&path).unwrap();
        early.busy_timeout(Duration::ZERO).unwrap();
        let cleared = Cleared::new(&path, IfExists::Replace).unwrap();
        early
            .execute_batch("PRAGMA journal_mode = WAL; UPDATE book SET level = 2")
            .unwrap_err();
        change(&path).unwrap_err();
        // Another file takes the name.
        let other = folder.path().join("other.obook");
        make(&other, IfExists::Refuse).unwrap();
        std::fs::rename(&other, &path).unwrap();
        drop(cleared);
        early
            .execute_batch("PRAGMA journal_mode = WAL; UPDATE book SET level = 2")
            .unwrap_err();
        assert!(
            companions::of(&path)
                .iter()
                .all(|companion| !companion.exists())
        );
        change(&path).unwrap();
    }

    #[test]
    fn who_opened_what_was_replaced_does_not_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path, IfExists::Refuse).unwrap();
        let mut early = Store::open_for_writing(&path).unwrap();
        let in_use = make(&path, IfExists::Replace).unwrap_err();
        assert!(in_use.to_string().contains("another process"), "{in_use}");
        // Moving files by hand is not held up by locks.
        let other = folder.path().join("other.obook");
        make(&other, IfExists::Refuse).unwrap();
        std::fs::rename(&other, &path).unwrap();
        let replaced = early.update().unwrap_err();
        assert!(replaced.to_string().contains("replaced"), "{replaced}");
    }
}
