//! `obook shogi games at`: the moves that were played in a position, and the games.

use super::result;
use crate::commands::games::at::play_row;
use crate::context;
use crate::failure::Failure;
use crate::options::games::Filter;
use crate::output::answer;
use crate::shogi::records::Shogi;
use crate::shogi::{line, open};
use crate::words::{in_line, name};
use obook_shogi::database::games::{Played, Summary, plays, through};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Show the moves played in a position, and the latest games through it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games at games.obook\n  \
    obook shogi games at games.obook 7g7f 3c3d\n  \
    obook shogi games at games.obook 7g7f --limit 3 --json\n\n\
    A position and the one that is turned with all colours changed are one; shares are those of the side to move.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Moves in USI from the start position. A position in SFEN may come before the moves or instead of them
    #[arg(default_value = "", hide_default_value = true)]
    moves: Vec<String>,
    /// Maximum number of games to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: u32,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Shogi>,
}

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
    let condition = arguments.which.condition();
    let at = At {
        sfen: board.to_string(),
        plays: plays(&store, board, &condition)?,
        games: through(&store, board, &condition, arguments.limit)?,
    };
    answer(&at, arguments.json, describe)
}

fn describe(at: &At, out: &mut dyn Write) -> Result<(), Failure> {
    if at.plays.is_empty() {
        return Ok(writeln!(out, "No game went through this position.")?);
    }
    writeln!(out, "move      games    won  drawn   lost")?;
    for play in &at.plays {
        let mv = play.mv.as_deref().unwrap_or("end");
        let results = [play.wins, play.draws, play.losses];
        writeln!(out, "{}", play_row(mv, play.games, results))?;
    }
    writeln!(out, "\nThe latest games:")?;
    for game in &at.games {
        let event = game.event.as_ref();
        let event = event.map_or(String::new(), |event| format!(", {}", in_line(event)));
        writeln!(
            out,
            "{:>6}  {:9}  {} – {}{event}",
            game.game,
            result(game.result),
            name(game.black.as_deref()),
            name(game.white.as_deref())
        )?;
    }
    Ok(())
}
