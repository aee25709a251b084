//! PGN as Othello programs write it: tags, then numbered moves. Black moves first, and `1-0` is a win for Black.

use crate::pieces::{Found, Piece, Pieces};
use crate::replay::Replay;
use crate::{Ending, Error, Fault, Game, Note, Score, text};
use obook_othello::{Line, Move, Side};

/// Splits a text into games, line by line: finds the next game, and where it begins.
pub(crate) fn games() -> impl FnMut(&mut Pieces) -> Result<Option<Found>, Error> {
    // The first line of the next game, if it ended the game before.
    let mut next: Option<Piece> = None;
    move |pieces| {
        let (mut game, mut state) = (None, State::default());
        let mut ahead = match next.take() {
            None => next_line(pieces, false)?,
            first => first,
        };
        while let Some(line) = ahead {
            if state.begins_next(&line.bytes) {
                next = Some(line);
                break;
            }
            state.next(&line.bytes);
            match &mut game {
                None if line.bytes.trim_ascii().is_empty() => {}
                None => game = Some(line),
                Some(game) => pieces.append(game, &line.bytes)?,
            }
            ahead = next_line(pieces, state.comment)?;
        }
        Ok(game.map(|game| game.read_as(read)))
    }
}

/// The next line that isn't an escape: one that begins with `%`, outside a comment.
fn next_line(pieces: &mut Pieces, in_comment: bool) -> Result<Option<Piece>, Error> {
    loop {
        match pieces.next_line()? {
            Some(line) if line.bytes.starts_with(b"%") && !in_comment => {}
            line => return Ok(line),
        }
    }
}

/// The part of a game seen so far.
#[derive(Default)]
struct State {
    tags: bool,
    moves: bool,
    /// Inside a comment, where a line may look like a tag.
    comment: bool,
    blank: bool,
}

impl State {
    fn next(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if !self.comment && is_tag(line) {
            self.tags = true;
            self.blank = false;
            return;
        }
        self.blank = line.is_empty();
        self.moves |= !line.is_empty();
        for byte in line {
            match byte {
                b'{' => self.comment = true,
                b'}' => self.comment = false,
                b';' if !self.comment => break,
                _ => {}
            }
        }
    }

    /// Whether a line is the first of the next game.
    fn begins_next(&self, line: &[u8]) -> bool {
        let is_over = self.moves || (self.tags && self.blank);
        is_over && !self.comment && is_tag(line.trim_ascii())
    }
}

fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', first, ..] if first.is_ascii_alphabetic())
}

/// Whether a text begins with a tag.
pub(crate) fn is_game(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.find(|line| !line.trim().is_empty() && !line.starts_with('%'));
    first.is_some_and(|line| is_tag(line.trim().as_bytes()) && tag(line.trim()).is_some())
}

/// Reads the game in a text without escapes.
pub(crate) fn read(record: &str) -> (Game, Vec<Fault>) {
    let mut game = Game::default();
    let mut replay = Replay::default();
    let mut result = None;
    let mut rest = record;
    loop {
        rest = rest.trim_start();
        let line = rest.lines().next().unwrap_or_default();
        let Some((name, value)) = tag(line.trim_end()) else {
            break;
        };
        read_tag(&mut game, &mut replay, &mut result, name, &value);
        rest = &rest[line.len()..];
    }
    let discs = read_moves(&mut game, &mut replay, &mut result, rest);
    game.score = discs;
    if let Some(said) = &result {
        let score = replay.field("Result", said, "44-20, 1-0, 0-1, 1/2-1/2 or *", score);
        game.score = score.flatten().or(discs);
        if let Some(winner) = winner(said) {
            replay.won(winner, "Result", said);
        }
    }
    replay.finish(game)
}

/// A tag's name and value: `[Black "Rose"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inside.trim().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

