//! Copies of a whole database: compressed snapshots, and compacting.

use crate::new::{begin, finish, put, set_journal_mode};
use crate::opening::connect_up_to_date;
use crate::read::file_bytes;
use crate::schema::Schema;
use crate::{
    AtomicFile, Content, Context, Error, FileKind, IfExists, Result, Store, history, spare,
    structure,
};
use obook_base::Progress;
use obook_base::open_file;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A snapshot that was saved or restored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Snapshot {
    /// The file that was written.
    pub path: PathBuf,
    /// The size of the database, in bytes.
    pub bytes: u64,
    /// The size of the compressed file, in bytes.
    pub compressed: u64,
}

/// The number of pages copied at once: 4 MB.
const PAGES: i32 = 1 << 10;

impl Store {
    /// Writes a copy of the database to `target`, compressed at this level of zstd: 3 takes little longer than writing, 22 the most
    /// time and the least room. Other processes may read and write meanwhile. This needs room for an uncompressed copy beside `target`.
    ///
    /// # Errors
    /// As [`AtomicFile`]; [`Error::Sqlite`] if the database can't be read, and [`Error::Unfit`] if [`restore`] would refuse the
    /// copy. `target` is then as before.
    pub fn save_snapshot(
        &self,
        target: &Path,
        level: i32,
        if_exists: IfExists,
    ) -> Result<Snapshot> {
        let progress = self.context.progress();
        let failed = || Error::io(target, "write");
        spare(&self.path, target)?;
        let create = |if_exists| {
            let snapshot = Content::of_kind(FileKind::Snapshot(self.schema.application_id));
            AtomicFile::create(target, snapshot, if_exists, &self.context)
        };
        let mut file = create(if_exists)?;
        let copy = create(IfExists::Replace)?;
        self.copy_to(copy.temporary_path(), progress)
            .map_err(self.failed("copy"))?;
        progress.step("checking", None);
        // A snapshot that can't be restored must not replace one that can.
        check(
            self.schema,
            copy.temporary_path(),
            &self.path,
            "a damaged database",
            &self.context,
        )?;
        let mut source = File::open(copy.temporary_path()).map_err(failed())?;
        let bytes = source.metadata().map_err(failed())?.len();
        progress.step("compressing", Some(bytes));
        let mut compress = || {
            let mut encoder = zstd::Encoder::new(file.file(), level)?;
            encoder.include_checksum(true)?;
            encoder.set_pledged_src_size(Some(bytes))?;
            io::copy(&mut Counted(&mut source, progress), &mut encoder)?;
            encoder.finish()?.metadata()
        };
        let compressed = compress().map_err(failed())?.len();
        file.commit()?;
        Ok(Snapshot {
            path: target.to_owned(),
            bytes,
            compressed,
        })
    }

    /// Copies all pages in one read transaction.
    fn copy_to(&self, path: &Path, progress: &Progress) -> rusqlite::Result<()> {
        let mut copy = Connection::open(path)?;
        copy.execute_batch("PRAGMA synchronous = OFF")?;
        // Without a transaction, the copy would start again whenever another process writes.
        let reading = self.connection.unchecked_transaction()?;
        let pages: u32 = reading.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        progress.step("copying", Some(pages.into()));
        let backup = Backup::new(&reading, &mut copy)?;
        loop {
            match backup.step(PAGES)? {
                StepResult::Done => break,
                StepResult::More => progress.advance(PAGES.unsigned_abs().into()),
                _ => std::thread::sleep(std::time::Duration::from_millis(20)),
            }
        }
        drop(backup);
        drop(reading);
        // Only one file is compressed, so nothing may be left in a journal.
        set_journal_mode(&copy, "delete")?;
        copy.close().map_err(|(_, error)| error)
    }
}

