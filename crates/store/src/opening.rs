//! Opening a database, for reading or for writing, in a folder that may be write-protected.

use crate::history::Recorder;
use crate::new::journal_mode;
use crate::read::file_bytes;
use crate::schema::Schema;
use crate::wal::Extent;
use crate::{Context, Error, Result, Wal, WalDamage, structure};
use obook_base::{Scratch, folder_of, identity, locked};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};
use std::cell::Cell;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// An open obook database.
///
/// Opening reads a page or two, so it takes a few milliseconds whatever the size of the book.
#[derive(Debug)]
pub struct Store {
    idle: Idle,
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) context: Context,
    pub(crate) schema: &'static Schema,
    /// The file that was opened. Another process may have replaced it since.
    file: FileIdentity,
    /// The version of the file whose structure was checked last.
    checked: Cell<Option<i64>>,
    pub(crate) recorder: Recorder,
    /// The folder of a temporary database.
    _folder: Option<Box<Scratch>>,
}

/// A connection, and the file that it has open.
type Connected = (Connection, FileIdentity);

/// Connections on which a store and its readers have read, for the next time: to open one takes longer than to read a small book. They
/// are closed with the last of these.
type Idle = Arc<Mutex<Vec<Connected>>>;

/// The most idle connections of a store: as many as a change of a small book uses at a time.
const MOST_IDLE: usize = 4;

impl Store {
    /// Opens a database for reading. The connection refuses to write.
    ///
    /// If the file or its folder is write-protected (a read-only share, a mounted image, another user's file) and no
    /// unfinished changes lie beside it, it is read without locks. A writer elsewhere, on another machine for instance, is then
    /// not held back, and its changes may appear in part, or as errors: see [`Context::check_unchanged`].
    ///
    /// # Errors
    /// Returns [`Error::Io`] if there is no such file, [`Error::NotABook`] if it isn't an obook database, [`Error::Newer`] if a
    /// later obook made it, [`Error::Unfit`] if changes lie beside it that can't be read without writing there, and
    /// [`Error::Corrupt`] if committed changes in its log are damaged: SQLite would ignore and then delete them.
    pub fn open(schema: &'static Schema, path: &Path, context: &Context) -> Result<Store> {
        check_log(path, Extent::Current)?;
        Store::open_checked(schema, path, context)
    }

    /// Checks the whole log beside a database, including what opening the database doesn't read: frames behind those of an earlier
    /// log, to which a disk may have lost its own. Call this before it is opened.
    ///
    /// # Errors
    /// Returns [`Error::Corrupt`] if committed changes in it are damaged.
    pub fn check_log(path: &Path) -> Result<()> {
        check_log(path, Extent::Whole)
    }

