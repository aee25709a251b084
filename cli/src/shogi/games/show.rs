//! `obook shogi games show`: one game.

use super::result;
use crate::prelude::*;
use crate::shogi::open;
use crate::words::name;
use obook_shogi::Colour;
use obook_shogi::database::games::game;
use obook_shogi::games::{End, csa, kif};

/// Show a game: players, moves, result, and what is wrong with its record
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games show games.obook 1\n  \
    obook shogi games show games.obook 1 --kif > game.kifu")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Number of the game, as shown by `obook shogi games list`
    game: i64,
    /// Write the game as a CSA file
    #[arg(long, conflicts_with_all = ["kif", "json"])]
    csa: bool,
    /// Write the game as a KIF file, in UTF-8
    #[arg(long, conflicts_with = "json")]
    kif: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    game: i64,
    date: Option<String>,
    event: Option<String>,
    black: Option<String>,
    white: Option<String>,
    result: Option<i8>,
    ending: Option<&'static str>,
    /// In SFEN.
    start: String,
    moves: Vec<String>,
    faults: Option<String>,
    csa: String,
}

/// The most moves in a line, so that it has less than 80 columns.
const IN_A_LINE: usize = 12;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let number = arguments.game;
    let Some((game, faults)) = game(&store, number)? else {
        let problem =
            format!("there is no game {number}; `obook shogi games list` shows the numbers");
        return Err(Failure::file(store.path(), problem));
    };
    let shown = Shown {
        game: number,
        result: game.outcome.map(|outcome| outcome.for_side(Colour::Black)),
        ending: game.end.map(End::name),
        start: game.start().to_string(),
        moves: game.moves().iter().map(ToString::to_string).collect(),
        csa: csa::write(&game),
        date: game.date.clone(),
        event: game.event.clone(),
        black: game.black.clone(),
        white: game.white.clone(),
        faults,
    };
    answer(&shown, arguments.json, |shown, out| {
        if arguments.csa {
            return out.write_all(shown.csa.as_bytes());
        }
        if arguments.kif {
            return out.write_all(kif::write(&game).as_bytes());
        }
        let (black, white) = (name(shown.black.as_deref()), name(shown.white.as_deref()));
        let ending = shown.ending;
        let ending = ending.map_or(String::new(), |ending| format!(" ({ending})"));
        writeln!(out, "{black} – {white}: {}{ending}", result(shown.result))?;
        let place = [&shown.event, &shown.date];
        let place: Vec<&str> = place.into_iter().flatten().map(String::as_str).collect();
        if !place.is_empty() {
            writeln!(out, "{}", in_line(&place.join(", ")))?;
        }
        writeln!(out, "{}", shown.start)?;
        for moves in shown.moves.chunks(IN_A_LINE) {
            writeln!(out, "{}", moves.join(" "))?;
        }
        if let Some(faults) = &shown.faults {
            writeln!(out, "Faults of the record:")?;
            for fault in faults.lines() {
                writeln!(out, "  {}", in_line(fault))?;
            }
        }
        Ok(())
    })
}
