//! `obook plot`: pictures of a book.

use crate::failure::Failure;
use crate::options::force::if_exists;
use crate::options::moves::line;
use crate::options::picture::{self, suits};
use crate::options::values::gradings;
use crate::output::{stdout, write_json};
use crate::progress;
use obook_book::plot::{self, Bars, Chart, Shape, Tree};
use obook_book::read::growth::{growth, last_growth};
use obook_book::write::import::into_store;
use obook_book::{Book, Error, FileKind, Lookup, spare};
use obook_graph::accuracy::Grading;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  obook plot book.obook empties --output empties.svg
  obook plot book.dat scores > scores.svg
  obook plot book.obook accuracy --output accuracy.svg --force
  obook plot book.obook tree f5d6 --depth 10 --loss 1 --output tree.svg
  obook plot book.obook growth 12 --output growth.svg
  obook plot book.obook empties --json

Pictures are SVG, for light and dark pages; the same book gives the same bytes.";

/// Draw a picture of a book, as SVG
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    /// What to draw
    #[command(subcommand)]
    kind: Kind,
    /// The file to write; standard output if not given
    #[arg(short, long, value_name = "FILE.svg", global = true)]
    output: Option<PathBuf>,
    /// Replace what is there, if it is a picture
    #[arg(long, global = true)]
    force: bool,
    /// Write the numbers of the picture as JSON instead
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Kind {
    /// Positions by empty squares, stacked by level
    Empties,
    /// Positions by value
    Scores,
    /// Egaroucid's accuracy grades by discs played
    Accuracy {
        /// Whose rules
        #[arg(long, default_value = Grading::Published.name(), value_parser = gradings())]
        rules: Grading,
    },
    /// What a run of `obook learn` made of the root's value and of the book's size, over time
    Growth {
        /// The number of the change, as `obook history` tells it; the last run, if not given
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        change: Option<i64>,
    },
    /// The best lines, as wide as there are lines behind them and coloured by score
    Tree {
        /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written pa
        moves: Vec<String>,
        /// How many moves deep
        #[arg(long, value_name = "N", default_value_t = 8)]
        depth: usize,
        /// How many discs a move may be worse than the best one beside it
        #[arg(long, value_name = "DISCS", default_value_t = 0)]
        loss: u8,
        /// How many lines there may be; where there were more, they end sooner
        #[arg(long, value_name = "N", default_value_t = 40)]
        most: usize,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(output) = &arguments.output {
        suits(output, arguments.json)?;
    }
    let progress = progress::on_terminal();
    let book = Book::open(&arguments.book)?;
    match &arguments.kind {
        Kind::Empties => {
            let bars = plot::positions_by_empties(&into_store(book, &progress)?)?;
            arguments.write(&bars, Bars::to_svg)
        }
        Kind::Scores => {
            let bars = plot::positions_by_score(&into_store(book, &progress)?)?;
            arguments.write(&bars, Bars::to_svg)
        }
        Kind::Accuracy { rules } => {
            let bars = plot::accuracy_by_ply(&book, *rules, &progress)?;
            arguments.write(&bars, Bars::to_svg)
        }
        Kind::Growth { change } => {
            let chart = growth_of(&arguments.book, book, *change)?;
            arguments.write(&chart, Chart::to_svg)
        }
        Kind::Tree {
            moves,
            depth,
            loss,
            most,
        } => {
            let start = line(moves)?;
            let lookup = Lookup::new(book, &progress)?;
            let shape = Shape {
                depth: *depth,
                loss: *loss,
                most: *most,
            };
            arguments.write(&Tree::new(&lookup, start, &shape)?, Tree::to_svg)
        }
    }
}

/// How a book grew by this change, or by the last run that learned something.
fn growth_of(path: &Path, book: Book, change: Option<i64>) -> Result<Chart, Error> {
    let Book::Database(book) = book else {
        return Err(Error::book_file(path, "show the growth of"));
    };
    let chart = |id| Ok::<_, Error>(growth(&book, id)?.and_then(|growth| growth.chart()));
    let found = match change {
        Some(id) => chart(id)?,
        None => match last_growth(&book)? {
            Some(id) => chart(id)?,
            None => None,
        },
    };
    found.ok_or_else(|| {
        let problem = match change {
            Some(id) => format!("change {id} has learned nothing: see obook history"),
            None => String::from("nothing was learned in it: see obook learn"),
        };
        Error::unfit(path, problem)
    })
}

impl Arguments {
    /// The picture, or what is in it, to where it was asked for.
    fn write<T: Serialize>(&self, data: &T, to_svg: fn(&T) -> String) -> Result<(), Failure> {
        let mut text = Vec::new();
        if self.json {
            write_json(&mut text, data)?;
        } else {
            text.extend_from_slice(to_svg(data).as_bytes());
        }
        match &self.output {
            Some(file) => Ok(self.write_file(file, &text)?),
            None => {
                let out = &mut stdout();
                out.write_all(&text)?;
                Ok(out.flush()?)
            }
        }
    }

    fn write_file(&self, path: &Path, text: &[u8]) -> Result<(), Error> {
        let kind = match self.json {
            true => FileKind::PictureData,
            false => FileKind::Picture,
        };
        spare(&self.book, path)?;
        picture::write(path, kind, text, if_exists(self.force))
    }
}