    /// Connects to a database for one quick question, such as that of a shell that completes a word: without locks, waiting or
    /// files beside it. A change that is still in its log is missing, and one that is being written may give an error.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn peek(schema: &Schema, path: &Path) -> Result<Connection> {
        let connection = open_unlocked(path).map_err(Error::sqlite(path, "open"))?;
        distrust(&connection).map_err(Error::sqlite(path, "open"))?;
        schema.check(&connection, path)?;
        Ok(connection)
    }

    /// As [`Store::open`], if this process has the database open already.
    pub(crate) fn open_checked(
        schema: &'static Schema,
        path: &Path,
        context: &Context,
    ) -> Result<Store> {
        let (connection, file) = connect(schema, path, context)?;
        let forbidden = connection.pragma_update(None, "query_only", true);
        forbidden.map_err(Error::sqlite(path, "forbid writing to"))?;
        Ok(Store::new((connection, file), schema, path, context))
    }

    /// Opens a database for reading and writing, and brings one of an older version up to date.
    ///
    /// # Errors
    /// As [`Store::open`]; [`Error::Unfit`] also if it is write-protected.
    pub fn open_for_writing(
        schema: &'static Schema,
        path: &Path,
        context: &Context,
    ) -> Result<Store> {
        check_log(path, Extent::Current)?;
        let connected = connect_up_to_date(schema, path, context)?;
        let store = Store::new(connected, schema, path, context);
        let failed = || Error::sqlite(path, "open");
        if store.connection.is_readonly(MAIN_DB).map_err(failed())? {
            let problem = "the disk has no room for the file that SQLite needs beside it";
            return Err(match can_write_to(path) && can_write_beside(path) {
                true => Error::unfit(path, problem),
                false => Error::write_protected(path),
            });
        }
        // If that is impossible now, the next opening does it. A later read of a damaged or missing table reports that.
        let _ = (schema.rows)(&store.connection);
        context.scratches().sweep(folder_of(path));
        // A copy that another tool made may have lost this mode, without which readers and the writer block each other. While
        // such a copy is being read, it stays as it is.
        let _ = store.connection.pragma_update(None, "journal_mode", "wal");
        // With a small cache, changes all over a book would go to the journal again and again.
        let enlarged = store
            .connection
            .pragma_update(None, "cache_size", -CACHE_KIB);
        enlarged.map_err(failed())?;
        Ok(store)
    }

    /// Opens a temporary database that `make` creates at the given path. It has this file name in a folder of its own, and is removed
    /// when it is dropped.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if there is no room for temporary files, and any error of `make`.
    pub fn temporary<E: From<Error>>(
        schema: &'static Schema,
        name: &str,
        make: impl FnOnce(&Path) -> Result<(), E>,
        context: &Context,
    ) -> Result<Store, E> {
        let temporary = std::env::temp_dir();
        let failed = Error::io(&temporary, "make a temporary database in");
        let folder = Scratch::within(&temporary, context.scratches()).map_err(failed)?;
        let path = folder.path().join(name);
        make(&path)?;
        Ok(Store {
            _folder: Some(Box::new(folder)),
            ..Store::open(schema, &path, context)?
        })
    }

    fn new(
        (connection, file): Connected,
        schema: &'static Schema,
        path: &Path,
        context: &Context,
    ) -> Store {
        // A change alone has more than the 16 that rusqlite keeps.
        connection.set_prepared_statement_cache_capacity(64);
        Store {
            connection,
            schema,
            path: path.to_owned(),
            context: context.clone(),
            file,
            checked: Cell::new(None),
            recorder: Recorder::default(),
            idle: Idle::default(),
            _folder: None,
        }
    }

    /// Opens another connection to the same database, for reading. It sees what has been committed, not what a [`Change`] of
    /// this store has written so far.
    ///
    /// # Errors
    /// As [`Store::open`].
    ///
    /// [`Change`]: crate::Change
    pub fn reader(&self) -> Result<Store> {
        let reader = Store::open_checked(self.schema, &self.path, &self.context)?;
        Ok(Store {
            idle: Arc::clone(&self.idle),
            ..reader
        })
    }

    /// Whether the file that was opened still has its name: another program may have replaced or deleted it.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.file.is_at(&self.path)
    }

    /// Begins a transaction that reads, on a connection of its own.
    pub(crate) fn begin_reading(&self) -> Result<Store> {
        let idle = locked(&self.idle).pop();
        let reader = match idle.filter(|(_, file)| file.is_at(&self.path)) {
            Some(connected) => Store {
                idle: Arc::clone(&self.idle),
                ..Store::new(connected, self.schema, &self.path, &self.context)
            },
            None => self.reader()?,
        };
        // It begins with the first read.
        let begin = "BEGIN; SELECT count(*) FROM sqlite_schema;";
        let begun = reader.connection.execute_batch(begin);
        begun.map_err(self.failed("read"))?;
        Ok(reader)
    }

    /// Ends the transaction of [`Store::begin_reading`], and keeps the connection for the next one.
    pub(crate) fn end_reading(self) {
        // The pages that it has read would take up memory.
        let end = "ROLLBACK; PRAGMA shrink_memory";
        let ended = self.connection.execute_batch(end);
        let mut idle = locked(&self.idle);
        if ended.is_ok() && idle.len() < MOST_IDLE {
            idle.push((self.connection, self.file));
        }
    }

    /// The connection, for queries that this crate has no method for.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// As [`Store::connection`], for installing hooks.
    pub fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The path of the database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The context that it was opened with.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Sets the command that the history names for changes from now on.
    pub fn set_command(&mut self, command: &str) {
        self.context = self.context.clone().with_command(command);
    }

    /// A number that changes whenever another connection, in this process or another one, has changed the file.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the file can't be read.
    pub fn version_of_others(&self) -> Result<i64> {
        self.ask("PRAGMA data_version", [])
    }

    /// The name by which SQL attaches this database to a connection of this crate.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if the path isn't UTF-8, as SQL requires.
    pub fn attached_as(&self) -> Result<String> {
        let is_protected = self.connection.is_readonly(MAIN_DB);
        if is_protected.map_err(self.failed("open"))? && journal(&self.path).is_none() {
            return Ok(unchanging(&self.path));
        }
        let name = absolute(&self.path).into_os_string().into_string();
        name.map_err(|_| Error::unfit(&self.path, "the name isn't UTF-8, which ATTACH requires"))
    }

    /// Begins to write: if the database is small, after a check of its structure.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>> {
        let transaction = self.wait("begin to write", || {
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
        })?;
        // From now on it can't be replaced.
        if !self.is_in_place() {
            let problem =
                "another process has replaced or removed this database since it was opened";
            return Err(Error::unfit(&self.path, problem));
        }
        // This handle keeps a sound file sound; only others can have damaged it since the last check.
        let version = Some(self.version_of_others()?);
        if self.checked.get() != version && self.read(file_bytes)? <= structure::CHECKED_BYTES {
            structure::check(&transaction, &self.path, structure::Scope::Whole)?;
            self.checked.set(version);
        }
        self.remove_old_journal(&transaction)
            .map_err(self.failed("open"))?;
        Ok(transaction)
    }

    /// Removes the journal that a process left which was killed when it was about to replace the database. In WAL mode SQLite has none,
    /// and while this process writes, no other can leave that mode.
    fn remove_old_journal(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let [_, journal, _] = companions(&self.path);
        if journal.exists() && journal_mode(transaction)? == "wal" {
            // If that fails, the next change tries again.
            let _ = std::fs::remove_file(journal);
        }
        Ok(())
    }

    /// Commits. If that was a large change, the log is emptied, because everyone who opens the database reads it. If others still
    /// need it, the next change tries again.
    pub(crate) fn end(&self, transaction: Transaction<'_>) -> Result<()> {
        transaction.commit().map_err(self.failed("write"))?;
        self.shorten_log();
        Ok(())
    }

    pub(crate) fn shorten_log(&self) {
        let [log, _, _] = companions(&self.path);
        if std::fs::metadata(log).is_ok_and(|found| found.len() > LOG_BYTES) {
            // The change is made, whatever happens here.
            let sql = "PRAGMA main.wal_checkpoint(TRUNCATE)";
            let _ = self.connection.query_row(sql, [], |_| Ok(()));
        }
    }

    /// Turns an error of SQLite into one that names the database: for `map_err`.
    pub fn failed(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(&self.path, doing)
    }
}

