//! `obook accuracy`: Egaroucid's grades.

use super::output::{Failure, stdout, write_json};
use crate::accuracy::{self, Accuracy, AccuracyTable, EndCounts, Grade, Rules};
use crate::lookup::{left_the_book, positions_on};
use crate::view::as_text;
use crate::{Book, Error, Progress, load};
use obook_othello::{CanonicalBoard, Line};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    /// Moves from the start position, such as f5d6c3; passes may be left out or written pa
    moves: Vec<String>,
    /// Whose rules
    #[arg(long, value_enum, default_value_t)]
    rules: Rules,
    /// Grade every position from the start to the last move
    #[arg(long)]
    line: bool,
    /// Count the positions of each grade in the whole book
    #[arg(long, conflicts_with_all = ["line", "moves"])]
    all: bool,
    /// As --all, and keep the grade of every position in the database's table accuracy
    #[arg(long, conflicts_with_all = ["line", "moves"])]
    store: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// A position of a line.
#[derive(Serialize)]
struct Graded {
    /// The moves that lead to it.
    #[serde(serialize_with = "as_text")]
    line: Line,
    /// Nothing where the book lacks it.
    #[serde(flatten)]
    accuracy: Option<Accuracy>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let progress = Progress::on_terminal();
    let out = &mut stdout();
    if arguments.all || arguments.store {
        let table = table(arguments, &progress)?;
        if arguments.json {
            write_json(out, &table)?;
        } else {
            write_table(out, &table)?;
        }
    } else {
        let line: Line = arguments.moves.concat().parse().map_err(Error::Line)?;
        let graded = graded(arguments, &line, &progress)?;
        match (&graded[..], arguments.json) {
            ([one], true) if !arguments.line => write_json(out, one)?,
            (all, true) => write_json(out, &all)?,
            (all, false) => write_grades(out, all)?,
        }
    }
    Ok(out.flush()?)
}

fn table(arguments: &Arguments, progress: &Progress) -> Result<AccuracyTable, Error> {
    let Arguments { book, rules, .. } = arguments;
    if arguments.store {
        return accuracy::store(book, *rules, progress);
    }
    let graph = load(&Book::open(book)?, progress)?;
    Ok(AccuracyTable::new(
        &graph,
        &accuracy::grades(&graph, *rules),
    ))
}

/// Every position of the line, or only the last one, which the book must have.
fn graded(arguments: &Arguments, line: &Line, progress: &Progress) -> Result<Vec<Graded>, Error> {
    let book = Book::open(&arguments.book)?;
    let way: Vec<CanonicalBoard> = positions_on(line).collect();
    let first = if arguments.line { 0 } else { line.ply() };
    let graph = accuracy::graph_around(&book, &way[first..], progress)?;
    if graph.find(line.board().canonical()).is_none() {
        let found = book.find(&way)?;
        let known = way.iter().take_while(|board| found.contains_key(board));
        return Err(left_the_book(book.path(), line, known.count()));
    }
    let grade = |ply: usize| Graded {
        line: Line::from_moves(line.moves()[..ply].iter().copied()).expect("part of a line"),
        accuracy: graph
            .find(way[ply])
            .map(|id| Accuracy::new(&graph, id, arguments.rules)),
    };
    Ok((first..way.len()).map(grade).collect())
}

fn write_grades(out: &mut dyn Write, graded: &[Graded]) -> Result<(), Failure> {
    writeln!(
        out,
        "        ends within 1 disc              within 2 discs"
    )?;
    writeln!(
        out,
        "grade   exact  to end midgame     exact  to end midgame  line"
    )?;
    for Graded { line, accuracy } in graded {
        match accuracy {
            Some(accuracy) => {
                let Accuracy {
                    grade,
                    ends,
                    ends_within_2,
                } = accuracy;
                write!(out, "{grade:<5}")?;
                for EndCounts {
                    exact,
                    to_the_end,
                    midgame,
                } in [ends, ends_within_2]
                {
                    write!(out, " {exact:>7} {to_the_end:>7} {midgame:>7}  ")?;
                }
            }
            None => write!(out, "{:57}", "not in the book")?,
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn write_table(out: &mut dyn Write, table: &AccuracyTable) -> Result<(), Failure> {
    write!(out, "empties")?;
    for grade in Grade::ALL {
        write!(out, " {grade:>9}")?;
    }
    writeln!(out)?;
    let rows = table
        .by_empties
        .iter()
        .map(|(empties, row)| (empties.to_string(), row));
    for (name, row) in rows.chain([(String::from("all"), &table.grades)]) {
        write!(out, "{name:>7}")?;
        for grade in Grade::ALL {
            write!(out, " {:>9}", row.get(&grade).copied().unwrap_or(0))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
