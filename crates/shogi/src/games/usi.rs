//! A game in a line, as programs list openings and games: `startpos moves 7g7f 3c3d`.
//!
//! `position` may stand before it, `sfen` and a position instead of `startpos`, and moves may stand alone.

use super::draft::Draft;
use super::{Certainty, Game, Lines, Record};
use crate::{Board, Move, Sfen, shown};

/// How surely a line is one of this format.
pub(super) fn tells(line: &str) -> Option<Certainty> {
    let (start, mut moves) = split(line);
    match start {
        Some("startpos") => Some(Certainty::Certain),
        // A position alone is one of a book, in which moves follow.
        Some(_) => line.contains(" moves").then_some(Certainty::Certain),
        None => moves
            .all(|mv| mv.parse::<Move>().is_ok())
            .then_some(Certainty::Likely),
    }
}

/// Splits a line into `startpos` or a position, if it begins with one, and the words that follow.
fn split(line: &str) -> (Option<&str>, std::str::SplitWhitespace<'_>) {
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    if !line.starts_with("startpos") && !line.starts_with("sfen ") {
        return (None, line.split_whitespace());
    }
    let (start, moves) = line.split_once("moves").unwrap_or((line, ""));
    (Some(start.trim()), moves.split_whitespace())
}

/// Reads the next game.
pub(super) fn next(lines: &mut Lines<'_>) -> Option<Record> {
    let is_game = |line: &str| !line.is_empty() && !line.starts_with(['#', '\'']);
    let (number, line) = lines.find(|(_, line)| is_game(line.trim()))?;
    let mut draft = Draft::new(number);
    let (start, words) = split(line.trim());
    draft.begin(match start {
        None | Some("startpos") => Ok(Board::start()),
        Some(start) => {
            let text = start.strip_prefix("sfen ").unwrap_or(start);
            let read = text.parse::<Sfen>().map(|read| read.board);
            read.map_err(|error| format!("“{}”: {error}", shown(text)).into())
        }
    });
    for word in words {
        draft.play(|_| {
            let wrong = |_| {
                let word = shown(word);
                format!("“{word}” is no move; expected one such as 7g7f or S*5e")
            };
            word.parse().map_err(wrong)
        });
    }
    Some(draft.finish())
}

/// Writes a game: its start and its moves.
///
/// ```
/// use obook_shogi::games::{Game, usi};
///
/// let mut game = Game::default();
/// game.play("7g7f".parse()?);
/// assert_eq!(usi::write(&game), "startpos moves 7g7f\n");
/// # Ok::<(), obook_shogi::ParseMoveError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let mut text = match *game.start() == Board::start() {
        true => String::from("startpos"),
        false => format!("sfen {} 1", game.start()),
    };
    text.push_str(" moves");
    for mv in game.moves() {
        text.push_str(&format!(" {mv}"));
    }
    text.push('\n');
    text
}
