//! Errors. Each message is one sentence that names the file. Advice is up to the program, which can match the variant.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of an operation on a book.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in an operation on a book, with the file that it concerns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error.
    #[error("{}: can't {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The attempted action, as a verb: "open", "write" …
        doing: &'static str,
        /// Its error.
        source: std::io::Error,
    },

    /// SQLite reported an error.
    #[error("{}: can't {doing}: {source}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// The attempted action, as a verb.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },

    /// A SQLite database that obook did not make, or the book of another game.
    #[error("{}: {}", path.display(), not_a_book(*found, *expected))]
    NotABook {
        /// The database.
        path: PathBuf,
        /// Its `application_id`.
        found: u32,
        /// The `application_id` of obook.
        expected: u32,
    },

    /// A snapshot of a database, where a book was expected.
    #[error("{}: a snapshot of a database, not a book", path.display())]
    Snapshot {
        /// The snapshot.
        path: PathBuf,
    },

    /// A database made by a later obook.
    #[error(
        "{}: schema version {found}, but this obook knows versions up to {supported}",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest version that this crate knows.
        supported: i64,
    },

    /// A database of a released version, opened for reading only.
    #[error("{}: schema version {found}, which this obook first has to bring up to date", path.display())]
    Outdated {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
    },

    /// A database made before the first release.
    #[error("{}: schema version {found}, from before the first release", path.display())]
    Unreleased {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
    },

    /// An obook database whose tables were altered.
    #[error("{}: {problem}: its tables are not those that obook made", path.display())]
    ForeignSchema {
        /// The database.
        path: PathBuf,
        /// The first difference.
        problem: String,
    },

    /// A row that makes no sense.
    #[error("{}: board {board}: {problem}", path.display())]
    BadRow {
        /// The database.
        path: PathBuf,
        /// The key in hexadecimal.
        board: String,
        /// The found and the expected contents.
        problem: String,
    },

    /// The output exists already, and must not be replaced, or not by a file with this [content](crate::Content).
    #[error("{}: already exists, {found}", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
        /// The content of the existing file.
        found: &'static str,
        /// The content of the output.
        output: &'static str,
        /// Whether the output may replace the file if the caller asks for that.
        replaceable: bool,
    },

    /// A journal of a database that is gone.
    #[error(
        "{}: left behind by a database that is gone; a new one would take it for its own",
        companion.display()
    )]
    Leftover {
        /// The database to be made.
        path: PathBuf,
        /// The journal beside it.
        companion: PathBuf,
    },

    /// Another process was writing to the database for too long.
    #[error("{}: another process is still writing after {} s", path.display(), waited.as_secs())]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long this process waited.
        waited: Duration,
    },

    /// A damaged database: not all of its contents can be found.
    #[error("{}: the database is damaged: {found}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// The first problem that SQLite found.
        found: String,
    },

    /// A book whose numbers don't follow from its leaves, in an operation that needs that.
    #[error("{}: {problem}", path.display())]
    Unfixed {
        /// The book.
        path: PathBuf,
        /// Which numbers.
        problem: String,
    },

    /// A position without a value, in an operation that needs one.
    #[error("{}: {problem}", path.display())]
    NoValue {
        /// The book.
        path: PathBuf,
        /// Which position.
        problem: String,
    },

    /// An input that lacks something, or a request that makes no sense for this book.
    #[error("{}: {problem}", path.display())]
    Unfit {
        /// The book.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
}

impl Error {
    /// Makes an [`Error::Io`], for `map_err`. It costs nothing unless there is an error.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// Makes an [`Error::Sqlite`], for `map_err`.
    pub fn sqlite(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        move |source| match is_disk_full(path, &source) {
            true => Error::io(path, doing)(std::io::ErrorKind::StorageFull.into()),
            false => Error::Sqlite {
                path: path.to_owned(),
                doing,
                source,
            },
        }
    }

    /// Makes an [`Error::Unfit`].
    #[must_use]
    pub fn unfit(path: &Path, problem: impl Into<String>) -> Error {
        Error::Unfit {
            path: path.to_owned(),
            problem: indented(&problem.into()),
        }
    }

    /// Makes an [`Error::Unfit`] for a database that can't be changed where it is.
    #[must_use]
    pub fn write_protected(path: &Path) -> Error {
        let problem = "the file or its folder is write-protected; to change it, copy it to a folder of your own";
        Error::unfit(path, problem)
    }
}

/// A SQLite database in place of a book, by the numbers that tell games.
fn not_a_book(found: u32, expected: u32) -> String {
    match (game(found), game(expected)) {
        (Some(game), Some(other)) => format!(
            "a book of {game}, where one of {other} is expected; obook's commands for {game} read it"
        ),
        _ => format!(
            "a SQLite database, but not an obook one (application_id {found:#010x}, expected {expected:#010x})"
        ),
    }
}

/// The game whose books have this `application_id`.
const fn game(application_id: u32) -> Option<&'static str> {
    match &application_id.to_be_bytes() {
        b"obok" => Some("Othello"),
        b"obos" => Some("shogi"),
        _ => None,
    }
}

/// Indents all lines but the first.
#[must_use]
pub fn indented(problem: &str) -> String {
    problem.replace('\n', "\n  ")
}

/// Whether SQLite failed because the disk is full. It says so if it can't write a page, but not if it can't make room for its own
/// files beside the database.
#[cfg(unix)]
fn is_disk_full(path: &Path, error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, DiskFull, SystemIoFailure};
    match error.sqlite_error_code() {
        Some(DiskFull) => true,
        Some(CannotOpen | SystemIoFailure) => {
            let disk = rustix::fs::statvfs(obook_base::folder_of(path));
            disk.is_ok_and(|disk| disk.f_bavail == 0 && disk.f_blocks > 0)
        }
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_disk_full(_path: &Path, error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_of_another_game_is_not_taken_for_another_programs_database() {
        let [othello, shogi] = [0x6f62_6f6b, 0x6f62_6f73];
        for (found, expected, told) in [
            (
                shogi,
                othello,
                "a book of shogi, where one of Othello is expected",
            ),
            (
                othello,
                shogi,
                "a book of Othello, where one of shogi is expected",
            ),
            (
                0,
                othello,
                "not an obook one (application_id 0x00000000, expected 0x6f626f6b)",
            ),
            (
                0x6f62_6f00,
                othello,
                "not an obook one (application_id 0x6f626f00",
            ),
        ] {
            let path = PathBuf::from("book.obook");
            let error = Error::NotABook {
                path,
                found,
                expected,
            };
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