/// Makes a database at `path` from a snapshot, after checking its integrity.
///
/// # Errors
/// Returns [`Error::Unfit`] if the file is damaged or another process is using the database that would be replaced,
/// [`Error::Leftover`] if a database that is gone has left a journal there, unless `if_exists` says to replace it,
/// [`Error::NotABook`] and [`Error::Newer`] as [`Store::open`], and errors as [`AtomicFile`]. `path` is then as before.
pub fn restore(
    schema: &Schema,
    file: &Path,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Snapshot> {
    let progress = context.progress();
    spare(file, path)?;
    let mut target = begin(schema, path, if_exists, context)?;
    let source = open_file(file).map_err(Error::io(file, "open"))?;
    let compressed = source.metadata().map_err(Error::io(file, "open"))?.len();
    progress.step("unpacking", Some(compressed));
    let mut source =
        zstd::Decoder::new(Counted(source, progress)).map_err(Error::io(file, "read"))?;
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 17];
    let damaged = |error: io::Error| {
        let problem = format!(
            "expected a snapshot, compressed with zstd; this file is damaged or cut off ({error})"
        );
        Error::unfit(file, problem)
    };
    while let count @ 1.. = source.read(&mut buffer).map_err(damaged)? {
        bytes += count as u64;
        target.write_all(&buffer[..count])?;
    }
    progress.step("checking", None);
    let sound = check(
        schema,
        target.temporary_path(),
        file,
        "not a snapshot of a sound obook database",
        context,
    )?;
    finish(sound).map_err(Error::sqlite(file, "prepare"))?;
    put(target)?;
    Ok(Snapshot {
        path: path.to_owned(),
        bytes,
        compressed,
    })
}

/// Opens a copy and checks that it is a sound obook database. If it isn't, the error names the file `from`, and says what that
/// is instead: `otherwise`.
fn check(
    schema: &Schema,
    unpacked: &Path,
    from: &Path,
    otherwise: &str,
    context: &Context,
) -> Result<Connection> {
    let damaged = |what: &str| Error::unfit(from, format!("{otherwise}: {what}"));
    let (connection, _) =
        connect_up_to_date(schema, unpacked, context).map_err(|mut error| match &mut error {
            Error::NotABook { path, .. }
            | Error::Newer { path, .. }
            | Error::Unreleased { path, .. } => {
                *path = from.to_owned();
                error
            }
            Error::ForeignSchema { problem, .. } => damaged(problem),
            Error::Sqlite { source, .. } => damaged(&source.to_string()),
            _ => error,
        })?;
    let said = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    let said: String = said.map_err(|error| damaged(&error.to_string()))?;
    if said != "ok" {
        return Err(damaged(&said.lines().collect::<Vec<_>>().join(" ")));
    }
    Ok(connection)
}

/// Reports how much was read.
struct Counted<'p, R>(R, &'p Progress);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.advance(count as u64);
        Ok(count)
    }
}

/// The size of a database before and after it was compacted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Compacted {
    /// The size before, in bytes.
    pub before: u64,
    /// The size now, in bytes.
    pub after: u64,
}

impl Store {
    /// Rewrites the database without its free pages. Meanwhile other processes can read it, but not write. The database must be
    /// open for writing.
    ///
    /// Its contents, its history and the logs for undo stay as they are, with one exception. SQLite renumbers the rows of a
    /// user's own table that has neither an `INTEGER PRIMARY KEY` nor `WITHOUT ROWID`, and the logs know such rows by number. If
    /// that happens, the logs of the changes that concern such a table, and of those that could only be undone or redone after
    /// them, are dropped first.
    ///
    /// This needs room for a second copy among the temporary files and a third beside the database. While another process is
    /// reading it, the file shrinks only when that has ended.
    ///
    /// # Errors
    /// Returns [`Error::Corrupt`] if the database is damaged, [`Error::Busy`] if another process is writing for too long, and
    /// [`Error::Sqlite`] if it can't be written; its contents are then as they were.
    pub fn compact(&mut self) -> Result<Compacted> {
        let transaction = self.begin()?;
        // Rows that can't be found in a damaged database would not be copied.
        structure::check(&transaction, &self.path, structure::Scope::Whole)?;
        history::drop_logs_of_renumbered(&transaction, &self.path)?;
        let before = self.read(file_bytes)?;
        self.end(transaction)?;
        self.wait("compact", || self.connection.execute_batch("VACUUM"))?;
        self.shorten_log();
        let after = self.read(file_bytes)?;
        Ok(Compacted { before, after })
    }
}
