//! The errors of commands.

use datafusion::error::DataFusionError;
use std::path::Path;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// The reason why a command failed, in words for its user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A lake is damaged, or not there.
    #[error(transparent)]
    Lake(#[from] obook_lake_files::Error),
    /// An engine refused or failed. The message leaves out the names of DataFusion's layers.
    #[error("{}", .0.find_root().strip_backtrace())]
    Sql(#[from] DataFusionError),
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// The user pressed Ctrl-C, or the process was asked to end.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// Anything else, such as a file that can't be read, or an argument that is not what a command needs.
    #[error("{0}")]
    Other(String),
}

/// The error of a file or folder.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::Other(format!("{}: {error}", path.display()))
}
