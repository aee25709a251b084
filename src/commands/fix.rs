//! `obook link`, `negamax` and `fix`.

use crate::output::{Failure, answer};
use crate::progress;
use crate::typed::this_command;
use bytesize::ByteSize;
use obook_book::graph::link::LinkReport;
use obook_book::graph::loops::Loops;
use obook_book::write::fix::{Changed, Recomputed, Steps, recompute};
use std::io::Write;
use std::path::Path;

/// How much of the machine a command may take.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Memory {
    /// Take so much memory at most, such as 4GB; a larger book goes through temporary files. What is free, if not given
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
}

pub(crate) fn run(book: &Path, steps: Steps, memory: &Memory, json: bool) -> Result<(), Failure> {
    let memory = memory
        .memory
        .map_or_else(free_memory, |size| Some(size.as_u64()));
    let report = recompute(
        book,
        steps,
        memory,
        &this_command(),
        &progress::on_terminal(),
    )?;
    answer(&report, json, describe)
}

/// Bytes that may be taken: what is free, but for a part that others may want meanwhile; `None` where the machine does not
/// tell.
fn free_memory() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory() / 4 * 3)
}

fn describe(report: &Recomputed, out: &mut dyn Write) -> Result<(), Failure> {
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
    let Changed {
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
