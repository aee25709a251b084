//! A whole database as one compressed file, and back.

use super::{Store, connect, replace};
use crate::{AtomicFile, Error, FileKind, IfExists, Result, spare};
use obook_graph::Progress;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What became of a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Snapshot {
    /// The file that was written.
    pub path: PathBuf,
    /// Bytes of the database.
    pub bytes: u64,
    /// Bytes of the compressed file.
    pub compressed: u64,
}

/// Fast, and what a book can be compressed by costs little more time than writing it.
const LEVEL: i32 = 3;

/// Pages that are copied at once: 4 MB.
const PAGES: i32 = 1 << 10;

impl Store {
    /// Writes a compressed copy of the database as it is now to `target`. Others may read and write meanwhile. While it works
    /// it needs room for an uncompressed copy beside `target`.
    ///
    /// # Errors
    /// As [`AtomicFile`], [`Error::Sqlite`] where the database can't be read, and [`Error::Unfit`] where [`restore`] would
    /// refuse the copy; `target` is then as before.
    pub fn save_snapshot(
        &self,
        target: &Path,
        if_exists: IfExists,
        progress: &Progress,
    ) -> Result<Snapshot> {
        let failed = || Error::io(target, "write");
        spare(&self.path, target)?;
        let mut file = AtomicFile::create(target, FileKind::Snapshot, if_exists)?;
        let copy = AtomicFile::create(target, FileKind::Snapshot, IfExists::Replace)?;
        self.copy_to(copy.temporary_path(), progress)
            .map_err(self.failed("copy"))?;
        progress.step("checking", None);
        // What can't be restored must not take the place of a snapshot that can.
        check(copy.temporary_path(), &self.path, "a damaged database")?;
        let mut source = File::open(copy.temporary_path()).map_err(failed())?;
        let bytes = source.metadata().map_err(failed())?.len();
        progress.step("compressing", Some(bytes));
        let mut compress = || {
            let mut encoder = zstd::Encoder::new(file.file(), LEVEL)?;
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
        // Between the steps of a copy that has no transaction around it another process may write, and it begins anew.
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
        // Whatever the copy has of its own goes into the one file that is compressed.
        replace::set_journal_mode(&copy, "delete")?;
        copy.close().map_err(|(_, error)| error)
    }
}

/// Makes a database at `path` of a snapshot, compressed or not, once it has passed SQLite's check of its integrity.
///
/// # Errors
/// [`Error::Unfit`] where the file is damaged or another process uses the database that would be replaced,
/// [`Error::Leftover`] where something is left there of a database that is gone, unless it is to be replaced,
/// [`Error::NotABook`] and [`Error::Newer`] as [`Store::open`], and as [`AtomicFile`]; what was there is then as before.
pub fn restore(
    file: &Path,
    path: &Path,
    if_exists: IfExists,
    progress: &Progress,
) -> Result<Snapshot> {
    spare(file, path)?;
    let mut target = AtomicFile::create(path, FileKind::Database, if_exists)?;
    if if_exists == IfExists::Refuse {
        replace::refuse_leftovers(target.target())?;
    }
    let source = File::open(file).map_err(Error::io(file, "open"))?;
    let compressed = source.metadata().map_err(Error::io(file, "open"))?.len();
    progress.step("unpacking", Some(compressed));
    let mut source =
        zstd::Decoder::new(Counted(source, progress)).map_err(Error::io(file, "read"))?;
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 17];
    loop {
        // Which of the two files is to blame?
        let count = source.read(&mut buffer).map_err(|error| {
            let problem = format!(
                "a snapshot is expected, compressed with zstd; this is damaged or cut off ({error})"
            );
            Error::unfit(file, problem)
        })?;
        if count == 0 {
            break;
        }
        bytes += count as u64;
        io::Write::write_all(target.file(), &buffer[..count]).map_err(Error::io(path, "write"))?;
    }
    progress.step("checking", None);
    let sound = check(
        target.temporary_path(),
        file,
        "not a snapshot of a sound obook database",
    )?;
    // Readers must not wait for writers, nor the other way round.
    replace::finish(sound).map_err(Error::sqlite(file, "prepare"))?;
    replace::put(target)?;
    Ok(Snapshot {
        path: path.to_owned(),
        bytes,
        compressed,
    })
}

/// That a file is a sound obook database, and a connection to it; `from` is the file to blame where it is not, `otherwise`
/// what that is.
fn check(unpacked: &Path, from: &Path, otherwise: &str) -> Result<Connection> {
    let damaged = |what: &str| Error::unfit(from, format!("{otherwise}: {what}"));
    let (connection, _) = connect(unpacked).map_err(|error| match error {
        Error::NotABook {
            found, expected, ..
        } => Error::NotABook {
            path: from.to_owned(),
            found,
            expected,
        },
        Error::Newer {
            found, supported, ..
        } => Error::Newer {
            path: from.to_owned(),
            found,
            supported,
        },
        Error::ForeignSchema { problem, .. } => damaged(&problem),
        Error::Sqlite { source, .. } => damaged(&source.to_string()),
        other => other,
    })?;
    let said: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(|error| damaged(&error.to_string()))?;
    if said != "ok" {
        return Err(damaged(&said.lines().collect::<Vec<_>>().join(" ")));
    }
    Ok(connection)
}

/// Tells how much was read.
struct Counted<'p, R>(R, &'p Progress);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.advance(count as u64);
        Ok(count)
    }
}
