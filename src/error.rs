//! Errors. Each message is one sentence that names the file. Advice is up to the program, which can match the variant.

use crate::StoreError;
use obook_graph::mapping::MissingLeaf;
use obook_graph::{slabs, sort};
use std::path::{Path, PathBuf};

/// The result of an operation on a book.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in an operation on a book of Othello, with the file that it concerns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the database or of the file system, whatever the game.
    #[error(transparent)]
    Store(#[from] StoreError),

    /// A book file could not be read or written.
    #[error(transparent)]
    Codec(#[from] obook_converters::Error),

    /// A file of games could not be read or written.
    #[error(transparent)]
    Games(#[from] obook_games::Error),

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

    /// A file compressed by gzip that isn't a book file.
    #[error("{}: compressed by gzip, but its contents are no book file", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
    },

    /// A book file where a database is required.
    #[error("{}: a book file, where a database is required", path.display())]
    NotADatabase {
        /// The book file.
        path: PathBuf,
    },

    /// A database with rows that make no sense, in an operation that needs all of them.
    #[error("{}: the book is damaged in {places} places", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The number of such rows.
        places: u64,
    },

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
}

impl From<sort::Error> for Error {
    fn from(error: sort::Error) -> Error {
        Error::io(&error.folder, error.doing)(error.source)
    }
}

impl Error {
    /// Makes a [`StoreError::Io`], for `map_err`.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| StoreError::io(path, doing)(source).into()
    }

    /// Makes a [`StoreError::Sqlite`], for `map_err`.
    pub fn sqlite(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        move |source| StoreError::sqlite(path, doing)(source).into()
    }

    /// Makes a [`StoreError::Unfit`].
    #[must_use]
    pub fn unfit(path: &Path, problem: impl Into<String>) -> Error {
        StoreError::unfit(path, problem).into()
    }

    /// Makes a [`StoreError::BadRow`] of the key in hexadecimal.
    pub(crate) fn bad_row(path: &Path, board: String, problem: impl Into<String>) -> Error {
        Error::Store(StoreError::BadRow {
            path: path.to_owned(),
            board,
            problem: problem.into(),
        })
    }

    /// Makes an error that says that the book at `path` is too large, for `map_err`.
    pub fn too_large<E: std::error::Error>(path: &Path) -> impl Fn(E) -> Error {
        move |error| Error::unfit(path, error.to_string())
    }

    /// Makes an error of a failure while the book at `path` is worked on in slabs, for `map_err`.
    #[doc(hidden)]
    pub fn of_slabs(path: &Path) -> impl Fn(slabs::Error) -> Error {
        move |error| match error {
            slabs::Error::Sort(error) => error.into(),
            slabs::Error::TooLarge(error) => Error::too_large(path)(error),
        }
    }

    /// Makes an [`Error::NotADatabase`].
    #[must_use]
    pub fn not_a_database(path: &Path) -> Error {
        Error::NotADatabase { path: path.into() }
    }
}
