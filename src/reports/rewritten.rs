//! What is to say of any rewrite of a book, whatever it was for.

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
            "links mended before: {added} added, {removed} removed, {leaves_dropped} leaves became links"
        )?;
    }
    if rewritten.restored > 0 {
        writeln!(out, "pass positions put in before: {}", rewritten.restored)?;
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
            "changed, of those kept: numbers of {positions}, links of {links}, leaves of {leaves}"
        )?;
    }
    if rewritten.todo > 0 {
        let todo = rewritten.todo;
        writeln!(out, "{todo} positions wait for a search of their leaf")?;
    }
    if rewritten.dry_run {
        writeln!(out, "Nothing was written: --dry-run")?;
    }
    Ok(())
}
