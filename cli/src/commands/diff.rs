//! `obook diff`: the differences between two books.

use crate::options::values::fields;
use crate::prelude::*;
use obook::Error;
use obook::read::diff::{BookSide, Diff, Difference, DifferenceKind, Field, FieldDifference, diff};
use obook::read::line::lines_to;
use obook_othello::CanonicalBoard;

/// Reads the number of rows to show.
pub(crate) fn rows(text: &str) -> Result<usize, &'static str> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().map_err(|_| "expected a number or “all”"),
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: Diff,
    /// The first positions that differ.
    rows: Vec<DiffRow>,
}

#[derive(Serialize)]
struct DiffRow {
    #[serde(flatten)]
    difference: Difference,
    /// Moves from the start position to it, through a book that has it; `None` if no line leads there.
    line: Option<String>,
}

/// Show the differences between two books
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook diff old.obook new.obook\n  \
    obook diff book.dat book.obook --rows all\n  \
    obook diff book.dat book.egbk3 --ignore lines,level --json\n\n\
    Each position is shown with moves that lead to it. Data that one format can't hold is not compared. The exit status is 0 if the \
    books are equal, 1 if they differ, and 2 if one of them can't be read.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    a: PathBuf,
    /// Another obook database or book file
    #[arg(value_parser = readable())]
    b: PathBuf,
    /// Number of differing positions to show, or “all”
    #[arg(long, value_name = "N", default_value = "10", value_parser = rows)]
    rows: usize,
    /// Fields to leave out of the comparison
    #[arg(long, value_name = "FIELD", value_parser = fields(), value_delimiter = ',')]
    ignore: Vec<Field>,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { a, b, .. } = arguments;
    let books = [a.as_path(), b.as_path()];
    let context = arguments.memory.context();
    let told = compare(books, arguments, &context)
        .map_err(Failure::from)
        .and_then(|report| {
            let differ = !report.summary.is_empty();
            verdict(&report, arguments.json, differ, |report, out| {
                write_report(out, books, report)
            })
        });
    told.map_err(Failure::apart)
}

fn open([a, b]: [&Path; 2]) -> Result<[Book; 2], Error> {
    let context = context::quiet();
    Ok([Book::open(a, &context)?, Book::open(b, &context)?])
}

fn compare(books: [&Path; 2], arguments: &Arguments, context: &Context) -> Result<Report, Error> {
    let [a, b] = open(books)?;
    let mut differences = Vec::new();
    let summary = diff(a, b, &arguments.ignore, context, |difference| {
        if differences.len() < arguments.rows {
            differences.push(difference);
        }
        Ok(())
    })?;
    let lines = lines(books, &differences, context)?;
    let rows = differences.into_iter().zip(lines);
    let rows = rows.map(|(difference, line)| DiffRow { difference, line });
    Ok(Report {
        summary,
        rows: rows.collect(),
    })
}

/// Finds moves from the start position to each of these positions, through a book that has it.
fn lines(
    books: [&Path; 2],
    differences: &[Difference],
    context: &Context,
) -> Result<Vec<Option<String>>, Error> {
    let [a, b] = open(books)?;
    // A database finds a position without reading everything.
    let preferred = match (&a, &b) {
        (Book::File(_), Book::Database(_)) => BookSide::B,
        _ => BookSide::A,
    };
    let side = |difference: &Difference| match difference.kind {
        DifferenceKind::Only(side) => side,
        DifferenceKind::Changes(_) => preferred,
    };
    let mut lines = vec![None; differences.len()];
    for (book, own) in [(a, BookSide::A), (b, BookSide::B)] {
        let all = differences.iter().enumerate();
        let (places, boards): (Vec<usize>, Vec<CanonicalBoard>) = all
            .filter(|(_, difference)| side(difference) == own)
            .map(|(place, difference)| (place, difference.board))
            .unzip();
        if boards.is_empty() {
            continue;
        }
        for (place, line) in places.into_iter().zip(lines_to(&book, &boards, context)?) {
            lines[place] = line.map(|line| line.to_string());
        }
    }
    Ok(lines)
}

fn write_report(out: &mut dyn Write, books: [&Path; 2], report: &Report) -> io::Result<()> {
    let Report { summary, rows } = report;
    let [a, b] = books.map(|book| context::quiet().name_of(book));
    for row in rows {
        write_row(out, row)?;
    }
    let differences = summary.only_a + summary.only_b + summary.differing;
    let hidden = differences - rows.len() as u64;
    if hidden > 0 && !rows.is_empty() {
        writeln!(out, "… and {hidden} more (--rows all shows them)")?;
    }
    if !rows.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{:10} positions only in A: {a}", summary.only_a)?;
    writeln!(out, "{:10} positions only in B: {b}", summary.only_b)?;
    writeln!(out, "{:10} positions in both, equal", summary.equal)?;
    writeln!(out, "{:10} positions in both, different", summary.differing)?;
    if summary.engine_only > 0 {
        let engine_only = summary.engine_only;
        writeln!(out, "{engine_only:10}   in the engine's name only")?;
    }
    for (field, count) in &summary.fields {
        writeln!(out, "{count:10}   {}", field.name())?;
    }
    if !summary.not_compared.is_empty() {
        let names: Vec<&str> = summary.not_compared.iter().map(|it| it.name()).collect();
        writeln!(out, "Not compared: {}", names.join(", "))?;
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, row: &DiffRow) -> io::Result<()> {
    let DiffRow { difference, line } = row;
    write!(out, "{}  ", difference.board.board().to_text())?;
    let changes = match &difference.kind {
        DifferenceKind::Only(BookSide::A) => write!(out, "only in A, ").map(|()| &[][..]),
        DifferenceKind::Only(BookSide::B) => write!(out, "only in B, ").map(|()| &[][..]),
        DifferenceKind::Changes(changes) => Ok(&changes[..]),
    }?;
    match line.as_deref() {
        Some("") => writeln!(out, "the start position")?,
        Some(line) => writeln!(out, "after {line}")?,
        None => writeln!(out, "no line leads there")?,
    }
    for FieldDifference { field, a, b, .. } in changes {
        writeln!(out, "    {}: {a} → {b}", field.name())?;
    }
    Ok(())
}
