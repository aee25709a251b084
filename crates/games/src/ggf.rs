//! GGF, the Generic Game Format of the Generic Game Server, for Othello.
//!
//! A game is a list of properties, `(;GM[Othello]PC[GGS/os]…BO[8 … *]B[f5/1.50/0.31]W[d6//2.5];)`: players, date and other facts,
//! the start position, then the moves with the evaluation of their player and the time taken. In the archives of the server a
//! line has one game, or both games of a synchro match. This module reads any number of games, whatever the line breaks.

use crate::properties::{Part, first_branch, letter, optional, write as property};
use crate::replay::Replay;
use crate::{Date, Decimal, Ending, Fault, Game, Note, Player, Score, text};
use obook_othello::{Board, Line, Move, Side};
use std::time::Duration;

/// Reads the game in the text of a tree.
pub fn read(tree: &str) -> (Game, Vec<Fault>) {
    let start = first_branch(tree).find_map(|part| match part {
        Part::Property { name, value, .. } if name == "BO" => Some(start(&value)),
        _ => None,
    });
    let mut game = Game::default();
    let mut replay = Replay::begin(start.unwrap_or_else(|| Ok(Line::new())));
    for part in first_branch(tree) {
        if let Part::Property { name, value, .. } = part {
            read_property(&mut game, &mut replay, &name, &value);
        }
    }
    replay.finish(game)
}

const RATING: &str = "a rating such as 1837.5";
const CLOCK: &str = "a clock such as 05:00//02:00";

fn read_property(game: &mut Game, replay: &mut Replay, name: &str, value: &str) {
    match name {
        "GM" if !value.trim().eq_ignore_ascii_case("othello") => {
            replay.stop(Fault::field("GM", value, "Othello"));
        }
        "PC" => game.site = text::line(value),
        "EV" => game.tournament = text::line(value),
        "RO" => game.round = text::line(value),
        "PB" => game.black.name = text::line(value),
        "PW" => game.white.name = text::line(value),
        "RB" => game.black.rating = replay.parsed("RB", value, RATING),
        "RW" => game.white.rating = replay.parsed("RW", value, RATING),
        "TI" => {
            let clock = replay.parsed("TI", value, CLOCK);
            (game.black.clock, game.white.clock) = (clock, clock);
        }
        "TB" => game.black.clock = replay.parsed("TB", value, CLOCK),
        "TW" => game.white.clock = replay.parsed("TW", value, CLOCK),
        "TY" => game.kind = text::line(value),
        "DT" => read_date(game, replay, value),
        "RE" => read_result(game, replay, value),
        "B" => read_move(replay, Side::Black, value),
        "W" => read_move(replay, Side::White, value),
        "C" => replay.comment(game, value),
        _ => {}
    }
}

/// Reads the size of the board, its squares and the side to move.
fn start(value: &str) -> Result<Line, Fault> {
    let wrong = || Fault::board(value);
    let squares = value.trim().strip_prefix('8').ok_or_else(wrong)?;
    let (board, side) = Board::read_with_side(squares).map_err(|_| wrong())?;
    Ok(Line::at(board, side))
}

/// Reads a date and time, `2003.12.15_13:24:03.MST`, or seconds since 1970.
fn read_date(game: &mut Game, replay: &mut Replay, value: &str) {
    let value = value.trim();
    if value.len() > 8
        && let Ok(since_1970) = value.parse::<u64>()
        && let Some(date) = Date::of_unix_time(since_1970)
    {
        let (minutes, seconds) = (since_1970 / 60, since_1970 % 60);
        let (hour, minute) = (minutes / 60 % 24, minutes % 60);
        game.date = date;
        game.time = Some(format!("{hour:02}:{minute:02}:{seconds:02}.UTC"));
        return;
    }
    let (day, time) = value.split_once(['_', ' ', 'T']).unwrap_or((value, ""));
    let expected = "a date such as 2003.12.15, and optionally a time";
    let date = replay.parsed("DT", day, expected);
    game.date = date.unwrap_or_default();
    game.time = text::line(time);
}

/// Reads Black's result, followed by `:r` for a resignation, `:t` for a time-out, or `:s` if both agreed on it.
fn read_result(game: &mut Game, replay: &mut Replay, value: &str) {
    const EXPECTED: &str =
        "black's discs minus white's, such as +10.00, optionally with :r, :t or :s";
    let (score, ending) = value.split_once(':').unwrap_or((value, ""));
    game.ending = replay.field("RE", ending, EXPECTED, |ending| match ending {
        "r" => Some(Ending::Resigned),
        "t" => Some(Ending::TimeOut),
        "s" => Some(Ending::Agreed),
        _ => None,
    });
    // Edax writes this for a game that is not over.
    const UNFINISHED: f64 = -127.0;
    let score = replay.field("RE", score, EXPECTED, |text| {
        let score = text.parse::<Decimal>().ok()?.get();
        match score {
            UNFINISHED => Some(None),
            _ if score.fract() == 0.0 && score.abs() <= 64.0 => Score::new(score as i8).map(Some),
            _ => None,
        }
    });
    game.score = score.flatten();
}

