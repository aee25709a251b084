//! `obook verify`: what is wrong with a book.

use crate::failure::Failure;
use crate::options::force::Force;
use crate::output::{stands, stdout, write_json};
use crate::progress;
use crate::typed::this_command;
use crate::words::ForPeople;
use obook_book::Book;
use obook_book::check::{Example, Group, Severity, Verification, verify};
use obook_book::write::repair::{Fixed, fix};
use obook_othello::{Board, Side};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Find everything that would make an engine or a query stumble
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook verify book.obook\n  \
    obook verify book.dat --examples 10 --draw\n  \
    obook verify book.egbk3 --json\n  \
    obook verify book.obook --fix-what-is-safe\n  \
    obook verify book.dat --fix-what-is-safe --output mended.dat\n\n\
    Each finding is an error (a reader, an engine or a query stumbles), an inconsistency (a fix would change it) \
    or a note. The exit status is 1 where there are errors or inconsistencies; notes alone leave it at 0.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    /// How many findings of each kind to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Draw the boards too
    #[arg(long, conflicts_with = "json")]
    draw: bool,
    /// Repair what needs no search, then check again: a database in place, a file into --output
    #[arg(long)]
    fix_what_is_safe: bool,
    /// Where the mended file goes, in the same format
    #[arg(long, value_name = "FILE", requires = "fix_what_is_safe")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.fix_what_is_safe {
        mend(arguments)
    } else {
        check(arguments)
    }
}

fn check(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, draw, .. } = arguments;
    let report = verify(
        &Book::open(book)?,
        arguments.examples,
        &progress::on_terminal(),
    )?;
    let out = &mut stdout();
    if arguments.json {
        write_json(out, &report)?;
    } else {
        write_report(&mut ForPeople(&mut *out), book, &report, *draw)?;
    }
    out.flush()?;
    told(report.is_sound())
}

fn mend(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments {
        book, output, draw, ..
    } = arguments;
    let if_exists = arguments.force.if_exists();
    let fixed = fix(
        book,
        output.as_deref().map(|output| (output, if_exists)),
        arguments.examples,
        &this_command(),
        &progress::on_terminal(),
    )?;
    stands(write_mended(arguments, &fixed, *draw))?;
    told(fixed.is_sound())
}

fn write_mended(arguments: &Arguments, fixed: &Fixed, draw: bool) -> Result<(), Failure> {
    let out = &mut stdout();
    if arguments.json {
        write_json(out, fixed)?;
    } else {
        let out = &mut ForPeople(&mut *out);
        write_report(out, &arguments.book, &fixed.before, draw)?;
        write_fixed(out, fixed, draw)?;
    }
    Ok(out.flush()?)
}

fn write_fixed(out: &mut dyn Write, fixed: &Fixed, draw: bool) -> io::Result<()> {
    let output = fixed.output.display();
    match fixed.changed {
        Some(changed) => writeln!(out, "\nMended {output}: {changed} positions written anew")?,
        None => writeln!(out, "\nMended: {} positions in {output}", fixed.positions)?,
    }
    if !fixed.is_sound() {
        writeln!(out, "Left, because it takes a search or a person:")?;
    }
    for group in fixed
        .left
        .iter()
        .filter(|group| group.severity != Severity::Note)
    {
        write_group(out, group, draw)?;
    }
    Ok(())
}

/// Exit status 1 where a book is not sound.
fn told(sound: bool) -> Result<(), Failure> {
    if sound { Ok(()) } else { Err(Failure::Told) }
}

fn write_report(
    out: &mut dyn Write,
    path: &Path,
    report: &Verification,
    draw: bool,
) -> io::Result<()> {
    let Verification {
        format, positions, ..
    } = report;
    writeln!(out, "{}: {format}, {positions} positions", path.display())?;
    for group in &report.findings {
        write_group(out, group, draw)?;
    }
    let (errors, inconsistent) = (
        report.count(Severity::Error),
        report.count(Severity::Inconsistent),
    );
    if report.is_sound() {
        writeln!(out, "Nothing is wrong.")
    } else {
        writeln!(out, "{errors} errors, {inconsistent} inconsistencies.")
    }
}

fn write_group(out: &mut dyn Write, group: &Group, draw: bool) -> io::Result<()> {
    let Group {
        kind,
        severity,
        count,
        examples,
    } = group;
    writeln!(out, "\n{severity}: {} ({kind}): {count}", kind.text())?;
    for Example {
        board,
        line,
        detail,
        ..
    } in examples
    {
        match (board, line.as_deref()) {
            (Some(board), Some("")) => writeln!(out, "  {board}  the start position")?,
            (Some(board), Some(line)) => writeln!(out, "  {board}  {line}")?,
            (Some(board), None) => writeln!(out, "  {board}")?,
            (None, _) => {}
        }
        writeln!(out, "    {detail}")?;
        if let (true, Some(board)) = (draw, board) {
            write_drawing(out, board)?;
        }
    }
    let more = count - examples.len() as u64;
    if more > 0 && !examples.is_empty() {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}

/// The board as a diagram, unless both sides hold a square.
fn write_drawing(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let Ok(board) = text.parse::<Board>() else {
        return Ok(());
    };
    for row in board.diagram_for(Side::Black).to_string().lines() {
        writeln!(out, "    {row}")?;
    }
    Ok(())
}
