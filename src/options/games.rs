//! Games as an argument: a database that has them, or files.

use crate::failure::Failure;
use clap::Args;
use obook_book::games::in_temporary;
use obook_book::{Error, FileKind, Progress, Store};
use obook_games::{Entry, Reader};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Args)]
pub(crate) struct Games {
    /// A database with games, or files of games
    #[arg(required = true)]
    pub(crate) games: Vec<PathBuf>,
}

/// The games as a database; those of files go into a temporary one.
pub(crate) fn open(games: &[PathBuf], progress: &Progress) -> Result<Store, Failure> {
    if let [database] = games
        && FileKind::of(database).is_ok_and(|kind| kind == FileKind::Database)
    {
        return Ok(Store::open(database)?);
    }
    Ok(in_temporary(entries(games), progress)?)
}

/// The games of these files, one file after another.
pub(crate) fn entries(files: &[PathBuf]) -> impl Iterator<Item = Result<Entry, Error>> + Send + '_ {
    files.iter().flat_map(|file| read(file))
}

/// The games of one file.
pub(crate) fn read(file: &Path) -> impl Iterator<Item = Result<Entry, Error>> + Send + use<> {
    let (reader, failed) = match Reader::open(file) {
        Ok(reader) => (Some(reader), None),
        Err(error) => (None, Some(Err(error))),
    };
    let entries = failed.into_iter().chain(reader.into_iter().flatten());
    entries.map(|entry| entry.map_err(Error::from))
}