/// Refuses a database if committed changes in its log can't be read.
fn check_log(path: &Path, extent: Extent) -> Result<()> {
    // If it can't be read at all, SQLite will say why.
    let damage = || Wal::up_to(path, extent).ok().flatten()?.damage;
    // Another process may have been writing.
    let Some(WalDamage { offset, pages }) = damage().filter(|it| damage() == Some(*it)) else {
        return Ok(());
    };
    let [log, _, _] = companions(path);
    Err(Error::Corrupt {
        path: path.to_owned(),
        found: format!(
            "{} can't be read from byte {offset} on; it has {pages} pages of committed changes there",
            log.display()
        ),
    })
}

/// Pages that may wait in memory until they are written, in KiB.
const CACHE_KIB: i64 = 256 << 10;

/// The most bytes of a log that stay after a change.
const LOG_BYTES: u64 = 16 << 20;

/// Only one thread at a time uses a connection; the name of an attached database may be a URI.
const OPEN: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_URI);

/// Connects, and checks that this is an obook database of the game, in a known version. If the file is replaced meanwhile, opens the new
/// one: with the old one, SQLite would use the new one's companions.
pub(crate) fn connect(schema: &Schema, path: &Path, context: &Context) -> Result<Connected> {
    loop {
        // SQLite's own messages for a missing file and for a folder are of no help.
        let found = std::fs::metadata(path).map_err(Error::io(path, "open"))?;
        let file = FileIdentity::of(&found);
        let (connection, checked) = open(schema, path, context)?;
        // Once it has read, a connection in WAL mode keeps others from replacing the file.
        if file.is_at(path) {
            return checked.map(|()| (connection, file));
        }
    }
}

