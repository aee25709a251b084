//! `obook import`, `export` and `convert`: books in and out.

use super::output::{Failure, stdout, write_json};
use crate::{Book, Error, Exported, IfExists, Imported, Progress};
use obook_converters::Format;
use std::io::Write;
use std::path::Path;

pub(super) fn import(
    file: &Path,
    book: &Path,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let imported = crate::import(file, book, if_exists, &Progress::on_terminal())?;
    let out = &mut stdout();
    if json {
        write_json(out, &imported)?;
    } else {
        let Imported { source, .. } = &imported;
        let (positions, links, leaves) = (source.positions, source.links, source.leaves);
        writeln!(
            out,
            "{}: {positions} positions, {links} links, {leaves} leaves",
            source.name
        )?;
        if source.duplicates > 0 {
            let duplicates = source.duplicates;
            writeln!(
                out,
                "{duplicates} boards came more than once: kept the higher level"
            )?;
        }
    }
    Ok(out.flush()?)
}

pub(super) fn export(
    book: &Path,
    file: &Path,
    format: Option<Format>,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let format = format
        .or_else(|| Format::from_extension(file))
        .ok_or_else(|| {
            let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            let problem = "the extension tells no format; give --format with one of";
            Error::unfit(file, format!("{problem} {}", known.join(", ")))
        })?;
    let exported = crate::export(
        &Book::open(book)?,
        file,
        format,
        if_exists,
        &Progress::on_terminal(),
    )?;
    let out = &mut stdout();
    if json {
        write_json(out, &exported)?;
    } else {
        let Exported { format, positions } = &exported;
        writeln!(out, "{}: {positions} positions as {format}", file.display())?;
    }
    Ok(out.flush()?)
}
