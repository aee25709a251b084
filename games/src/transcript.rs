//! Transcripts: one game on each line. Its moves, as people type them, then optionally a result and a comment.

use crate::replay::Replay;
use crate::{Fault, Game, Score, text};
use obook_othello::{Line, Move};

/// Reads the game on a line, or returns `None` if the line is empty or a comment.
///
/// A line may begin with a board: 64 squares and the side to move. Moves may be in capitals, and separated by spaces, numbers,
/// commas or dashes, or not at all; passes may be left out. A result is a signed difference, `+4`, or the discs of both sides,
/// `34-30`. A comment begins with `#`, `%` or `//`.
pub(crate) fn read(line: &str) -> Option<(Game, Vec<Fault>)> {
    let (record, comment) = split(line);
    if record.trim().is_empty() {
        return None;
    }
    let mut game = Game::default();
    game.comment = comment;
    let (mut replay, moves) = match Line::begin(record) {
        Ok((start, moves)) => (Replay::new(start), moves),
        Err(_) => {
            let mut replay = Replay::new(Line::new());
            replay.stop(Fault::Board {
                found: Fault::cut(record.trim()),
            });
            return Some(replay.finish(game));
        }
    };
    for word in words(&record[moves..]) {
        let expected = match (word, game.score) {
            (Word::Move(mv), None) => {
                replay.play(mv);
                continue;
            }
            (Word::Result(said), None) => {
                game.score = replay.field("the result", said, "+4 or 34-30", score);
                continue;
            }
            (_, None) => "a square such as f5, or pa",
            (_, Some(_)) => "nothing after the result but a comment, which begins with #",
        };
        replay.no_move(word.text(), expected);
        break;
    }
    Some(replay.finish(game))
}

/// Whether a line begins like a game, or `None` if it is empty or a comment.
pub(crate) fn is_game(line: &str) -> Option<bool> {
    let (record, _) = split(line);
    if record.trim().is_empty() {
        return None;
    }
    Some(match Line::begin(record) {
        Ok((start, 0)) if start.is_from_start() => {
            matches!(words(record).next(), Some(Word::Move(_)))
        }
        begin => begin.is_ok(),
    })
}

/// Splits a line into the game and the comment.
fn split(line: &str) -> (&str, Option<String>) {
    let at = line
        .char_indices()
        .find(|(at, c)| matches!(c, '#' | '%') || line[*at..].starts_with("//"));
    match at {
        Some((at, _)) => {
            let sign = if line[at..].starts_with("//") { 2 } else { 1 };
            let comment = &line[at + sign..];
            (&line[..at], text::lines(comment))
        }
        None => (line, None),
    }
}

/// A word of a transcript.
#[derive(Clone, Copy)]
enum Word<'t> {
    Move(Move),
    Result(&'t str),
    Other(&'t str),
}

impl<'t> Word<'t> {
    fn text(self) -> &'t str {
        match self {
            Word::Move(_) => "a move",
            Word::Result(text) | Word::Other(text) => text,
        }
    }
}

/// The words of a transcript, without separators and move numbers.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = skip(rest);
        if rest.is_empty() {
            return None;
        }
        let (word, len) = word(rest);
        rest = &rest[len..];
        Some(word)
    })
}

/// The first word of a text, and its length in bytes.
fn word(text: &str) -> (Word<'_>, usize) {
    if let Some(len) = result(text) {
        return (Word::Result(&text[..len]), len);
    }
    let lens = [4, 2].into_iter();
    let found = lens
        .filter_map(|len| text.get(..len))
        .find_map(|word| Some((Word::Move(word.parse().ok()?), word.len())));
    found.unwrap_or_else(|| {
        let len = text.find(char::is_whitespace).unwrap_or(text.len());
        (Word::Other(&text[..len]), len)
    })
}

/// The length in bytes of a result at the start of a text, if there is one.
fn result(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let ends = |len: usize| !text[len..].starts_with(|c: char| c.is_alphanumeric());
    let first = match text.strip_prefix(['+', '-']) {
        Some(signed) => 1 + digits(signed),
        None => digits(text),
    };
    let is_signed = first > 1 && text.starts_with(['+', '-']);
    let second = text[first..]
        .strip_prefix(['-', ':', '–'])
        .filter(|_| first > 0 && !is_signed)
        .map_or(0, digits);
    let len = if second > 0 {
        let separator = text[first..].chars().next().map_or(0, char::len_utf8);
        first + separator + second
    } else if is_signed || (first == 1 && text.starts_with('0')) {
        first
    } else {
        return None;
    };
    ends(len).then_some(len)
}

fn score(text: &str) -> Option<Score> {
    match text[1..].split_once(['-', ':', '–']) {
        Some((_, white)) => {
            let black = &text[..text.len() - white.len()];
            let black = black.trim_end_matches(['-', ':', '–']);
            Score::of_discs(black.parse().ok()?, white.parse().ok()?)
        }
        None => Score::new(text.parse().ok()?),
    }
}

/// Skips what separates moves: white space, punctuation, single dashes and move numbers.
fn skip(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || ",;.:|".contains(c));
        let after_dash = rest.strip_prefix('-').filter(|after| {
            // Two dashes are a pass, and a dash before digits is a result.
            !after.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        });
        let rest = after_dash.unwrap_or(rest);
        let after_digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = after_digits.len() < rest.len()
            && after_digits.starts_with(['.', ')', ':'])
            && result(rest).is_none();
        let rest = if is_number { &after_digits[1..] } else { rest };
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Writes a game on one line: moves, result, and the comment on the game without its line breaks.
pub(crate) fn write(game: &Game) -> String {
    let mut out = game.line().to_string();
    if let Some(score) = game.score {
        out.push_str(&format!(" {score}"));
    }
    if let Some(comment) = &game.comment {
        out.push_str(" # ");
        out.push_str(&comment.replace('\n', " "));
    }
    out
}
