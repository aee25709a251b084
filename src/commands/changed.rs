//! What the commands that change a whole book have in common: where it is, where it goes, and what else there is to say.

use crate::output::Failure;
use clap::Args;
use obook_book::IfExists;
use obook_book::graph::link::LinkReport;
use obook_book::write::Change;
use obook_book::write::Destination;
use obook_book::write::fix::Changed;
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
    /// Replace what is there
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
    pub(crate) fn book(&self) -> &Path {
        &self.book
    }

    pub(crate) fn json(&self) -> bool {
        self.json
    }

    pub(crate) fn destination(&self) -> Destination {
        let if_exists = if self.force {
            IfExists::Replace
        } else {
            IfExists::Refuse
        };
        match (&self.output, self.dry_run) {
            (_, true) => Destination::DryRun,
            (Some(output), false) => Destination::File(output.clone(), if_exists),
            (None, false) => Destination::InPlace,
        }
    }
}

/// The rest of a report.
pub(crate) fn write_changed(out: &mut dyn Write, change: &Change) -> Result<(), Failure> {
    let LinkReport {
        added,
        removed,
        leaves_dropped,
    } = change.link;
    if change.link != LinkReport::default() {
        writeln!(
            out,
            "links mended before: {added} added, {removed} removed, {leaves_dropped} leaves became links"
        )?;
    }
    if change.restored > 0 {
        writeln!(out, "pass positions put in before: {}", change.restored)?;
    }
    if let Some(changed) = change.changed {
        let Changed {
            any: _,
            positions,
            links,
            leaves,
        } = changed;
        writeln!(
            out,
            "changed, of those kept: numbers of {positions}, links of {links}, leaves of {leaves}"
        )?;
    }
    if change.todo > 0 {
        let todo = change.todo;
        writeln!(out, "{todo} positions wait for a search of their leaf")?;
    }
    if change.dry_run {
        writeln!(out, "Nothing was written: --dry-run")?;
    }
    Ok(())
}
