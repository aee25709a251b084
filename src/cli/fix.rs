//! `obook link`, `negamax` and `fix`.

use super::output::{Failure, stdout, write_json};
use crate::Progress;
use crate::fix::{Changed, Recomputed, Steps, recompute};
use crate::link::LinkReport;
use std::io::Write;
use std::path::Path;

pub(super) fn run(book: &Path, steps: Steps, json: bool) -> Result<(), Failure> {
    let report = recompute(book, steps, &Progress::on_terminal())?;
    let out = &mut stdout();
    if json {
        write_json(out, &report)?;
    } else {
        describe(&report, out)?;
    }
    Ok(out.flush()?)
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
    let Changed {
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
