//! `obook line`: best play through the book.

use crate::advice::on_end;
use crate::options::values::positive;
use crate::prelude::*;
use crate::words::bracketed;
use obook::read::line::{BestLine, BestLines, Choice};
use obook::read::view::LinkOrLeaf;
use obook::{Error, Lookup};
use std::num::NonZeroUsize;

/// Play the book's best moves to the end of the book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook line book.obook f5d6                      one best line\n  \
    obook line book.obook f5d6 --all-best 10        up to ten, one per row\n  \
    obook line book.dat --random --seed 7 --json\n\n\
    [f5] leads to a position of the book, <f6> out of it. The column equal counts other moves that are just as good.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    at: BookAndLine,
    /// Show up to N best lines instead of one
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = positive)]
    all_best: NonZeroUsize,
    /// Choose at random among equally good moves
    #[arg(long, conflicts_with = "all_best")]
    random: bool,
    /// Seed for the choice: the same seed gives the same line
    #[arg(long, value_name = "N", requires = "random")]
    seed: Option<u64>,
    /// Maximum number of moves
    #[arg(long, value_name = "N", value_parser = positive)]
    depth: Option<NonZeroUsize>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, start) = arguments.at.read()?;
    let context = context::shown();
    let lookup = Lookup::new(Book::open(&book, &context)?, &context)?;
    lookup.require(&start)?;
    let depth = arguments.depth.map_or(usize::MAX, NonZeroUsize::get);
    let choice = match (arguments.random, arguments.seed) {
        (false, _) => Choice::First,
        (true, Some(seed)) => Choice::Random(seed),
        (true, None) => Choice::Random(fastrand::u64(..)),
    };
    let lines = BestLines::new(&lookup, start, depth, choice)
        .take(arguments.all_best.get())
        .collect::<Result<Vec<BestLine>, Error>>()?;
    answer(&lines, arguments.json, |lines, out| {
        if let [line] = &lines[..] {
            return write_line(out, line);
        }
        for line in lines {
            writeln!(out, "{}", line.line)?;
        }
        Ok(())
    })
}

/// Writes the line in one word, then a row for each move.
fn write_line(out: &mut dyn Write, line: &BestLine) -> io::Result<()> {
    writeln!(out, "{}", line.line)?;
    if let Some(opening) = line.opening {
        writeln!(out, "{opening}")?;
    }
    writeln!(out, "\nply  move  score  level  equal")?;
    let unknown = || String::from("?");
    for mv in &line.moves {
        let name = bracketed(mv.mv, mv.kind == LinkOrLeaf::Link);
        let tilde = if mv.path_dependent { "~" } else { "" };
        let score = (mv.score).map_or_else(unknown, |score| format!("{score:+}{tilde}"));
        let level = mv.level.map_or_else(unknown, |level| level.to_string());
        writeln!(
            out,
            "{:>3}  {name:4}  {score:>5}  {level:>5}  {:>5}",
            mv.ply, mv.equal
        )?;
    }
    if line.moves.iter().any(|mv| mv.path_dependent) {
        writeln!(
            out,
            "\n~ valid only on this line: a pass leads back to a position on it"
        )?;
    }
    match on_end(line.end) {
        Some(advice) => writeln!(out, "\n{}; {advice}", line.end),
        None => writeln!(out, "\n{}", line.end),
    }
}
