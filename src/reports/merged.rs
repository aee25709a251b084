//! What became of the positions of books that were merged.

use crate::failure::Failure;
use obook_book::write::merge::{Counts, Merged, MergedSource};
use std::io::Write;

pub(crate) fn describe(merged: &Merged, out: &mut dyn Write) -> Result<(), Failure> {
    for source in &merged.sources {
        describe_source(source, out)?;
    }
    let Merged {
        links,
        leaves_lost,
        todo,
        ..
    } = merged;
    if merged.sources.iter().any(|source| !source.known) {
        writeln!(
            out,
            "links: {links} added; leaves whose move became a link: {leaves_lost}"
        )?;
    }
    if *todo > 0 {
        writeln!(
            out,
            "{todo} positions wait for a search of their leaf: see table todo"
        )?;
    }
    Ok(())
}

fn describe_source(source: &MergedSource, out: &mut dyn Write) -> Result<(), Failure> {
    let name = &source.source.name;
    if source.known {
        writeln!(out, "{name}: in the book already")?;
        return Ok(());
    }
    let Counts {
        added,
        raised,
        newer,
        kept,
        conflicts,
    } = source.counts;
    writeln!(
        out,
        "{name}: {added} positions added, {raised} raised to a better search, {newer} newer of the same level, {kept} kept as they were"
    )?;
    if conflicts > 0 {
        writeln!(
            out,
            "{conflicts} values that persons entered differ: the newer ones hold"
        )?;
    }
    Ok(())
}
