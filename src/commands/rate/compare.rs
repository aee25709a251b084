//! `obook rate compare`: which ratings predict later games.

use crate::commands::rate::formula::Formula;
use crate::failure::Failure;
use crate::options::force::if_exists;
use crate::options::games::{Games, each_right};
use crate::options::picture::{self, suits};
use crate::output::{stdout, write_json};
use crate::progress;
use obook_book::read::grades::{Predicted, Predictions, predictions};
use obook_book::{Book, FileKind, Lookup, spare};
use std::io::Write;
use std::path::PathBuf;

/// Rate positions by earlier games, and compare the ratings with the results of later ones
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook rate compare wthor/*.wtb --since 2010\n  \
    obook rate compare games.obook --since 2010\n  \
    obook rate compare wthor/*.wtb --since 2010 --book book.obook --output ratings.svg\n  \
    obook rate compare wthor/*.wtb --since 2000 --alpha 0.6 --moves-at-start 5 --printed-divisor --json\n\n\
    Two numbers tell how good a predictor is. The first: of two games, one won and one lost by the side to move, how often \
    the one that was won had the higher prediction (50 is a coin). The second: the mean squared error, where a win is 1 and a draw \
    1/2, beside the error of always saying the mean result (spread).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    games: Games,
    /// The first year of the later games; all before it are the earlier ones
    #[arg(long, value_name = "YEAR")]
    since: u16,
    /// Count only positions that this book has a value for, and compare its values, too
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,
    #[command(flatten)]
    formula: Formula,
    /// Draw the first number by how many games there were, as SVG
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// Replace what is there, if it is a picture
    #[arg(long, requires = "output")]
    force: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(output) = &arguments.output {
        suits(output, false)?;
    }
    let settings = arguments.formula.settings();
    let progress = progress::on_terminal();
    let book = arguments.book.as_deref().map(Book::open).transpose()?;
    let book = book.map(|book| Lookup::new(book, &progress)).transpose()?;
    let games = &arguments.games.games;
    let found = each_right(games, |games| {
        predictions(games, arguments.since, &settings, book.as_ref(), &progress)
    })??;
    drop(progress);
    if let Some(output) = &arguments.output {
        for file in games.iter().chain(&arguments.book) {
            spare(file, output)?;
        }
        let drawn = found.to_svg();
        let if_exists = if_exists(arguments.force);
        picture::write(output, FileKind::Picture, drawn.as_bytes(), if_exists)?;
    }
    let out = &mut stdout();
    if arguments.json {
        write_json(out, &found)?;
    } else {
        describe(out, &found)?;
    }
    Ok(out.flush()?)
}

fn describe(out: &mut dyn Write, found: &Predictions) -> Result<(), Failure> {
    let Predictions {
        since,
        earlier,
        later,
        left_out,
        ..
    } = found;
    write!(out, "{earlier} games before {since}, {later} since then")?;
    match left_out {
        0 => writeln!(out)?,
        _ => writeln!(out, "; {left_out} left out")?,
    }
    for (of, groups) in [("games", &found.by_games), ("ply", &found.by_ply)] {
        write!(out, "\n{of:>13}  predictions  spread")?;
        for name in &found.predictors {
            write!(out, "  {name:>13}")?;
        }
        writeln!(out)?;
        for group in groups {
            describe_group(out, group)?;
        }
    }
    Ok(())
}

/// A row: of each predictor the order found in percent, and the error.
fn describe_group(out: &mut dyn Write, group: &Predicted) -> Result<(), Failure> {
    let range = match group.to == group.from {
        true => group.from.to_string(),
        false => format!("{}-{}", group.from, group.to),
    };
    let Predicted {
        predictions,
        spread,
        ..
    } = group;
    write!(out, "{range:>13}  {predictions:>11}  {spread:.4}")?;
    for (order, error) in group.order.iter().zip(&group.error) {
        let order = order.map_or_else(|| "?".to_owned(), |order| format!("{:.1}", 100.0 * order));
        let error = error.map_or_else(String::new, |error| format!("{error:.4}"));
        write!(out, "  {order:>5} {error:>7}")?;
    }
    Ok(writeln!(out)?)
}