/// Opens a database, and says whether it is an obook database.
fn open(schema: &Schema, path: &Path, context: &Context) -> Result<(Connection, Result<()>)> {
    let failed = || Error::sqlite(path, "open");
    // In WAL mode even reading needs write access, so that the last reader can tidy up. If the file is write-protected, SQLite
    // falls back to reading.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OPEN;
    let connection = Connection::open_with_flags(absolute(path), flags).map_err(failed())?;
    prepare(schema, &connection).map_err(failed())?;
    let is_protected = connection.is_readonly(MAIN_DB).map_err(failed())?;
    if is_protected && can_write_to(path) {
        // SQLite falls back to reading whatever the reason was.
        let problem = "opening it for writing failed, though it is not write-protected; try again";
        return Err(Error::unfit(path, problem));
    }
    // If the folder is writable but the file isn't, SQLite would make companions that it could not remove and that the file's
    // owner could not write to.
    if !is_protected || companions_are_complete(path) {
        match schema.check(&connection, path) {
            Err(Error::Sqlite { source, .. })
                if is_barred(&source, path) || lacks_room(&source) => {}
            // The disk is full.
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::StorageFull => {}
            checked => return Ok((connection, checked)),
        }
    }
    drop(connection);
    if let Some(journal) = journal(path) {
        let problem = format!(
            "some of its changes are in {}, which can't be read without writing there: copy both files to a folder of your \
             own, or let someone who may write there open it once",
            journal.display()
        );
        return Err(Error::unfit(path, problem));
    }
    context.unlocked().add(path);
    let connection = open_unlocked(path).map_err(failed())?;
    prepare(schema, &connection).map_err(failed())?;
    let checked = schema.check(&connection, path);
    Ok((connection, checked))
}

/// Opens a database that may be written, and brings one of a released version up to date first.
pub(crate) fn connect_up_to_date(
    schema: &Schema,
    path: &Path,
    context: &Context,
) -> Result<Connected> {
    match connect(schema, path, context) {
        Err(Error::Outdated { .. }) => {
            migrate(schema, path)?;
            connect(schema, path, context)
        }
        connected => connected,
    }
}

fn migrate(schema: &Schema, path: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OPEN;
    let migrate = || {
        let connection = Connection::open_with_flags(absolute(path), flags)?;
        prepare(schema, &connection)?;
        schema.migrate(&connection)
    };
    migrate().map_err(Error::sqlite(path, "bring the schema up to date"))
}

/// A database in memory with everything that is in each book, except for these tables.
///
/// # Errors
/// Returns SQLite's error if there is no memory for it.
pub fn without_tables(
    schema: &Schema,
    tables: impl IntoIterator<Item = &'static str>,
) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_in_memory_with_flags(OPEN | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    prepare(schema, &connection)?;
    schema.create(&connection)?;
    for table in tables {
        connection.execute_batch(&format!("DROP TABLE {table}"))?;
    }
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn prepare(schema: &Schema, connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    distrust(connection)?;
    (schema.functions)(connection)
}

/// A database may come from anywhere: its schema can only call functions that do nothing but compute, and its triggers don't
/// run. The connection's own triggers, which log changes, do.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    // Otherwise a prepared join is planned anew whenever its parameters change: a look-up would take ten times as long.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Whether SQLite failed because it may not create files beside the database.
fn is_barred(error: &rusqlite::Error, path: &Path) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)) && !can_write_beside(path)
}

