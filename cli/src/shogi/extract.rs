//! `obook shogi extract`: a book from games.

use crate::options::games::{Filter, ReadAs};
use crate::options::values::choice;
use crate::prelude::*;
use crate::shogi::records::Shogi;
use obook_shogi::Colour;
use obook_shogi::database::extract::{ExtractOptions, extract};

/// Make a book from what players play
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi extract games.obook --book played.obook\n  \
    obook shogi extract floodgate/*.csa --book played.obook --min-games 10 --depth 40\n  \
    obook shogi extract games.obook --book white.obook --player rose --side white --min-games 1\n  \
    obook shogi export played.obook user_book1.db\n\n\
    The book contains the positions that games reached by moves that were played often enough. A move has the number of its games, \
    and no score.")]
pub(crate) struct Arguments {
    /// A database with games, or files, folders and .zip archives of games
    #[arg(required = true, value_name = "GAMES", add = Standard)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    read_as: ReadAs<Shogi>,
    /// The book to create
    #[arg(long, value_name = "BOOK")]
    book: PathBuf,
    /// Take moves that were played in at least this many games
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// Take moves up to this one of a game
    #[arg(long, value_name = "MOVE", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: u32,
    /// Only positions in which this side is to move; --player then has this side
    #[arg(long, value_name = "SIDE", value_parser = choice(&SIDES))]
    side: Option<Colour>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Shogi>,
}

const SIDES: [(&str, Colour, &str); 2] =
    [("black", Colour::Black, ""), ("white", Colour::White, "")];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut condition = arguments.which.condition();
    let seat = match arguments.side {
        Some(Colour::Black) => &mut condition.black,
        Some(Colour::White) => &mut condition.white,
        None => &mut None,
    };
    if arguments.side.is_some() && seat.is_none() {
        *seat = condition.player.take();
    }
    let options = ExtractOptions {
        min_games: arguments.min_games,
        depth: arguments.depth,
        side: arguments.side,
        condition,
    };
    let (book, if_exists) = (&arguments.book, arguments.force.if_exists());
    let extracted = extract(
        &arguments.games,
        arguments.read_as.format,
        &options,
        book,
        if_exists,
        &context::shown(),
    )?;
    account(&extracted, arguments.json, |extracted, out| {
        let positions = count(extracted.positions, "position[|s]");
        let moves = count(extracted.moves, "move[|s]");
        writeln!(out, "{}: {positions}, {moves}", book.display())
    })
}
