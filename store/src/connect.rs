//! Connecting to a database, be it where one can write or where one can't.

use super::identity::FileIdentity;
use super::{companions, schema};
use crate::scratch::folder_of;
use crate::{Error, Result};
use obook_rows::Table;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// One thread at a time uses a connection; the name of a database that it attaches may say how to open it.
const OPEN: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_URI);

/// Connects and checks that this is an obook database of a version that we know. Where it is replaced meanwhile, the new
/// one counts: of the old one SQLite would find the new one's files beside it.
pub(crate) fn connect(path: &Path) -> Result<(Connection, FileIdentity)> {
    loop {
        // SQLite's own message for a missing file or a folder says neither.
        let file = FileIdentity::of(path).map_err(Error::io(path, "open"))?;
        let (connection, checked) = open(path)?;
        // From its first look on, a connection in WAL mode keeps others from replacing the file.
        if file.is_at(path) {
            return checked.map(|()| (connection, file));
        }
    }
}

/// A connection, and whether it is one to an obook database.
fn open(path: &Path) -> Result<(Connection, Result<()>)> {
    let failed = || Error::sqlite(path, "open");
    // A database in WAL mode needs write access even for reading, so that the last reader can tidy up; where the file is
    // write-protected, SQLite falls back to reading by itself.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OPEN;
    let connection = Connection::open_with_flags(absolute(path), flags).map_err(failed())?;
    prepare(&connection).map_err(failed())?;
    let is_protected = connection.is_readonly(MAIN_DB).map_err(failed())?;
    // Where one may write beside the file and not into it, SQLite would make files that it could not remove, and that those
    // who may write into it could not write to.
    if !is_protected || companions::are_complete(path) {
        match schema::check(&connection, path) {
            Err(Error::Sqlite { source, .. }) if is_barred(&source, path) => {}
            checked => return Ok((connection, checked)),
        }
    }
    drop(connection);
    if let Some(journal) = companions::journal(path) {
        let problem = format!(
            "changes of it lie in {}, which can't be read without writing there: copy both files to a folder of your own, or \
             let someone who may write there open it once",
            journal.display()
        );
        return Err(Error::unfit(path, problem));
    }
    let seen = Seen::now(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OPEN;
    let connection = Connection::open_with_flags(unchanging(path), flags).map_err(failed())?;
    prepare(&connection).map_err(failed())?;
    let checked = schema::check(&connection, path);
    SEEN.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(seen);
    Ok((connection, checked))
}

/// A database in memory with all that is in every book but `positions`, `links` and `leaves`.
pub fn without_book() -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_in_memory_with_flags(OPEN | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    prepare(&connection)?;
    schema::create(&connection)?;
    for table in Table::ALL {
        connection.execute_batch(&format!("DROP TABLE {}", table.name()))?;
    }
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    distrust(connection)?;
    obook_extension::register(connection)
}

/// A database may come from anywhere: what its schema brings along calls no function that could do more than compute, and
/// its triggers sleep. Those of the connection itself, which log changes, do not.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Whether SQLite failed because it may make no file beside the database.
fn is_barred(error: &rusqlite::Error, path: &Path) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)) && !can_write_beside(path)
}

#[cfg(unix)]
fn can_write_beside(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    access(folder_of(&path), Access::WRITE_OK).is_ok()
}

/// Where the system gives no plain answer, what SQLite could not do stands for it.
#[cfg(not(unix))]
fn can_write_beside(_path: &Path) -> bool {
    false
}

/// A name that SQLite takes for nothing but a name, as it would not one that begins with “file:”.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The name by which SQLite opens a file that nobody changes: without locks, and without a look at what lies beside it.
pub(crate) fn unchanging(path: &Path) -> String {
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

/// How a file looked when it was opened as one that nobody changes.
struct Seen {
    path: PathBuf,
    looks: Option<(u64, SystemTime)>,
}

impl Seen {
    fn now(path: &Path) -> Seen {
        let found = std::fs::metadata(path);
        let looks = found.and_then(|found| Ok((found.len(), found.modified()?)));
        Seen {
            path: path.to_owned(),
            looks: looks.ok(),
        }
    }
}

/// All that this process has opened so.
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

/// That no write-protected database was changed since this process began to read it: nothing holds back those who may write
/// there, and what was read meanwhile would be worth nothing. It goes by the size and the time of the file, which a share
/// may tell some seconds late.
///
/// ```
/// // When all is read:
/// obook_store::changed_while_read()?;
/// # Ok::<(), obook_store::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unfit`].
pub fn changed_while_read() -> Result<()> {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_changed = |seen: &&Seen| Seen::now(&seen.path).looks != seen.looks;
    match seen.iter().find(is_changed) {
        Some(Seen { path, .. }) => {
            let problem = "somebody has changed this write-protected database while it was read; read it again";
            Err(Error::unfit(path, problem))
        }
        None => Ok(()),
    }
}
