//! The bytes of a file that may be a database.
//!
//! In POSIX, a process that closes any descriptor of a file gives up all its locks on that file, also those that SQLite took by another
//! descriptor (<https://sqlite.org/howtocorrupt.html>, 2.2). Other programs can then write at the same time, or take themselves
//! for the last to use the database and remove its log. SQLite keeps a file open for as long as a connection of its process has a lock
//! on it. So whatever may be a database is opened by SQLite only.
#![allow(unsafe_code)]

use crate::opening::open_unlocked;
use obook_base::open_file;
use rusqlite::{Connection, ffi};
use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::ptr::NonNull;

/// A file that may be a database, for reading. Closing it keeps the locks of this process.
///
/// ```
/// use obook_store::RawFile;
/// use std::io::Read;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("book.obook");
/// std::fs::write(&path, "any bytes")?;
/// let mut text = String::new();
/// RawFile::open(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "any bytes");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RawFile(Opened);

#[derive(Debug)]
enum Opened {
    BySqlite(SqliteFile),
    /// SQLite can't open it, so it has no locks there: a name may be too long for SQLite.
    Plainly(File),
}

/// A file that SQLite has opened.
#[derive(Debug)]
struct SqliteFile {
    /// Owned by the connection.
    file: NonNull<ffi::sqlite3_file>,
    /// The offset of the next byte.
    at: u64,
    length: u64,
    _connection: Connection,
}

impl RawFile {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it can't be opened, or is a device, a pipe or a socket.
    pub fn open(path: &Path) -> io::Result<RawFile> {
        // SQLite would wait for whoever writes to a pipe.
        let is_file = std::fs::metadata(path)?.is_file();
        let opened = is_file.then(|| SqliteFile::open(path)).transpose();
        Ok(RawFile(match opened {
            Ok(Some(file)) => Opened::BySqlite(file),
            // If it can't be opened at all, this says why.
            Ok(None) | Err(_) => Opened::Plainly(open_file(path)?),
        }))
    }
}

impl Read for RawFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Opened::BySqlite(file) => file.read(buffer),
            Opened::Plainly(file) => file.read(buffer),
        }
    }
}

impl SqliteFile {
    fn open(path: &Path) -> rusqlite::Result<SqliteFile> {
        // This takes no locks and reads nothing.
        let connection = open_unlocked(path)?;
        let mut file: *mut ffi::sqlite3_file = std::ptr::null_mut();
        // SAFETY: The connection is open, its main database is called “main”, and for this request SQLite writes a pointer to a
        // file at the last argument, which is a place for one.
        let code = unsafe {
            ffi::sqlite3_file_control(
                connection.handle(),
                c"main".as_ptr(),
                ffi::SQLITE_FCNTL_FILE_POINTER,
                (&raw mut file).cast(),
            )
        };
        check(code)?;
        let file = NonNull::new(file).ok_or(rusqlite::Error::InvalidQuery)?;
        let mut opened = SqliteFile {
            file,
            at: 0,
            length: 0,
            _connection: connection,
        };
        let mut length = 0;
        let size = opened.methods().and_then(|methods| methods.xFileSize);
        let size = size.ok_or(rusqlite::Error::InvalidQuery)?;
        // SAFETY: The file is open as long as its connection, of which this is the only user; the function is its own, and writes a
        // number to the place of one.
        check(unsafe { size(file.as_ptr(), &raw mut length) })?;
        opened.length = length.cast_unsigned();
        Ok(opened)
    }

    /// The functions for the file; `None` if it isn't open.
    fn methods(&self) -> Option<&ffi::sqlite3_io_methods> {
        // SAFETY: The file is valid as long as its connection, and its functions, unless they are null, as long as the program.
        unsafe { self.file.as_ref().pMethods.as_ref() }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let count = buffer.len().min(left).min(1 << 30);
        let read = self.methods().and_then(|methods| methods.xRead);
        let (Some(read), false) = (read, count == 0) else {
            return Ok(0);
        };
        // SAFETY: As above; the function writes as many bytes into the buffer as it is told, of which there are at least that many.
        let code = unsafe {
            read(
                self.file.as_ptr(),
                buffer.as_mut_ptr().cast(),
                count as c_int,
                self.at.cast_signed(),
            )
        };
        check(code).map_err(io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn check(code: c_int) -> rusqlite::Result<()> {
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}
