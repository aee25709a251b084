//! `obook shogi games`: games in a database of their own or beside a book.

mod at;
mod export;
mod import;
mod list;
mod remove;
mod show;
mod stats;
mod verify;

use crate::commands::subcommands;
use crate::prelude::*;
use obook_shogi::games::Record;
use obook_store::Error;

subcommands! {
    /// Import, check, find, count, export and remove games
    #[command(after_help = "Examples:\n  \
        obook shogi games import *.csa --book games.obook\n  \
        obook shogi games verify game.kif\n  \
        obook shogi games at games.obook 7g7f 3c3d\n  \
        obook shogi games list games.obook --player rose\n  \
        obook shogi games stats games.obook\n\n\
        Formats are CSA, KIF, KI2, JKF and lists of games in USI, in UTF-8 or Shift_JIS, recognised by their contents. \
        docs/shogi.md describes what is checked.")]
    struct Arguments;
    Import import,
    Verify verify,
    #[command(after_help = "Examples:\n  \
        obook shogi games list games.obook\n  \
        obook shogi games list games.obook --player rose --limit 50 --json\n  \
        obook shogi games list games.obook --kind mate --since 2020 --sort longest\n\n\
        The result is 1 if Black won, 0 for a draw, and -1 if White won.")]
    List list,
    Show show,
    Export export,
    #[command(
        about = "Count games by result, ending and player",
        mut_arg("limit", |limit| limit.help("Maximum number of players to show")),
        after_help = "Examples:\n  \
            obook shogi games stats games.obook\n  \
            obook shogi games stats games.obook --player rose --limit 5"
    )]
    Stats stats,
    #[command(
        mut_arg("moves", |moves| moves.help(
            "Moves in USI from the start position. A position in SFEN may come before the moves or instead of them"
        )),
        after_help = "Examples:\n  \
            obook shogi games at games.obook\n  \
            obook shogi games at games.obook 7g7f 3c3d\n  \
            obook shogi games at games.obook 7g7f --limit 3 --json\n\n\
            A position and the one that is turned with all colours changed are one; shares are those of the side to move."
    )]
    At at,
    #[command(after_help = "Examples:\n  \
        obook shogi games remove games.obook 17 18\n  \
        obook shogi games remove games.obook --player rose --until 2019\n\n\
        `obook shogi games list` shows the numbers, and has the same conditions. `obook undo` brings the games back.")]
    Remove remove,
}

/// Reports how many problems aren't kept, and how many files can't be read.
fn describe_left_out(problems: u64, unread: u64, out: &mut dyn Write) -> io::Result<()> {
    let not_games = "problem[|s] with one king [isn't|aren't] kept: not a game";
    if_any(problems, not_games, out)?;
    if_any(unread, "file[|s] can't be read", out)
}

/// The message about a faulty record, or a file that can't be read.
fn told(file: &Path, found: Result<&Record, &Error>) -> String {
    match found {
        Ok(record) => {
            let faults: Vec<String> = record.faults.iter().map(ToString::to_string).collect();
            format!("{}: {}", file.display(), faults.join("; "))
        }
        Err(error) => error.to_string(),
    }
}

/// A result in words.
const fn result(result: Option<i8>) -> &'static str {
    match result {
        Some(1) => "Black won",
        Some(0) => "draw",
        Some(_) => "White won",
        None => "not known",
    }
}
