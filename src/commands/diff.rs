//! `obook diff`: where two books differ.

use crate::failure::Failure;
use crate::options::values::fields;
use crate::output::{stdout, write_json};
use crate::progress;
use crate::words::ForPeople;
use obook_book::read::diff::{
    BookSide, Diff, Difference, DifferenceKind, Field, FieldDifference, diff,
};
use obook_book::{Book, Error};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How many rows to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rows(usize);

impl FromStr for Rows {
    type Err = String;

    fn from_str(text: &str) -> Result<Rows, String> {
        if text == "all" {
            return Ok(Rows(usize::MAX));
        }
        let number = text.parse();
        number
            .map(Rows)
            .map_err(|_| String::from("expected a number or “all”"))
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: Diff,
    /// The first of the positions that differ.
    rows: Vec<Difference>,
}

/// Say where two books differ
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook diff old.obook new.obook\n  \
    obook diff book.dat book.obook --rows all\n  \
    obook diff book.dat book.egbk3 --ignore lines,level --json\n\n\
    What a file's format has no room for is not compared. The exit status is 0 where the books say the same, \
    1 where they differ, 2 where one of them can't be read.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    a: PathBuf,
    /// Another one
    b: PathBuf,
    /// How many of the positions that differ to show, or all
    #[arg(long, value_name = "N", default_value = "10")]
    rows: Rows,
    /// What not to compare
    #[arg(long, value_name = "FIELD", value_parser = fields(), value_delimiter = ',')]
    ignore: Vec<Field>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { a, b, rows, .. } = arguments;
    let books = [a.as_path(), b.as_path()];
    let report = compare(books, *rows, &arguments.ignore).map_err(Failure::Trouble)?;
    let out = &mut stdout();
    if arguments.json {
        write_json(out, &report)?;
    } else {
        write_report(&mut ForPeople(&mut *out), books, &report)?;
    }
    out.flush()?;
    if report.summary.is_empty() {
        Ok(())
    } else {
        Err(Failure::Told)
    }
}

fn compare(books: [&Path; 2], Rows(limit): Rows, ignored: &[Field]) -> Result<Report, Error> {
    let (a, b) = (Book::open(books[0])?, Book::open(books[1])?);
    let mut rows = Vec::new();
    let summary = diff(a, b, ignored, &progress::on_terminal(), |row| {
        if rows.len() < limit {
            rows.push(row);
        }
        Ok(())
    })?;
    Ok(Report { summary, rows })
}

fn write_report(out: &mut dyn Write, books: [&Path; 2], report: &Report) -> io::Result<()> {
    let Report { summary, rows } = report;
    let [a, b] = books.map(Path::display);
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
    for (field, count) in &summary.fields {
        writeln!(out, "{count:10}   {}", field.name())?;
    }
    if !summary.not_compared.is_empty() {
        let names: Vec<&str> = summary
            .not_compared
            .iter()
            .map(|field| field.name())
            .collect();
        writeln!(out, "Not compared: {}", names.join(", "))?;
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, row: &Difference) -> io::Result<()> {
    let board = row.board.board().to_text();
    match &row.kind {
        DifferenceKind::Only(BookSide::A) => writeln!(out, "{board}  only in A"),
        DifferenceKind::Only(BookSide::B) => writeln!(out, "{board}  only in B"),
        DifferenceKind::Changes(changes) => {
            writeln!(out, "{board}")?;
            for FieldDifference { field, a, b } in changes {
                writeln!(out, "    {}: {a} → {b}", field.name())?;
            }
            Ok(())
        }
    }
}
