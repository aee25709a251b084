//! What can go wrong.

use crate::session::Address;
use datafusion::error::DataFusionError;
use std::path::{Path, PathBuf};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// The reason why a command failed, in words for its user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A lake is damaged, or not there.
    #[error(transparent)]
    Lake(#[from] obook_lake_files::Error),
    /// An engine refused or failed.
    #[error("{}", in_words(.0))]
    Sql(#[from] DataFusionError),
    /// No cluster at an address.
    #[error("{address}: {problem}; start one with `obook-lake scheduler`")]
    Cluster {
        /// The address.
        address: Address,
        /// The error of the connection.
        problem: String,
    },
    /// A file can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// An object store refused or failed.
    #[error("{path}: {}", object_store_in_words(source))]
    Store {
        /// The file.
        path: String,
        /// The reason.
        source: object_store::Error,
    },
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// Somebody pressed Ctrl-C, or asked the process to end.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A lake or an argument is not what a command needs.
    #[error("{0}")]
    Unfit(String),
}

/// The message of an object store.
fn object_store_in_words(error: &object_store::Error) -> String {
    match error {
        object_store::Error::NotFound { .. } => "not found".to_owned(),
        error => error.to_string(),
    }
}

/// The message without the names of DataFusion's layers.
fn in_words(error: &DataFusionError) -> String {
    error.find_root().strip_backtrace()
}

/// The error of a file or folder.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { path, source }
}
