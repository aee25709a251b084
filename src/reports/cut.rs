//! The report of a cut: what was kept and removed.

use super::rewritten;
use crate::failure::Failure;
use obook_book::write::cut::{Counts, DroppedLinks, Report};
use std::io::Write;

pub(crate) fn describe(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let Counts {
        kept,
        removed,
        links,
        depth,
    } = report.counts;
    let output = report.rewritten.output.display();
    writeln!(out, "{output}: {kept} positions kept, {removed} removed")?;
    let DroppedLinks {
        links_dropped,
        leaves_gained,
        leaves_replaced,
    } = links;
    if links_dropped > 0 {
        writeln!(
            out,
            "links to them removed: {links_dropped}; {} became leaves ({leaves_replaced} of them replaced a worse leaf)",
            leaves_gained + leaves_replaced,
        )?;
    }
    if let Some(depth) = depth {
        writeln!(out, "depth of the book: {depth}")?;
    }
    rewritten::describe(&report.rewritten, out)
}