/// Reads a move, its evaluation and its time, separated by slashes; the last two may be missing.
fn read_move(replay: &mut Replay, side: Side, value: &str) {
    let mut parts = value.splitn(3, '/');
    let written = parts.next().unwrap_or_default().trim();
    let Ok(mv) = written.parse::<Move>() else {
        replay.no_move(written, "a square such as f5, or pa");
        return;
    };
    let value = parts.next().unwrap_or_default();
    let time = parts.next().unwrap_or_default();
    let note = Note {
        value: replay.parsed("an evaluation", value, "discs, such as -2.5"),
        time: replay.field("a time", time, "seconds, such as 12.5", read_seconds),
        comment: None,
    };
    replay.play_with(Some(side), mv, note);
}

/// The text of a game in GGF: one line with everything known about it. Line breaks in comments are kept.
///
/// ```
/// use obook_games::{Game, Score, write_ggf};
/// let mut game = Game::new("f5f6".parse()?);
/// game.black.name = Some("Rose".to_owned());
/// game.score = Score::new(-4);
/// let text = write_ggf(&game);
/// assert!(text.starts_with("(;GM[Othello]PB[Rose]PW[]RE[-4.00]BO[8 "));
/// assert!(text.ends_with("*]B[F5]W[F6];)"));
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let mut out = String::from("(;GM[Othello]");
    optional(&mut out, "PC", game.site.as_ref());
    optional(&mut out, "EV", game.tournament.as_ref());
    optional(&mut out, "RO", game.round.as_ref());
    if game.date != Date::UNKNOWN || game.time.is_some() {
        let day = game.date.to_string().replace('-', ".");
        let time = game.time.as_ref().map(|time| format!("_{time}"));
        property(&mut out, "DT", &(day + &time.unwrap_or_default()));
    }
    let name = |player: &Player| player.name.clone().unwrap_or_default();
    property(&mut out, "PB", &name(&game.black));
    property(&mut out, "PW", &name(&game.white));
    optional(&mut out, "RB", game.black.rating.map(|it| it.to_string()));
    optional(&mut out, "RW", game.white.rating.map(|it| it.to_string()));
    let [black, white] = [game.black.clock, game.white.clock].map(|it| Some(it?.to_string()));
    if black == white {
        optional(&mut out, "TI", black);
    } else {
        optional(&mut out, "TB", black);
        optional(&mut out, "TW", white);
    }
    optional(&mut out, "TY", game.kind.as_ref());
    property(&mut out, "RE", &result(game));
    optional(&mut out, "C", game.comment.as_ref());
    let line = game.line();
    let mut side = game.first();
    property(&mut out, "BO", &squares(line.start(), side));
    for (index, mv) in line.moves().iter().enumerate() {
        let note = game.note(index);
        property(&mut out, letter(side), &annotated(*mv, note));
        optional(&mut out, "C", note.comment.as_ref());
        side = side.other();
    }
    out.push_str(";)");
    out
}

fn result(game: &Game) -> String {
    let score = game.score.map(|score| format!("{score}.00"));
    let ending = match game.ending {
        None => "",
        Some(Ending::Resigned) => ":r",
        Some(Ending::TimeOut) => ":t",
        Some(Ending::Agreed) => ":s",
    };
    score.unwrap_or("?".to_owned()) + ending
}

/// `8`, eight groups of eight squares, and the side to move.
fn squares(board: Board, side: Side) -> String {
    let text = board.to_text_for(side).replace('X', "*");
    let (squares, side) = text.split_at(64);
    let rows: Vec<&str> = (0..64).step_by(8).map(|at| &squares[at..at + 8]).collect();
    format!("8 {}{side}", rows.join(" "))
}

/// `F5/1.5/0.31`, without the parts that are unknown.
fn annotated(mv: Move, note: &Note) -> String {
    let mv = mv.to_string().to_uppercase();
    let value = note.value.map_or(String::new(), |value| value.to_string());
    let time = note.time.map_or(String::new(), write_seconds);
    let all = format!("{mv}/{value}/{time}");
    all.trim_end_matches('/').to_owned()
}

/// The longest time accepted, in seconds.
const LONGEST: u64 = 1_000_000_000;

/// Reads `[[HH:]MM:]SS[.fraction]`, and ignores digits after the ninth of the fraction.
fn read_seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut seconds = 0u64;
    for (number, unit) in whole.split(':').enumerate() {
        let value: u64 = match unit {
            // `.5` is half a second.
            "" if number == 0 && !fraction.is_empty() => 0,
            unit if is_digits(unit) => unit.parse().ok()?,
            _ => return None,
        };
        seconds = seconds.checked_mul(60)?.checked_add(value)?;
        if number > 2 || seconds > LONGEST {
            return None;
        }
    }
    if !is_digits(fraction) {
        return None;
    }
    let nanos = format!("{:0<9.9}", fraction).parse().ok()?;
    Some(Duration::new(seconds, nanos))
}

/// Writes seconds with as many decimals as needed, at least two.
fn write_seconds(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    let digits = text.trim_end_matches('0').len();
    let point = text.len() - 9;
    text[..digits.max(point + 2)].to_owned()
}
