//! SGF, the Smart Game Format, for Othello (game type 2).
//!
//! Only the first branch of a tree is read. Othello programs write a move as the name of its square, `B[f5]`; programs for other
//! games write two letters, column and row, `B[fe]`. A pass is `B[PA]` or `B[]`. Evaluations (`V`) are from Black's side.

use crate::properties::{Part, first_branch, letter, optional, write as property};
use crate::replay::Replay;
use crate::{Clock, Date, Decimal, Ending, Fault, Game, Note, Player, Score, text};
use obook_othello::{Board, Line, Move, Side, Square, SquareSet};
use std::iter;
use std::time::Duration;

/// Reads the game in the text of a tree.
pub(crate) fn read(tree: &str) -> (Game, Vec<Fault>) {
    let mut game = Game::default();
    let mut replay = Replay::begin(start(tree));
    let mut node = Vec::new();
    // The last node ends as the others do: where another one would begin.
    for part in first_branch(tree).chain(iter::once(Part::Node)) {
        if let Part::Property { name, value, more } = part {
            node.push((name, value, more));
            continue;
        }
        // In any order: remarks and evaluations are of the node's move.
        node.sort_by_key(|(name, ..)| matches!(&**name, "C" | "V"));
        let mut moved = None;
        for (name, value, more) in node.drain(..) {
            let values: Vec<&str> = iter::once(&value).chain(&more).map(|v| &**v).collect();
            read_property(&mut game, &mut replay, &mut moved, &name, &values);
        }
    }
    replay.finish(game)
}

const RATING: &str = "a rating such as 1837.5";

fn read_property(
    game: &mut Game,
    replay: &mut Replay,
    moved: &mut Option<Side>,
    name: &str,
    values: &[&str],
) {
    let value = values[0];
    match name {
        "GM" if value.trim() != "2" => replay.stop(Fault::field("GM", value, "2 for Othello")),
        "SZ" if value.trim() != "8" => replay.stop(Fault::field("SZ", value, "8")),
        "PC" => game.site = text::line(value),
        "EV" => game.tournament = text::line(value),
        "RO" => game.round = text::line(value),
        "PB" => game.black.name = text::line(value),
        "PW" => game.white.name = text::line(value),
        "BR" => game.black.rating = replay.parsed("BR", value, RATING),
        "WR" => game.white.rating = replay.parsed("WR", value, RATING),
        "TM" => {
            let clock = replay.field("TM", value, "seconds", |text| {
                let seconds: f64 = text.parse().ok()?;
                Clock::of_time(Duration::try_from_secs_f64(seconds).ok()?)
            });
            (game.black.clock, game.white.clock) = (clock, clock);
        }
        "DT" => {
            // Several dates may be listed: take the first.
            let day = value.split(',').next().unwrap_or_default();
            let date = replay.parsed("DT", day, "a date such as 2003-12-15");
            game.date = date.unwrap_or_default();
        }
        "RE" => read_result(game, replay, value),
        "GC" => text::add_lines(&mut game.comment, value),
        "B" | "W" => {
            let side = match name {
                "B" => Side::Black,
                _ => Side::White,
            };
            for value in values {
                match square(value) {
                    Some(mv) => replay.play_with(Some(side), mv, Note::NONE),
                    None => {
                        replay.no_move(value, "a square such as f5 or fe, or nothing for a pass")
                    }
                }
            }
            *moved = Some(side);
        }
        "C" => replay.comment(game, value),
        "V" => {
            let value = replay.parsed("V", value, "discs, such as -2.5");
            if let (Some(side), Some(note)) = (moved, replay.last_note()) {
                note.value = value.and_then(|value| seen_by(*side, value));
            }
        }
        _ => {}
    }
}

/// Turns a value from Black's side into one from `side`, and back.
fn seen_by(side: Side, value: Decimal) -> Option<Decimal> {
    Decimal::new(side.for_black(value.get()))
}

/// The position set up by the first node. If it does not set up the centre, the usual four discs are there.
fn start(tree: &str) -> Result<Line, Fault> {
    let (mut black, mut white, mut empty, mut side) = (0, 0, 0, Side::Black);
    for part in first_branch(tree).skip(1) {
        let Part::Property { name, value, more } = part else {
            break;
        };
        let set = || {
            let mut values = iter::once(&value).chain(&more);
            values.try_fold(0, |set, v| Ok(set | squares(v)?))
        };
        match &*name {
            "AB" => black |= set()?,
            "AW" => white |= set()?,
            "AE" => empty |= set()?,
            "PL" if value.trim().starts_with(['W', 'w', '2']) => side = Side::White,
            "PL" => side = Side::Black,
            _ => {}
        }
    }
    if (black | white | empty) & Board::CENTRE == 0 {
        black |= Board::START.player();
        white |= Board::START.opponent();
    }
    let board = Board::new(black, white);
    let board = board.map_err(|error| Fault::board(&error.to_string()))?;
    Ok(match side {
        Side::Black => Line::at(board, side),
        Side::White => Line::at(board.passed(), side),
    })
}

