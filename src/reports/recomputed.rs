//! What linking and computing a book anew changed.

use crate::failure::Failure;
use obook_book::write::fix::{ChangedPositions, Recomputed};
use obook_graph::link::LinkReport;
use obook_graph::loops::Loops;
use std::io::Write;

pub(crate) fn describe(report: &Recomputed, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(LinkReport {
        added,
        removed,
        leaves_dropped,
    }) = report.link
    {
        writeln!(
            out,
            "links: {added} added, {removed} removed, {leaves_dropped} leaves became links"
        )?;
    }
    for group in &report.repaired {
        writeln!(out, "repaired: {} {}", group.count, group.kind.text())?;
    }
    if report.restored > 0 {
        writeln!(out, "pass positions put in: {}", report.restored)?;
    }
    describe_loops(&report.loops, out)?;
    let ChangedPositions {
        any: _,
        positions,
        links,
        leaves,
    } = report.changed;
    writeln!(
        out,
        "changed, of {} positions: numbers of {positions}, links of {links}, leaves of {leaves}",
        report.positions
    )?;
    if report.todo > 0 {
        let todo = report.todo;
        writeln!(
            out,
            "{todo} positions wait for a search of their leaf: see table todo"
        )?;
    }
    Ok(())
}

/// Boards that are named; JSON has them all.
const EXAMPLES: usize = 10;

fn describe_loops(loops: &Loops, out: &mut dyn Write) -> Result<(), Failure> {
    if loops.passes == 0 {
        return Ok(());
    }
    let on_cycles = loops.positions.len();
    writeln!(
        out,
        "passes that are not legal: {} followed, {on_cycles} positions on cycles (`obook fix` drops such passes)",
        loops.passes
    )?;
    let score = |score: Option<i16>| score.map_or_else(|| String::from("?"), |s| format!("{s:+}"));
    for position in loops.positions.iter().take(EXAMPLES) {
        write!(out, "  {}  {}", position.board, score(position.value))?;
        match position.after_pass {
            Some(after) => writeln!(out, "  (after the pass {after:+}~)")?,
            None => writeln!(out)?,
        }
    }
    if on_cycles > EXAMPLES {
        writeln!(out, "  and {} more", on_cycles - EXAMPLES)?;
    }
    Ok(())
}
