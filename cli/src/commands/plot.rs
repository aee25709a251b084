//! `obook plot`: pictures of a book.

use crate::options::book::or_starter;
use crate::options::destination::if_exists;
use crate::options::picture::PictureFile;
use crate::options::values::gradings;
use crate::prelude::*;
use obook::plot::{self, Bars, Chart, Shape, Tree};
use obook::read::growth::{growth, last_growth};
use obook::write::import::into_store;
use obook::{Error, Lookup, spare};
use obook_graph::accuracy::Grading;
use obook_othello::Line;

const EXAMPLES: &str = "Examples:
  obook plot book.obook empties --output empties.svg
  obook plot book.dat scores > scores.svg
  obook plot book.obook accuracy --output accuracy.svg --force
  obook plot book.obook tree f5d6 --depth 10 --loss 1 --output tree.png
  obook plot book.obook chances f5d6 --output chances.svg
  obook plot book.obook growth 12 --output growth.svg
  obook plot book.obook empties --json

SVG suits light and dark pages; the same book always gives the same file. PNG uses the fonts of the system.";

/// Draw a picture of a book, as SVG or PNG
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An obook database or a book file [default: the starter book, which is inside obook]
    #[arg(value_parser = readable())]
    book: Option<PathBuf>,
    /// What to draw
    #[command(subcommand)]
    kind: PlotKind,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE.svg|FILE.png", global = true)]
    output: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long, global = true)]
    force: bool,
    /// Write the data of the picture as JSON instead
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum PlotKind {
    /// Positions by empty squares, stacked by level
    Empties,
    /// Positions by value
    Scores,
    /// Egaroucid's accuracy grades by discs played
    Accuracy {
        /// Rules to grade by
        #[arg(long, default_value = Grading::Published.name(), value_parser = gradings())]
        rules: Grading,
    },
    /// The final scores that Othello Sensei expects of a position, in a thousand games
    Chances {
        /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written as pa
        #[arg(add = ArgValueCompleter::new(complete::openings))]
        moves: Vec<String>,
    },
    /// The root's value and the book's size during a run of `obook learn`
    Growth {
        /// Number of the change, as shown by `obook history` [default: the last run]
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        change: Option<i64>,
    },
    /// The tree of best lines, coloured by score
    Tree {
        /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written as pa
        #[arg(add = ArgValueCompleter::new(complete::openings))]
        moves: Vec<String>,
        /// Depth in moves
        #[arg(long, value_name = "N", default_value_t = 8)]
        depth: usize,
        /// Show moves that are up to this many discs worse than the best
        #[arg(long, value_name = "DISCS", default_value_t = 1)]
        loss: u8,
        /// Maximum number of lines; if there would be more, the worst ones are cut
        #[arg(long, value_name = "N", default_value_t = 20)]
        most: usize,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::create(arguments)?;
    // Wrong moves are reported before a book is opened.
    let start = match &arguments.kind {
        PlotKind::Chances { moves } | PlotKind::Tree { moves, .. } => line(moves)?,
        _ => Line::new(),
    };
    let context = context::shown();
    let path = or_starter(arguments.book.as_deref())?;
    let book = Book::open(&path, &context::quiet())?;
    let bars = match arguments.kind.clone() {
        PlotKind::Empties => plot::positions_by_empties(&into_store(book, &context)?)?,
        PlotKind::Scores => plot::positions_by_score(&into_store(book, &context)?)?,
        PlotKind::Accuracy { rules } => plot::accuracy_by_ply(&book, rules, &context)?,
        PlotKind::Chances { .. } => {
            let bars = plot::chances(&into_store(book, &context)?, &start)?;
            bars.ok_or_else(|| {
                let problem = "the book has no expectations for this position; only books of Othello Sensei do";
                Failure::file(&path, problem)
            })?
        }
        PlotKind::Growth { change } => {
            let chart = growth_of(&path, book, change)?;
            return output.write(&chart, Chart::to_svg);
        }
        PlotKind::Tree {
            depth, loss, most, ..
        } => {
            let lookup = Lookup::new(book, &context)?;
            let shape = Shape { depth, loss, most };
            let tree = Tree::new(&lookup, start, &shape)?;
            return output.write(&tree, Tree::to_svg);
        }
    };
    output.write(&bars, Bars::to_svg)
}

/// The growth of a book by this change, or by the last run that learned something.
fn growth_of(path: &Path, book: Book, change: Option<i64>) -> Result<Chart, Failure> {
    let Book::Database(book) = book else {
        return Err(Error::not_a_database(path).into());
    };
    let last = match change {
        None => last_growth(&book)?,
        chosen => chosen,
    };
    let growth = last.map(|id| growth(&book, id)).transpose()?.flatten();
    let chart = growth.and_then(|growth| growth.chart());
    chart.ok_or_else(|| {
        let problem = match change {
            Some(id) => format!("change {id} learned nothing: `obook history` lists the changes"),
            None => String::from("nothing was learned yet: see `obook learn --help`"),
        };
        Failure::file(path, problem)
    })
}

/// The destination of the picture or its data. A file is created before the book is read, so that a bad name fails at once.
struct Output {
    /// `None` is standard output.
    file: Option<PictureFile>,
    json: bool,
}

impl Output {
    fn create(arguments: &Arguments) -> Result<Output, Failure> {
        let (json, if_exists) = (arguments.json, if_exists(arguments.force));
        let create = |path: &PathBuf| {
            (arguments.book.iter()).try_for_each(|book| spare(book, path))?;
            match json {
                true => PictureFile::of_numbers(path, if_exists),
                false => PictureFile::create(path, if_exists),
            }
        };
        let file = arguments.output.as_ref().map(create).transpose()?;
        Ok(Output { file, json })
    }

    fn write<T: Serialize>(self, data: &T, to_svg: fn(&T) -> String) -> Result<(), Failure> {
        let text = match self.json {
            true => serde_json::to_string_pretty(data).map_err(io::Error::from)? + "\n",
            false => to_svg(data),
        };
        match self.file {
            Some(file) => file.commit(text),
            None => print(text),
        }
    }
}
