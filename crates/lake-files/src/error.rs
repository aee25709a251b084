//! Errors: each names the file, and the row group if it is about one.

use std::path::{Path, PathBuf};

/// The result of reading or writing a lake.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a lake can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error.
    #[error("{}: can't {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The attempted action, as a verb.
        doing: &'static str,
        /// Its error.
        source: std::io::Error,
    },
    /// A file doesn't have what the manifest says, or the manifest says what can't be.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        problem: String,
    },
    /// The same for one row group of a file.
    #[error("{}, row group {row_group}: {problem}", path.display())]
    RowGroup {
        /// The file.
        path: PathBuf,
        /// Its number within the file, from 0.
        row_group: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// A row group that takes more memory than there may be.
    #[error("{}, row group {row_group}: its pages take more than {most} bytes of memory", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// Its number within the file, from 0.
        row_group: usize,
        /// The most bytes that may be taken.
        most: u64,
    },
    /// A row that can't be written.
    #[error("{problem}")]
    Row {
        /// The problem with it.
        problem: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    pub(crate) fn damaged(path: &Path, problem: impl ToString) -> Error {
        Error::Damaged {
            path: path.to_owned(),
            problem: problem.to_string(),
        }
    }

    pub(crate) fn row(problem: impl Into<String>) -> Error {
        let problem = problem.into();
        Error::Row { problem }
    }
}
