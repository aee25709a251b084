//! `obook verify`: what is wrong with a book.

use crate::output::{Failure, stdout, write_json};
use crate::progress;
use crate::typed::this_command;
use obook_book::check::{Example, Group, Severity, Verification, verify};
use obook_book::write::repair::{Fixed, fix};
use obook_book::{Book, IfExists};
use obook_othello::{Board, Side};
use std::io::{self, Write};
use std::path::Path;

/// How a report is shown.
pub(crate) struct Shown {
    pub(crate) json: bool,
    /// Boards as drawings too.
    pub(crate) draw: bool,
}

/// Where mended books go: nowhere else than they are, or to a file.
pub(crate) struct Mending<'a> {
    pub(crate) output: Option<&'a Path>,
    pub(crate) if_exists: IfExists,
}

pub(crate) fn run_fix(
    path: &Path,
    examples: usize,
    mending: &Mending<'_>,
    shown: &Shown,
) -> Result<(), Failure> {
    let output = mending.output.map(|output| (output, mending.if_exists));
    let fixed = fix(
        path,
        output,
        examples,
        &this_command(),
        &progress::on_terminal(),
    )?;
    let out = &mut stdout();
    if shown.json {
        write_json(out, &fixed)?;
    } else {
        write_report(out, path, &fixed.before, shown.draw)?;
        write_fixed(out, &fixed, shown.draw)?;
    }
    out.flush()?;
    told(fixed.is_sound())
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

pub(crate) fn run(path: &Path, examples: usize, shown: &Shown) -> Result<(), Failure> {
    let book = Book::open(path)?;
    let report = verify(&book, examples, &progress::on_terminal())?;
    let out = &mut stdout();
    if shown.json {
        write_json(out, &report)?;
    } else {
        write_report(out, path, &report, shown.draw)?;
    }
    out.flush()?;
    told(report.is_sound())
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