/// Whether SQLite failed because there is no room for the index of the log.
fn lacks_room(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR_SHMSIZE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(SQLITE_FULL | SQLITE_IOERR_SHMSIZE))
}

fn can_write_beside(path: &Path) -> bool {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    can_write_to(folder_of(&path))
}

#[cfg(unix)]
pub(crate) fn can_write_to(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::WRITE_OK).is_ok()
}

/// Other systems have no plain answer, so SQLite's failure has to do.
#[cfg(not(unix))]
fn can_write_to(_path: &Path) -> bool {
    false
}

/// A name that SQLite can't mistake for a URI, which begins with “file:”.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Opens a file that nobody changes. This reads nothing so far.
pub(crate) fn open_unlocked(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OPEN;
    Connection::open_with_flags(unchanging(path), flags)
}

/// The URI by which SQLite opens a file that nobody changes: without locks, and without looking for companions.
fn unchanging(path: &Path) -> String {
    let path = absolute(path);
    let mut uri = String::from("file://");
    if !path.starts_with("/") {
        uri.push('/');
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b':' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?mode=ro&immutable=1"
}

/// The files that were opened without locks, with their size and time before that.
#[derive(Debug, Default)]
pub(crate) struct Unlocked(Mutex<Vec<(PathBuf, FileState)>>);

/// The size and time of a file, if it has any.
type FileState = Option<(u64, SystemTime)>;

impl Unlocked {
    fn add(&self, path: &Path) {
        let mut files = locked(&self.0);
        files.push((path.to_owned(), Unlocked::state(path)));
    }

    fn state(path: &Path) -> FileState {
        let found = std::fs::metadata(path).ok()?;
        Some((found.len(), found.modified().ok()?))
    }

    pub(crate) fn check(&self) -> Result<()> {
        let files = locked(&self.0);
        let is_changed = |(path, state): &&(PathBuf, _)| Unlocked::state(path) != *state;
        match files.iter().find(is_changed) {
            Some((path, _)) => {
                let problem = "this database can't be locked, and was changed while it was read; read it again";
                Err(Error::unfit(path, problem))
            }
            None => Ok(()),
        }
    }
}

/// A file, whatever its name. Only Unix tells files apart; elsewhere all are the same, but there an open file can't be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileIdentity(Option<(u64, u64)>);

impl FileIdentity {
    /// The file that these facts are about.
    #[must_use]
    pub fn of(found: &Metadata) -> FileIdentity {
        FileIdentity(identity(found))
    }

    /// Whether it has this name now.
    #[must_use]
    pub fn is_at(self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|now| FileIdentity::of(&now) == self)
    }
}

/// The files that SQLite keeps beside a database and finds by name: two that may hold changes, and an index of the first.
pub(crate) fn companions(path: &Path) -> [PathBuf; 3] {
    ["-wal", "-journal", "-shm"].map(|end| beside(path, end))
}

/// The file beside a database whose name is the database's with this at its end, as `-wal`. SQLite follows links first.
#[must_use]
pub fn beside(database: &Path, end: &str) -> PathBuf {
    let real = std::fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let mut name = real.into_os_string();
    name.push(end);
    name.into()
}

/// The companion that holds changes which the database may lack.
pub(crate) fn journal(path: &Path) -> Option<PathBuf> {
    let [wal, journal, _] = companions(path);
    let has_contents =
        |companion: &PathBuf| std::fs::metadata(companion).is_ok_and(|found| found.len() > 0);
    [wal, journal].into_iter().find(has_contents)
}

/// Whether all the companions exist that a process needs to read the database without creating files.
fn companions_are_complete(path: &Path) -> bool {
    let [wal, _, index] = companions(path);
    wal.exists() && index.exists()
}
