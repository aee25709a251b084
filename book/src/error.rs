//! Everything that can go wrong, each said in one sentence that names the file and the next step.

use std::path::{Path, PathBuf};

/// The result of anything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with the file it concerns and, where there is one, the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A book file could not be read or written.
    #[error(transparent)]
    Codec(#[from] obook_converters::Error),

    /// The operating system refused.
    #[error("{}: can't {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a verb: "open", "write" …
        doing: &'static str,
        /// Its reason.
        source: std::io::Error,
    },

    /// SQLite refused.
    #[error("{}: can't {doing}: {source}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What was tried, as a verb.
        doing: &'static str,
        /// SQLite's reason.
        source: rusqlite::Error,
    },

    /// A SQLite database that obook did not make.
    #[error(
        "{}: a SQLite database, but not an obook one (application_id {found:#010x}, expected {expected:#010x}); \
         make one with `obook import`",
        path.display()
    )]
    NotABook {
        /// The database.
        path: PathBuf,
        /// Its `application_id`.
        found: u32,
        /// Ours.
        expected: u32,
    },

    /// A database of a later obook.
    #[error(
        "{}: schema version {found}, but this obook knows versions up to {supported}; use a newer obook",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest that this program knows.
        supported: i64,
    },

    /// A row that no book can hold.
    #[error(
        "{}: board {board}: {problem}; `obook verify` names all that is wrong, `obook fix` mends what needs no search",
        path.display()
    )]
    BadRow {
        /// The database.
        path: PathBuf,
        /// The key in hexadecimal.
        board: String,
        /// What was found and expected.
        problem: String,
    },

    /// The output is there already.
    #[error("{}: already exists; give --force to replace it", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },

    /// The moves that were given make no line.
    #[error("the moves make no line: {0}")]
    Line(#[from] obook_othello::LineError),

    /// Something that the input lacks and the output needs, or a request that makes no sense for this book.
    #[error("{}: {problem}", path.display())]
    Unfit {
        /// The book.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl Error {
    /// The operating system refused: for `map_err`. Costs nothing unless there is an error, so it may stand in the innermost loop.
    #[must_use]
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// SQLite refused: as [`Error::io`].
    #[must_use]
    pub fn sqlite(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        move |source| Error::Sqlite {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// The book at `path` does not fit in memory.
    pub(crate) fn too_large<E: std::error::Error>(path: &Path) -> impl Fn(E) -> Error {
        move |error| Error::unfit(path, error.to_string())
    }

    /// Something about the book at `path` that stands in the way, and the way out. The lines of a problem that follow its first are indented: they belong to it.
    #[must_use]
    pub fn unfit(path: &Path, problem: impl Into<String>) -> Error {
        Error::Unfit {
            path: path.to_owned(),
            problem: problem.into().replace('\n', "\n  "),
        }
    }
}
