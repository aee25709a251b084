//! `obook extract`: a book from games.

use crate::options::destination::{FILES, check_ending};
use crate::options::games::{Filter, Games, Othello, open};
use crate::prelude::*;
use obook::write::extract::{ExtractOptions, extract};
use obook::{NewBook, spare};

/// Make a book from what players play, ready to be searched
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook extract games.obook --book played.obook\n  \
    obook extract wthor/*.wtb --book played.obook --min-games 10 --depth 24\n  \
    obook extract games.obook --book tastet.obook --player tastet --min-games 1\n  \
    obook search played.obook\n\n\
    The book contains the positions that games reached by moves that were played often enough, with those moves as links. It has \
    no scores yet: `obook search` finds them.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    games: Games,
    /// The book to create
    #[arg(long, value_name = "BOOK", value_parser = changeable())]
    book: PathBuf,
    /// Take moves that were played in at least this many games
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// Take moves up to this ply
    #[arg(long, value_name = "PLY", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Level at which the book will be searched, on Edax's scale
    #[arg(long, value_name = "LEVEL", default_value_t = 12, value_parser = levels(60), hide_possible_values = true)]
    level: u8,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Othello>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_ending(&arguments.book, &FILES)?;
    let games = &arguments.games.games;
    games.iter().try_for_each(|it| spare(it, &arguments.book))?;
    let context = context::shown();
    let store = open(games, &arguments.games.read_as, &context)?;
    let options = ExtractOptions {
        min_games: arguments.min_games,
        depth: arguments.depth,
        level: arguments.level,
        condition: arguments.which.condition(),
    };
    let new = NewBook::create(&arguments.book, arguments.force.if_exists(), &context)?;
    let extracted = extract(&store, &options, new)?;
    if extracted.links == 0 {
        let least = arguments.min_games;
        say(format_args!(
            "obook: no move was played in at least {least} of the games that meet the conditions"
        ));
    }
    account(&extracted, arguments.json, |extracted, out| {
        let book = arguments.book.display();
        let positions = count(extracted.positions, "position[|s]");
        let links = count(extracted.links, "link[|s]");
        writeln!(out, "{book}: {positions}, {links}")
    })
}
