//! What is to say of any change to a whole book, whatever it was about.

use crate::failure::Failure;
use obook_book::graph::link::LinkReport;
use obook_book::write::Change;
use obook_book::write::fix::Changed;
use std::io::Write;

pub(crate) fn describe(change: &Change, out: &mut dyn Write) -> Result<(), Failure> {
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
