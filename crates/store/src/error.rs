//! Errors. Each message is one sentence that names the file. Advice is up to the program, which can match the variant.

use crate::FileKind;
use obook_graph::mapping::MissingLeaf;
use obook_graph::{slabs, sort};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of an operation on a book.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in an operation on a book, with the file that it concerns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A book file could not be read or written.
    #[error(transparent)]
    Codec(#[from] obook_converters::Error),

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

    /// A SQLite database that obook did not make.
    #[error(
        "{}: a SQLite database, but not an obook one (application_id {found:#010x}, expected {expected:#010x})",
        path.display()
    )]
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

    /// A file compressed by gzip that isn't a book file.
    #[error("{}: compressed by gzip, but what is in it is no book file", path.display())]
    Gzip {
        /// The file.
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

    /// The output exists already, and must not be replaced, or not by a file of this kind.
    #[error("{}: already exists, {found}", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
        /// The kind of the existing file.
        found: FileKind,
        /// The kind of the output. If it [may replace](FileKind::replaces) the file, the caller can ask for that.
        output: FileKind,
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

    /// A folder of Parquet files could not be read or written.
    #[cfg(feature = "lake")]
    #[error(transparent)]
    Lake(#[from] obook_lake_files::Error),

    /// A folder of Parquet files with the tables of another schema version.
    #[cfg(feature = "lake")]
    #[error("{}: a lake of schema version {found}, expected {expected}", path.display())]
    OtherLake {
        /// The folder.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The version that this crate reads.
        expected: i64,
    },

    /// A file of games could not be read or written.
    #[error(transparent)]
    Games(#[from] obook_games::Error),

    /// A database without games, in an operation on games.
    #[error("{}: it contains no games", path.display())]
    NoGames {
        /// The database.
        path: PathBuf,
    },

    /// More games of one year than a database numbers.
    #[error("{}: the limit of 9999999 games {year} is reached", path.display())]
    TooManyGames {
        /// The database.
        path: PathBuf,
        /// The year, as “of 2026”.
        year: String,
    },

    /// A row of the tables of games that makes no sense.
    #[error("{}: {problem}", path.display())]
    BadGames {
        /// The database.
        path: PathBuf,
        /// The row, and what is wrong in it.
        problem: String,
    },

    /// A book file where a database is required.
    #[error("{}: a book file, where a database is required", path.display())]
    NotADatabase {
        /// The book file.
        path: PathBuf,
    },

    /// Another process was writing to the database for too long.
    #[error("{}: another process is still writing after {} s", path.display(), waited.as_secs())]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long this process waited.
        waited: Duration,
    },

    /// A database with rows that make no sense, in an operation that needs all of them.
    #[error("{}: the book is damaged in {places} places", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The number of such rows.
        places: u64,
    },

    /// A damaged database: not all of its contents can be found.
    #[error("{}: the database is damaged: {found}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// The first problem that SQLite found.
        found: String,
    },

    /// A value of a repetition that isn't a score.
    #[error(
        "{}: table book, column repetition is {found}: expected -64 to 64",
        path.display()
    )]
    BadRepetition {
        /// The database.
        path: PathBuf,
        /// The value in the book.
        found: i64,
    },

    /// The format can't hold everything in the book, as was required.
    #[error("{}: {format} can't hold\n  {losses}", path.display())]
    Lossy {
        /// The book.
        path: PathBuf,
        /// The format.
        format: &'static str,
        /// Data that it can't hold, one item per line.
        losses: String,
    },

    /// Positions that Edax can't read.
    #[error("{}: {demands}", path.display())]
    EdaxDemands {
        /// The book.
        path: PathBuf,
        /// The positions and what they lack, one per line.
        demands: String,
        /// How leaves were to be chosen, if one is missing.
        missing_leaf: Option<MissingLeaf>,
    },

    /// A cut that would remove the position that it starts from.
    #[error(
        "{}: the position to start from is {plies} plies from the start position, and nothing stays beyond {depth}",
        path.display()
    )]
    TooDeep {
        /// The book.
        path: PathBuf,
        /// The ply of that position.
        plies: u8,
        /// The depth.
        depth: u8,
    },

    /// A level for positions or leaves alone, in a book whose rules have one level for both.
    #[error(
        "{}: the book follows Edax's rules, by which a position has the level of its leaf",
        path.display()
    )]
    OneLevel {
        /// The book.
        path: PathBuf,
    },

    /// An SQL condition that SQLite rejects.
    #[error("{}: the condition: {problem}", path.display())]
    Condition {
        /// The book.
        path: PathBuf,
        /// SQLite's message.
        problem: String,
    },

    /// A book whose numbers don't follow from its leaves, in an operation that needs that.
    #[error("{}: {problem}", path.display())]
    Unfixed {
        /// The book.
        path: PathBuf,
        /// Which numbers.
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

impl From<sort::Error> for Error {
    fn from(error: sort::Error) -> Error {
        Error::Io {
            path: error.folder,
            doing: error.doing,
            source: error.source,
        }
    }
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
            true => Error::Io {
                path: path.to_owned(),
                doing,
                source: std::io::ErrorKind::StorageFull.into(),
            },
            false => Error::Sqlite {
                path: path.to_owned(),
                doing,
                source,
            },
        }
    }

    /// Makes an error that says that the book at `path` is too large, for `map_err`.
    pub fn too_large<E: std::error::Error>(path: &Path) -> impl Fn(E) -> Error {
        move |error| Error::unfit(path, error.to_string())
    }

    /// Makes an error of a failure while the book at `path` is worked on in slabs, for `map_err`.
    pub fn of_slabs(path: &Path) -> impl Fn(slabs::Error) -> Error {
        move |error| match error {
            slabs::Error::Sort(error) => error.into(),
            slabs::Error::TooLarge(error) => Error::too_large(path)(error),
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

    /// Makes an [`Error::NotADatabase`].
    #[must_use]
    pub fn not_a_database(path: &Path) -> Error {
        Error::NotADatabase {
            path: path.to_owned(),
        }
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
            let disk = rustix::fs::statvfs(crate::files::folder_of(path));
            disk.is_ok_and(|disk| disk.f_bavail == 0 && disk.f_blocks > 0)
        }
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_disk_full(_path: &Path, error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
}
