//! `obook info`: an overview of a book.

use super::stats::summarize;
use crate::prelude::*;
use crate::progress;
use crate::reports::describe_tallies;
use obook::read::view::as_text;
use obook::{LeftOut, OtherEngine, RowCounts};
use obook_converters::{Account, Tallies};
use obook_othello::RuleSet;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Info {
    format: String,
    #[serde(serialize_with = "as_text")]
    rules: RuleSet,
    version: Option<u8>,
    release: Option<u8>,
    written: Option<String>,
    level: Option<i32>,
    depth: Option<i32>,
    midgame_error: Option<i32>,
    endcut_error: Option<i32>,
    positions: u64,
    /// Pass positions, which the file leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    passes_left_out: Option<u64>,
    links: u64,
    leaves: u64,
    /// Positions by level; those without a level are missing.
    levels: BTreeMap<i64, u64>,
    /// The engines that obook doesn't know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    engines: Vec<OtherEngine>,
    /// The bytes of a link count in an `.egbk2` file: 1 as all releases write it, or 4 as documented.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_count_bytes: Option<usize>,
    /// The book in the words of its program, if that is neither Edax nor Egaroucid.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Tallies::is_empty")]
    contents: Tallies,
    #[serde(flatten)]
    left_out: LeftOut,
}

/// Show a book's date, positions, levels and depth
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  obook info book.obook\n  obook info book.dat --json")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let book = Book::open(&arguments.book, &context::quiet())?;
    let about = book.header()?;
    let header = &about.header;
    let (rows, levels) = count(&book)?;
    let (engines, file) = match &book {
        Book::Database(store) => (OtherEngine::all_of(store)?, None),
        Book::File(file) => (Vec::new(), Some(file)),
    };
    let account = file.map_or_else(Account::default, |file| file.account().clone());
    let info = Info {
        format: about.format.unwrap_or_else(|| String::from("obook")),
        rules: about.rules,
        version: header.version,
        release: header.release,
        written: header.date.map(|date| date.to_string()),
        level: header.level,
        depth: header.depth(),
        midgame_error: header.midgame_error,
        endcut_error: header.endcut_error,
        positions: rows.positions,
        passes_left_out: file.and_then(|_| passes_left_out(header.count, rows.positions)),
        links: rows.links,
        leaves: rows.leaves,
        levels,
        engines,
        link_count_bytes: file.and_then(|file| Some(file.link_count()?.bytes())),
        kind: account.kind,
        contents: account.contents,
        left_out: book.left_out(),
    };
    answer(&info, arguments.json, describe)
}

/// Counts rows, and positions by level. A database keeps these counts.
fn count(book: &Book) -> Result<(RowCounts, BTreeMap<i64, u64>), Failure> {
    if let Book::Database(store) = book {
        let progress = progress::on_terminal();
        progress.step("counting", None);
        let counts = store.counts()?;
        return Ok((counts.rows(), counts.levels().collect()));
    }
    let summary = summarize(book, Memory::default())?;
    let levels = summary.levels.into_iter();
    let levels = levels.map(|(level, positions)| (level.into(), positions));
    let rows = RowCounts {
        positions: summary.positions,
        links: summary.links,
        leaves: summary.leaves,
    };
    Ok((rows, levels.collect()))
}

/// The number of positions beyond those that the file counts: pass positions, which follow from the others. `None` if there are none.
fn passes_left_out(counted: Option<i64>, positions: u64) -> Option<u64> {
    let counted = u64::try_from(counted?).ok()?;
    positions.checked_sub(counted).filter(|passes| *passes > 0)
}

/// Writes the lines of Edax's `book info`, then what only obook knows.
fn describe(info: &Info, out: &mut dyn Write) -> io::Result<()> {
    let (positions, links, leaves) = (info.positions, info.links, info.leaves);
    match (info.version, info.release, &info.written) {
        (Some(version), Some(release), Some(written)) => {
            writeln!(out, "Edax Book {version}.{release}; {written};")?;
        }
        _ => writeln!(out, "Book in format {};", info.format)?,
    }
    if let Some(kind) = &info.kind {
        match info.contents.is_empty() {
            true => writeln!(out, "{kind}")?,
            false => describe_tallies(kind, &info.contents, out)?,
        }
        describe_tallies("Lost as positions", &info.left_out.lost, out)?;
        describe_tallies("Wrong in the file", &info.left_out.wrong, out)?;
    }
    writeln!(
        out,
        "Positions: {positions} (moves = {links} links + {leaves} leaves);"
    )?;
    if let Some(passes) = info.passes_left_out {
        writeln!(
            out,
            "Pass positions among them, left out of the file: {passes} (those that its moves lead to)"
        )?;
    }
    for (level, nodes) in &info.levels {
        writeln!(out, "Level {level} : {nodes} nodes")?;
    }
    for engine in &info.engines {
        writeln!(out, "Engine: {engine}")?;
    }
    if let Some(depth) = info.depth {
        writeln!(out, "Depth: {depth}")?;
    }
    if let (Some(midgame), Some(endcut)) = (info.midgame_error, info.endcut_error) {
        writeln!(out, "Errors: midgame {midgame}, endcut {endcut}")?;
    }
    match info.link_count_bytes {
        Some(1) => writeln!(out, "Link counts: 1 byte, as the releases write them")?,
        Some(bytes) => writeln!(out, "Link counts: {bytes} bytes, as documented")?,
        None => {}
    }
    writeln!(out, "Rules: {}", info.rules)
}
