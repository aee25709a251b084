//! A new database, under a name that may belong to another one.
//!
//! A database is more than its file: changes that SQLite hasn't moved there yet lie beside it and are found by its name. SQLite
//! would apply them to whatever database has that name next.

use crate::counts::Counts;
use crate::history::{self, LogState};
use crate::opening::{companions, journal};
use crate::schema::Schema;
use crate::structure::is_corrupt;
use crate::{AtomicFile, Context, Error, IfExists, Result};
use obook_base::sqlite::all_rows;
use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode};
use serde::Serialize;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A database in the making.
///
/// It appears under its name only at [`NewBook::commit`]; if it is dropped before, nothing is left of it. Until then nobody sees
/// it, so it needs no journal.
#[derive(Debug)]
pub struct NewBook {
    connection: Connection,
    /// The number of rows that it was filled with.
    counts: RefCell<Option<Counts>>,
    file: AtomicFile,
    path: PathBuf,
    context: Context,
    schema: &'static Schema,
}

impl NewBook {
    /// Begins a database that will be at `path`.
    ///
    /// # Errors
    /// As [`AtomicFile::create`]; [`Error::Leftover`] if a database that is gone has left a journal there, unless `if_exists`
    /// says to replace it.
    pub fn create(
        schema: &'static Schema,
        path: &Path,
        if_exists: IfExists,
        context: &Context,
    ) -> Result<NewBook> {
        let file = begin(schema, path, if_exists, context)?;
        let open = || {
            let connection = Connection::open(file.temporary_path())?;
            connection.execute_batch(
                "PRAGMA journal_mode = OFF;
                 PRAGMA synchronous = OFF;
                 PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA cache_size = -65536;",
            )?;
            schema.create(&connection)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
            connection.execute_batch("BEGIN").map(|()| connection)
        };
        Ok(NewBook {
            connection: open().map_err(Error::sqlite(path, "create"))?,
            counts: RefCell::default(),
            file,
            path: path.to_owned(),
            context: context.clone(),
            schema,
        })
    }

    /// Makes a database at `path` in several steps: `make` creates it at the path that it is given, and may open and change it there.
    /// It appears under its name when that is done; if it fails, nothing is left of it.
    ///
    /// # Errors
    /// As [`NewBook::create`] and [`NewBook::commit`], and any error of `make`.
    pub fn in_steps<T, E: From<Error>>(
        schema: &'static Schema,
        path: &Path,
        if_exists: IfExists,
        context: &Context,
        make: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let file = begin(schema, path, if_exists, context)?;
        let made = make(file.temporary_path())?;
        let finished = Connection::open(file.temporary_path()).and_then(finish);
        finished.map_err(Error::sqlite(path, "write"))?;
        put(file)?;
        Ok(made)
    }

    /// The path that the database will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// On whose behalf it is made.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The connection, for writing rows directly. All that is written is one transaction.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sets the numbers of rows that it was filled with.
    pub fn set_counts(&self, counts: Counts) {
        self.counts.replace(Some(counts));
    }

    /// Enters the command of the context as a change in the book's history, after those that were written there; flushes the
    /// database to the disk and gives it its name. `counts` are as in [`Change::commit`](crate::Change::commit).
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written, [`Error::Unfit`] if another process is using a database that
    /// would be replaced, and as [`AtomicFile::commit`].
    ///
    /// # Panics
    /// If `counts` can't be written as JSON.
    pub fn commit(self, counts: &impl Serialize) -> Result<()> {
        let connection = &self.connection;
        let insert = || {
            match self.counts.take() {
                Some(counts) => counts.write(connection)?,
                None if self.schema.counted.is_empty() => {}
                None => Counts::count(connection, self.schema)?.write(connection)?,
            }
            let (number, _) = history::next_number(connection, None)?;
            let counts = history::counts(counts, &history::SchemaChange::default());
            let command = self.context.command();
            history::enter(connection, number, command, &counts, LogState::None)?;
            connection.execute_batch("COMMIT; PRAGMA locking_mode = NORMAL")
        };
        let written = insert().and_then(|()| finish(self.connection));
        written.map_err(Error::sqlite(&self.path, "write"))?;
        put(self.file)
    }
}

/// Begins the file of a database.
pub(crate) fn begin(
    schema: &Schema,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<AtomicFile> {
    let file = AtomicFile::create(path, schema.database(), if_exists, context)?;
    if if_exists == IfExists::Refuse {
        refuse_leftovers(file.target())?;
    }
    Ok(file)
}

/// Gives a database its name, once no process is using the database that has it and no companions of that are left.
pub(crate) fn put(mut file: AtomicFile) -> Result<()> {
    // Do what takes long first: while the name is cleared, other processes wait.
    let path = file.target().to_owned();
    file.file().sync_all().map_err(Error::io(&path, "write"))?;
    file.may_be_named()?;
    let cleared = clear(&path, file.if_exists)?;
    if cfg!(windows) {
        // An open file can't be replaced there.
        drop(cleared);
        return file.commit();
    }
    file.name()
}

/// Refuses a name beside which the journal of another database lies: if that database was only moved, these may be the only
/// copies of its last changes. A new database would take them for its own.
pub(crate) fn refuse_leftovers(path: &Path) -> Result<()> {
    match journal(path) {
        Some(companion) => Err(Error::Leftover {
            path: path.to_owned(),
            companion,
        }),
        None => Ok(()),
    }
}

/// Clears a name for a new database. While the returned lock lives, no process can write to the database that has the name now, if
/// there is one.
///
/// A process that has the old file open and waits finds it outside of WAL mode afterwards, where SQLite itself
/// refuses to write to a file that has lost its name.
fn clear(path: &Path, if_exists: IfExists) -> Result<Option<Connection>> {
    // SQLite would leave companions that the file's owner can't write to.
    #[cfg(unix)]
    if path.exists() && !crate::opening::can_write_to(path) {
        return Err(Error::write_protected(path));
    }
    let lock = match path.exists().then(|| lock(path)).transpose() {
        Ok(lock) => lock,
        Err(error) if is_corrupt(&error) => None,
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let problem =
                    "another process is using this database; end it before replacing the database";
                return Err(Error::unfit(path, problem));
            }
            _ => return Err(Error::sqlite(path, "lock")(error)),
        },
    };
    if if_exists == IfExists::Refuse {
        refuse_leftovers(path)?;
    }
    // A process that still has a deleted database open keeps these files too, without their names, so that what it writes
    // does no harm.
    for companion in companions(path) {
        match std::fs::remove_file(&companion) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io(&companion, "remove")(error));
            }
            _ => {}
        }
    }
    Ok(lock)
}

