//! The report of an import.

use obook_book::write::import::Imported;
use std::io::{self, Write};

pub(crate) fn describe(imported: &Imported, out: &mut dyn Write) -> io::Result<()> {
    let Imported { source, .. } = imported;
    let (positions, links, leaves) = (source.positions, source.links, source.leaves);
    writeln!(
        out,
        "{}: {positions} positions, {links} links, {leaves} leaves",
        source.name
    )?;
    describe_duplicates(source.duplicates, out)
}

pub(super) fn describe_duplicates(duplicates: u64, out: &mut dyn Write) -> io::Result<()> {
    if duplicates > 0 {
        writeln!(out, "{duplicates} duplicate boards: kept the higher level")?;
    }
    Ok(())
}
