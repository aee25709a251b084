//! `obook rate compare`: how well ratings predict later games.

use super::Formula;
use crate::options::games::{Games, each_right};
use crate::options::picture::PictureFile;
use crate::prelude::*;
use obook::Lookup;
use obook::games::{Predicted, Predictions, predictions};

/// Rate positions by earlier games, and test the ratings on later ones
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook rate compare wthor/*.wtb --since 2010\n  \
    obook rate compare games.obook --since 2010\n  \
    obook rate compare wthor/*.wtb --since 2010 --book book.obook --output ratings.svg\n  \
    obook rate compare wthor/*.wtb --since 2000 --alpha 0.6 --moves-at-start 5 --printed-divisor --json\n\n\
    Each predictor gets two numbers. The first: for pairs of games, one won and one lost by the side to move, how often the won game had \
    the higher prediction, in percent (50 is a coin toss). The second: the mean squared error, with 1 for a win and 1/2 for a draw; \
    compare it with spread, the error of always predicting the mean result.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    games: Games,
    /// First year of the later games
    #[arg(long, value_name = "YEAR")]
    since: u16,
    /// Test this book's values too, and count only positions that have one
    #[arg(long, value_name = "BOOK", value_parser = readable())]
    book: Option<PathBuf>,
    #[command(flatten)]
    formula: Formula,
    /// Draw each predictor's order by number of games, as SVG or PNG
    #[arg(short, long, value_name = "FILE.svg|FILE.png")]
    output: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long, requires = "output")]
    force: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let games = &arguments.games.games;
    let inputs = games.iter().chain(&arguments.book);
    let picture = PictureFile::asked(arguments.output.as_ref(), inputs, arguments.force)?;
    let settings = arguments.formula.settings();
    let context = context::shown();
    let progress = context.progress();
    let open = |book: &PathBuf| Lookup::new(Book::open(book, &context::quiet())?, &context);
    let book = arguments.book.as_ref().map(open).transpose()?;
    let found = each_right(&arguments.games, |games| {
        predictions(games, arguments.since, &settings, book.as_ref(), progress)
    })??;
    drop(context);
    if found.earlier == 0 || found.later == 0 {
        say(
            "obook: there is nothing to compare: games with a year and a result are needed before and since then",
        );
    }
    if let Some(picture) = picture {
        picture.commit(found.to_svg())?;
    }
    answer(&found, arguments.json, describe)
}

fn describe(found: &Predictions, out: &mut dyn Write) -> io::Result<()> {
    let (earlier, later, since) = (found.earlier, found.later, found.since);
    let skipped = some(found.left_out, "; # skipped");
    writeln!(
        out,
        "{earlier} games before {since}, {later} since then{skipped}"
    )?;
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

/// Writes a row: for each predictor, the share of pairs in the right order and the error.
fn describe_group(out: &mut dyn Write, group: &Predicted) -> io::Result<()> {
    let range = match group.to == group.from {
        true => group.from.to_string(),
        false => format!("{}-{}", group.from, group.to),
    };
    let (predictions, spread) = (group.predictions, group.spread);
    write!(out, "{range:>13}  {predictions:>11}  {spread:.4}")?;
    for (order, error) in group.order.iter().zip(&group.error) {
        let order = order.map_or_else(|| "?".to_owned(), |order| format!("{:.1}", 100.0 * order));
        let error = error.map_or_else(String::new, |error| format!("{error:.4}"));
        write!(out, "  {order:>5} {error:>7}")?;
    }
    writeln!(out)
}