/// Moves the journal of a database into it, and locks it exclusively.
fn lock(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    set_journal_mode(&connection, "delete")?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    // Another process may have switched back in between.
    match journal_mode(&connection)?.as_str() {
        "delete" => Ok(connection),
        mode => Err(busy(format!("the journal mode is {mode} again"))),
    }
}

/// Switches the journal mode. If it can't, SQLite answers with the old mode instead of an error.
pub(crate) fn set_journal_mode(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    let said: String = first(connection, &format!("PRAGMA journal_mode = {mode}"))?;
    if said == mode {
        return Ok(());
    }
    Err(busy(format!(
        "the journal mode stays {said} instead of {mode}"
    )))
}

/// The error of a statement that another process kept from its work, which SQLite itself doesn't call an error.
fn busy(problem: String) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, Some(problem))
}

/// Switches a database that nobody else is using to WAL mode, so that readers and writers don't wait for each other, and moves
/// everything into its one file. Closing does that too, but does not report failures.
pub(crate) fn finish(connection: Connection) -> rusqlite::Result<()> {
    set_journal_mode(&connection, "wal")?;
    if first(&connection, "PRAGMA main.wal_checkpoint(TRUNCATE)")? {
        return Err(busy(String::from("changes stay in the journal")));
    }
    connection.close().map_err(|(_, error)| error)
}

/// The first column of the only row. Runs the statement to its end, because it may write there, and errors would be lost if it
/// were dropped earlier.
fn first<T: FromSql>(connection: &Connection, sql: &str) -> rusqlite::Result<T> {
    let said: Vec<T> = all_rows(connection, sql, [], |row| row.get(0))?;
    let first = said.into_iter().next();
    first.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

pub(crate) fn journal_mode(connection: &Connection) -> rusqlite::Result<String> {
    connection.pragma_query_value(None, "journal_mode", |row| row.get(0))
}

/// Only Unix lets another file take the name of an open one.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Store;
    use crate::schema::tests::TEST;

    fn make(path: &Path, if_exists: IfExists) -> Result<()> {
        let new = NewBook::create(&TEST, path, if_exists, &Context::default())?;
        let header = "INSERT INTO book (id, schema_version, rules) VALUES (1, 10, 'edax')";
        new.connection().execute_batch(header).unwrap();
        new.commit(&())
    }

    fn change(path: &Path) -> Result<()> {
        let context = Context::default().with_busy_timeout(Duration::ZERO, |_| ());
        let mut store = Store::open_for_writing(&TEST, path, &context)?;
        let change = store.change()?;
        change
            .connection()
            .execute_batch("UPDATE book SET level = 1")
            .unwrap();
        change.commit(&()).map(drop)
    }

    #[test]
    fn a_database_is_not_written_to_while_its_name_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path, IfExists::Refuse).unwrap();
        let early = Connection::open(&path).unwrap();
        early.busy_timeout(Duration::ZERO).unwrap();
        let cleared = clear(&path, IfExists::Replace).unwrap();
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
            companions(&path)
                .iter()
                .all(|companion| !companion.exists())
        );
        change(&path).unwrap();
    }

    #[test]
    fn a_store_does_not_write_to_a_database_that_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path, IfExists::Refuse).unwrap();
        let mut early = Store::open_for_writing(&TEST, &path, &Context::default()).unwrap();
        let in_use = make(&path, IfExists::Replace).unwrap_err();
        assert!(in_use.to_string().contains("another process"), "{in_use}");
        // Moving files by hand is not held up by locks.
        let other = folder.path().join("other.obook");
        make(&other, IfExists::Refuse).unwrap();
        std::fs::rename(&other, &path).unwrap();
        let replaced = early.change().unwrap_err();
        assert!(replaced.to_string().contains("replaced"), "{replaced}");
    }

    #[test]
    fn a_connection_that_has_read_reads_again_unless_the_file_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["book.obook", "other.obook"].map(|name| folder.path().join(name));
        make(&path, IfExists::Refuse).unwrap();
        let store = Store::open(&TEST, &path, &Context::default()).unwrap();
        let pragma = "cache_size";
        let found = || {
            let reader = store.begin_reading().unwrap();
            let connection = reader.connection();
            let size: i64 = connection
                .pragma_query_value(None, pragma, |row| row.get(0))
                .unwrap();
            connection.pragma_update(None, pragma, 123).unwrap();
            let level = connection.query_row("SELECT level FROM book", [], |row| row.get(0));
            reader.end_reading();
            (size == 123, level.unwrap())
        };
        assert_eq!(found(), (false, None::<i64>));
        assert_eq!(found(), (true, None));
        change(&path).unwrap();
        assert_eq!(found(), (true, Some(1)));
        make(&other, IfExists::Refuse).unwrap();
        for companion in companions(&path) {
            let _ = std::fs::remove_file(companion);
        }
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(found(), (false, None));
    }
}
