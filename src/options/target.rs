//! The arguments of commands that change a whole book: the book, and where the result goes.

use super::force::if_exists;
use crate::failure::Failure;
use crate::output::account;
use crate::progress;
use crate::typed::this_command;
use clap::Args;
use obook_book::write::Destination;
use obook_book::{Progress, Result};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A book to change, and where the result goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// An obook database; or a book file, with --output
    book: PathBuf,
    /// Write the changed book file here, in the same format
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    output: Option<PathBuf>,
    /// Replace an existing book file
    #[arg(long, requires = "output")]
    force: bool,
    /// Say what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Target {
    /// Changes the book and reports what was done, as JSON or in the words of `describe`.
    pub(crate) fn rewrite<R: Serialize>(
        &self,
        rewrite: impl FnOnce(&Path, &Destination, &str, &Progress) -> Result<R>,
        describe: fn(&R, &mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let report = rewrite(
            &self.book,
            &self.destination(),
            &this_command(),
            &progress::on_terminal(),
        )?;
        account(&report, self.json, describe)
    }

    fn destination(&self) -> Destination {
        match (&self.output, self.dry_run) {
            (_, true) => Destination::DryRun,
            (Some(output), false) => Destination::File(output.clone(), if_exists(self.force)),
            (None, false) => Destination::InPlace,
        }
    }
}