fn read_tag(
    game: &mut Game,
    replay: &mut Replay,
    result: &mut Option<String>,
    name: &str,
    value: &str,
) {
    // A dash means that the player has no rating.
    let rating = value.trim_matches('-');
    match name {
        "Event" => game.tournament = text::line(value),
        "Site" => game.site = text::line(value),
        "Round" => game.round = text::line(value).filter(|round| round != "-"),
        "Black" => game.black.name = text::line(value),
        "White" => game.white.name = text::line(value),
        "BlackElo" => game.black.rating = replay.parsed("BlackElo", rating, "a rating"),
        "WhiteElo" => game.white.rating = replay.parsed("WhiteElo", rating, "a rating"),
        // Edax writes a second date, which is empty.
        "Date" => {
            let date = replay.parsed("Date", value, "a date such as 2003.12.15");
            game.date = date.unwrap_or(game.date).max(game.date);
        }
        "Time" => game.time = text::line(value),
        "Result" => *result = Some(value.trim().to_owned()),
        "Termination" if value.to_ascii_lowercase().contains("time") => {
            game.ending = Some(Ending::TimeOut);
        }
        "FEN" => match obook_othello::Board::read_with_side(value) {
            Ok((board, side)) => replay.restart(Line::at(board, side)),
            Err(_) => replay.stop(Fault::board(value)),
        },
        _ => {}
    }
}

/// Reads moves and comments. Returns the result that Edax writes in its last comment.
fn read_moves(
    game: &mut Game,
    replay: &mut Replay,
    result: &mut Option<String>,
    text: &str,
) -> Option<Score> {
    let mut discs = None;
    let mut rest = text;
    // The depth of nested variations, which are skipped.
    let mut depth = 0usize;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return discs;
        };
        let end = match first {
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => 1,
            _ => {
                let ends = |c: char| c.is_whitespace() || "{;()".contains(c);
                rest.find(ends).unwrap_or(rest.len())
            }
        };
        let word = &rest[..end];
        rest = &rest[end..];
        match first {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '{' | ';' => {
                let comment = word.trim_matches(['{', '}', ';']).trim();
                match wins(comment) {
                    Some(score) => discs = score,
                    None => replay.comment(game, comment),
                }
            }
            '$' | '!' | '?' => {}
            _ => read_word(replay, result, word),
        }
    }
}

/// Reads a move, with or without its number, or the result.
fn read_word(replay: &mut Replay, result: &mut Option<String>, word: &str) {
    if score(word).is_some() {
        result.get_or_insert_with(|| word.to_owned());
        return;
    }
    // `12.f5` and `12...d6` are moves too.
    let word = match word.rsplit_once('.') {
        Some((number, word)) if number.bytes().all(|b| b.is_ascii_digit() || b == b'.') => word,
        _ => word,
    };
    let word = word.trim_end_matches(['!', '?']);
    if word.is_empty() {
        return;
    }
    match word.parse::<Move>() {
        Ok(mv) => replay.play_with(None::<Side>, mv, Note::NONE),
        Err(_) => replay.no_move(word, "a square such as f5, or pass"),
    }
}

/// The winner by a result without discs: 1 for Black, -1 for White, 0 for a draw.
fn winner(result: &str) -> Option<i8> {
    match result {
        "1-0" => Some(1),
        "0-1" => Some(-1),
        "1/2-1/2" => Some(0),
        _ => None,
    }
}

/// The score in a result, if it has one. Returns `None` if the text is not a result.
fn score(result: &str) -> Option<Option<Score>> {
    if result == "*" || winner(result).is_some() {
        return Some(None);
    }
    let (black, white) = result.split_once('-')?;
    Score::of_discs(black.parse().ok()?, white.parse().ok()?).map(Some)
}

/// The score in Edax's final comment, `NAME wins 40-24`. An unfinished game has `wins -31-95` and no score.
fn wins(comment: &str) -> Option<Option<Score>> {
    let (_, discs) = comment.rsplit_once("wins ")?;
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let is_result = discs.bytes().all(is_part) && discs.contains('-');
    is_result.then(|| score(discs).flatten())
}
