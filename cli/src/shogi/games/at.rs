//! `obook shogi games at`: the moves that were played in a position, and the games.

use super::result;
use crate::commands::games::at::{self, play_row};
use crate::prelude::*;
use crate::shogi::records::Shogi;
use crate::shogi::{line, open};
use crate::words::{after_comma, name};
use obook_shogi::database::games::{Order, Played, Summary, list, plays};

pub(crate) type Arguments = at::Arguments<Shogi>;

#[derive(Serialize)]
struct At {
    sfen: String,
    plays: Vec<Played>,
    games: Vec<Summary>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.moves)?;
    let board = line.board();
    let store = open(&arguments.book, &context::quiet())?;
    let mut condition = arguments.which.condition();
    let plays = plays(&store, board, &condition)?;
    condition.through.push(*board);
    let at = At {
        sfen: board.to_string(),
        plays,
        games: list(&store, &condition, Order::Latest, arguments.limit)?,
    };
    answer(&at, arguments.json, describe)
}

fn describe(at: &At, out: &mut dyn Write) -> io::Result<()> {
    if at.plays.is_empty() {
        return writeln!(out, "No game went through this position.");
    }
    writeln!(out, "move      games    won  drawn   lost")?;
    for play in &at.plays {
        let mv = play.mv.as_deref().unwrap_or("end");
        let results = [play.wins, play.draws, play.losses];
        writeln!(out, "{}", play_row(mv, play.games, results))?;
    }
    writeln!(out, "\nThe latest games:")?;
    for game in &at.games {
        let id = game.game;
        let result = result(game.result);
        let [black, white] = [&game.black, &game.white].map(|it| name(it.as_deref()));
        let event = after_comma(game.event.as_deref());
        writeln!(out, "{id:>6}  {result:9}  {black} – {white}{event}")?;
    }
    Ok(())
}
