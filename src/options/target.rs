//! What the commands that change a whole book have in common: where it is and where it goes.

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

/// A book to be changed, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// An obook database, or a book file with --output
    book: PathBuf,
    /// Where a changed book file goes, in the same format
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    output: Option<PathBuf>,
    /// Replace what is there, if it is a book file
    #[arg(long, requires = "output")]
    force: bool,
    /// Say what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Target {
    /// Changes the book and says what was done: as JSON, or as `describe` puts it.
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