/// Reads a square, or a rectangle given by two corners.
fn squares(value: &str) -> Result<u64, Fault> {
    let (from, to) = value.split_once(':').unwrap_or((value, value));
    let (Some(Move::Place(from)), Some(Move::Place(to))) = (square(from), square(to)) else {
        return Err(Fault::board(value));
    };
    let is_between = |from: u8, at: u8, to: u8| from.min(to) <= at && at <= from.max(to);
    let inside = Square::all().filter(|square| {
        is_between(from.file(), square.file(), to.file())
            && is_between(from.rank(), square.rank(), to.rank())
    });
    Ok(inside.fold(0, |set, square| set | square.bit()))
}

/// Reads a square by its name or by two letters, or a pass.
fn square(text: &str) -> Option<Move> {
    let text = text.trim();
    match *text.as_bytes() {
        [] | [b't', b't'] => Some(Move::Pass),
        [file @ b'a'..=b'h', rank @ b'a'..=b'h'] => {
            Square::new((rank - b'a') * 8 + file - b'a').map(Move::Place)
        }
        _ => text.parse().ok(),
    }
}

/// Reads `B+10`, `W+4`, `0` or `Draw`. `B+R`, `W+T` and `B+` have a winner but no score; `Void` and `?` have neither.
fn read_result(game: &mut Game, replay: &mut Replay, value: &str) {
    const EXPECTED: &str = "a result such as B+10, W+4, Draw or W+R";
    let mut won = None;
    let result = replay.field("RE", value, EXPECTED, |text| {
        let lower = text.to_ascii_lowercase();
        let (winner, by) = match lower.as_str() {
            "void" => return Some((None, None)),
            "0" | "draw" | "jigo" => return Some((Score::new(0), None)),
            text => text.split_once('+')?,
        };
        let sign = match winner {
            "b" => 1,
            "w" => -1,
            _ => return None,
        };
        let ending = match by {
            "r" | "resign" => Some(Ending::Resigned),
            "t" | "time" => Some(Ending::TimeOut),
            "" | "f" | "forfeit" => None,
            by => {
                let by = by.parse::<Decimal>().ok()?.get();
                let is_score = by.fract() == 0.0 && (0.0..=64.0).contains(&by);
                return is_score.then(|| (Score::new(sign * by as i8), None));
            }
        };
        won = Some(sign);
        Some((None, ending))
    });
    (game.score, game.ending) = result.unwrap_or_default();
    if let Some(winner) = won {
        replay.won(winner, "RE", value);
    }
}

/// The text of a game in SGF: one move on each line, with evaluations and comments.
#[must_use]
pub fn write(game: &Game) -> String {
    let mut out = String::from("(;FF[4]GM[2]CA[UTF-8]SZ[8]");
    optional(&mut out, "PC", game.site.as_ref());
    optional(&mut out, "EV", game.tournament.as_ref());
    optional(&mut out, "RO", game.round.as_ref());
    let date = (game.date != Date::UNKNOWN).then(|| game.date.to_string());
    optional(&mut out, "DT", date);
    optional(&mut out, "PB", game.black.name.as_ref());
    optional(&mut out, "PW", game.white.name.as_ref());
    optional(&mut out, "BR", game.black.rating.map(|it| it.to_string()));
    optional(&mut out, "WR", game.white.rating.map(|it| it.to_string()));
    let time = |player: &Player| Some(player.clock?.initial?.time.as_secs());
    let time = time(&game.black).filter(|_| time(&game.black) == time(&game.white));
    optional(&mut out, "TM", time.map(|seconds| seconds.to_string()));
    property(&mut out, "RE", &result(game));
    optional(&mut out, "GC", game.comment.as_ref());
    set_up(&mut out, game);
    let mut side = game.first();
    for (index, mv) in game.line().moves().iter().enumerate() {
        let note = game.note(index);
        out.push_str("\n;");
        let mv = match mv {
            Move::Place(square) => square.to_string(),
            Move::Pass => "PA".to_owned(),
        };
        property(&mut out, letter(side), &mv);
        let value = note.value.and_then(|value| seen_by(side, value));
        optional(&mut out, "V", value.map(|value| value.to_string()));
        optional(&mut out, "C", note.comment.as_ref());
        side = side.other();
    }
    out.push_str("\n)");
    out
}

/// The result. After a resignation or a time-out it says who won, and not by how much.
fn result(game: &Game) -> String {
    let Some(score) = game.score.map(Score::get) else {
        return "?".to_owned();
    };
    let winner = letter(match score {
        1.. => Side::Black,
        0 => return "0".to_owned(),
        _ => Side::White,
    });
    match game.ending {
        Some(Ending::Resigned) => format!("{winner}+R"),
        Some(Ending::TimeOut) => format!("{winner}+T"),
        _ => format!("{winner}+{}", score.unsigned_abs()),
    }
}

/// Writes all discs of the start position, because programs differ in their defaults, and the side to move.
fn set_up(out: &mut String, game: &Game) {
    let start = game.line().start();
    let (black, white) = match game.first() {
        Side::Black => (start.player(), start.opponent()),
        Side::White => (start.opponent(), start.player()),
    };
    let empty = match (black | white) & Board::CENTRE {
        0 => Board::CENTRE,
        _ => 0,
    };
    for (name, set) in [("AB", black), ("AW", white), ("AE", empty)] {
        if set != 0 {
            out.push_str(name);
            out.extend(SquareSet(set).iter().map(|square| format!("[{square}]")));
        }
    }
    property(out, "PL", letter(game.first()));
}
