//! The report of a merge.

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
            "{links} links added; {leaves_lost} leaves became links"
        )?;
    }
    if *todo > 0 {
        writeln!(
            out,
            "{todo} positions need a search for their leaf: see table todo"
        )?;
    }
    Ok(())
}

fn describe_source(source: &MergedSource, out: &mut dyn Write) -> Result<(), Failure> {
    let name = &source.source.name;
    if source.known {
        writeln!(out, "{name}: already in the book")?;
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
        "{name}: {added} positions added, {raised} replaced by a better search, {newer} by a newer one of the same level, {kept} kept"
    )?;
    if conflicts > 0 {
        writeln!(
            out,
            "{conflicts} values entered by hand differ: the newer ones are used"
        )?;
    }
    Ok(())
}
