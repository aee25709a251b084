//! The common part of reports on rewriting a book.

use crate::failure::Failure;
use obook_book::write::Rewritten;
use obook_book::write::fix::ChangedPositions;
use obook_graph::link::LinkReport;
use std::io::Write;

pub(crate) fn describe(rewritten: &Rewritten, out: &mut dyn Write) -> Result<(), Failure> {
    let LinkReport {
        added,
        removed,
        leaves_dropped,
    } = rewritten.link;
    if rewritten.link != LinkReport::default() {
        writeln!(
            out,
            "links repaired first: {added} added, {removed} removed, {leaves_dropped} leaves became links"
        )?;
    }
    if rewritten.restored > 0 {
        writeln!(out, "pass positions added first: {}", rewritten.restored)?;
    }
    if let Some(changed) = rewritten.changed {
        let ChangedPositions {
            any: _,
            positions,
            links,
            leaves,
        } = changed;
        writeln!(
            out,
            "changed among those kept: numbers of {positions}, links of {links}, leaves of {leaves}"
        )?;
    }
    if rewritten.todo > 0 {
        let todo = rewritten.todo;
        writeln!(out, "{todo} positions need a search for their leaf")?;
    }
    if rewritten.dry_run {
        writeln!(out, "Nothing was written: --dry-run")?;
    }
    Ok(())
}
