//! Transcripts: a game's moves, as people type them, then optionally a result and a comment. A game begins a line, and may go on over
//! several.

use crate::pieces::{Found, Piece, Pieces};
use crate::replay::Replay;
use crate::{Error, Fault, Game, Score, text};
use obook_othello::{Line, Move};
use std::borrow::Cow;

/// A game whose next lines may follow.
struct Begun {
    piece: Piece,
    text: String,
    game: Game,
    faults: Vec<Fault>,
}

impl Begun {
    fn new(piece: Piece) -> Option<Begun> {
        let text = moves_in(&text::decode(&piece.bytes)).to_owned();
        let (game, faults) = read(&text)?;
        Some(Begun {
            piece,
            text,
            game,
            faults,
        })
    }

    /// Whether a line may follow: after a result or a remark none, and after the last move only a result.
    fn may_have(&self, line: &Begun) -> bool {
        let Game { score, comment, .. } = &self.game;
        let is_open = score.is_none() && comment.is_none();
        let is_result = is_whole(&line.faults) && line.game.line().moves().is_empty();
        is_open && (is_result || !self.game.line().board().is_over())
    }

    /// Whether a line begins with a move that no game begins with.
    fn begins_illegally(&self) -> bool {
        let is_illegal = |fault: &Fault| matches!(fault, Fault::Illegal(_));
        self.game.line().moves().is_empty() && self.faults.iter().any(is_illegal)
    }

    /// Adds a line, if it belongs to the game: it goes on with the number of the next move, or begins with a move that is legal here
    /// but not at the start. Returns whether it does.
    fn takes(&mut self, line: &Begun) -> bool {
        if !self.may_have(line) || self.text.len() + line.text.len() > LONGEST {
            return false;
        }
        if !is_whole(&self.faults) {
            return line.begins_illegally();
        }
        let moves = self.game.line().moves();
        let placed = moves.iter().filter(|mv| **mv != Move::Pass).count();
        // Moves or pairs of them have numbers, and passes, too, or not.
        let follows = |number: usize, count: usize| [count + 1, count / 2 + 1].contains(&number);
        let goes_on = number(&line.text).is_some_and(|number| {
            number > 1 && (follows(number, moves.len()) || follows(number, placed))
        });
        let is_game = is_whole(&line.faults) && !line.game.line().moves().is_empty();
        if is_game && !goes_on {
            return false;
        }
        let joined = format!("{} {}", self.text, line.text);
        match read(&joined) {
            Some((game, faults)) if is_whole(&faults) || line.begins_illegally() => {
                (self.text, self.game, self.faults) = (joined, game, faults);
                true
            }
            _ => false,
        }
    }
}

/// Whether all moves were played.
fn is_whole(faults: &[Fault]) -> bool {
    !faults.iter().any(Fault::stops)
}

/// The most bytes of a game in several lines.
const LONGEST: usize = 1 << 16;

/// Splits a text into games: finds the next game, and where it begins.
pub(crate) fn games() -> impl FnMut(&mut Pieces) -> Result<Option<Found>, Error> {
    // The beginning of the next game, if it ended the game before.
    let mut next: Option<Begun> = None;
    move |pieces| {
        let mut begun = next.take();
        while let Some(piece) = pieces.next_line()? {
            let line = Begun::new(piece);
            let Some(game) = &mut begun else {
                begun = line;
                continue;
            };
            // A blank line or a comment ends a game, too.
            if !line.as_ref().is_some_and(|line| game.takes(line)) {
                next = line;
                break;
            }
        }
        Ok(begun.map(|begun| (begun.piece, (begun.game, begun.faults))))
    }
}

/// The fewest moves of a column of games in a table.
const COLUMN: usize = 8;

/// The field of a table's row that has the moves, if the row doesn't begin with them.
fn column(line: &str) -> Option<&str> {
    let is_move = |mv: &[u8]| str::from_utf8(mv).is_ok_and(|mv| mv.parse::<Move>().is_ok());
    let is_moves =
        |field: &str| field.len() >= 2 * COLUMN && field.as_bytes().chunks(2).all(is_move);
    let fields = line.split([',', ';', '\t']);
    let mut fields = fields.map(|field| field.trim().trim_matches('"'));
    let is_first = fields.next().is_some_and(is_moves);
    fields.find(|field| is_moves(field)).filter(|_| !is_first)
}

/// The part of a link or of a table's row that has the moves, or the line itself.
fn moves_in(line: &str) -> &str {
    match line.trim_start().starts_with("http") {
        true => line.rsplit(['#', '=', '/', '?']).next().unwrap_or(line),
        false => column(line).unwrap_or(line),
    }
}

/// A text with the letters, digits and signs of ASCII instead of full-width ones.
fn plain(line: &str) -> Cow<'_, str> {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        c => c,
    };
    match line.chars().any(|c| narrow(c) != c) {
        true => line.chars().map(narrow).collect(),
        false => Cow::Borrowed(line),
    }
}

/// The number that a line begins with, if it is that of a move.
fn number(line: &str) -> Option<usize> {
    let line = &*plain(line.trim_start());
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line[..digits].parse().ok();
    number.filter(|_| result(line).is_none())
}

/// Reads the game on a line, or returns `None` if the line is empty or a comment.
///
/// A line may begin with a board: 64 squares and the side to move. Moves may be in capitals, and separated by spaces, numbers,
/// commas, dashes, quotes or brackets, or not at all; passes may be left out. A result is a signed difference, `+4`, or the discs of
/// both sides, `34-30`. A comment begins with `#`, `%` or `//`.
fn read(line: &str) -> Option<(Game, Vec<Fault>)> {
    let (record, comment) = split(line);
    let record = &*plain(record);
    if record.trim().is_empty() {
        return None;
    }
    let mut game = Game::default();
    game.comment = comment;
    let begun = Line::begin(record).map_err(|_| Fault::board(record.trim()));
    // Nothing is read after a board that is none.
    let moves = begun.as_ref().map_or(record.len(), |(_, moves)| *moves);
    let mut replay = Replay::begin(begun.map(|(start, _)| start));
    let mut words = words(&record[moves..]).peekable();
    if moves == 0 && words.peek().is_none() {
        return None;
    }
    for (word, text) in words {
        let expected = match (word, game.score) {
            (Word::Move(mv), None) => {
                replay.play(mv);
                continue;
            }
            (Word::Result, None) => {
                game.score = replay.field("the result", text, "+4 or 34-30", score);
                continue;
            }
            (_, None) => "a square such as f5, or pa",
            (_, Some(_)) => "nothing after the result but a comment, which begins with #",
        };
        replay.no_move(text, expected);
        break;
    }
    Some(replay.finish(game))
}

/// The fewest legal moves from the start that can be nothing but a game.
const SURE: usize = 5;

/// Whether a line can be nothing but a game.
pub(crate) fn is_surely_game(line: &str) -> bool {
    let read = read(moves_in(line));
    read.is_some_and(|(game, _)| game.line().is_from_start() && game.line().moves().len() >= SURE)
}

/// Whether a line begins like a game, or `None` if it is empty or a comment.
pub(crate) fn is_game(line: &str) -> Option<bool> {
    let (record, _) = split(moves_in(line));
    let record = &*plain(record);
    if record.trim().is_empty() {
        return None;
    }
    Some(match Line::begin(record) {
        Ok((start, 0)) if start.is_from_start() => {
            matches!(words(record).next(), Some((Word::Move(_), _)))
        }
        begin => begin.is_ok(),
    })
}

/// Splits a line into the game and the comment.
fn split(line: &str) -> (&str, Option<String>) {
    let signs = ["#", "%", "//"].into_iter();
    let parts = signs.filter_map(|sign| line.split_once(sign));
    match parts.min_by_key(|(record, _)| record.len()) {
        Some((record, comment)) => (record, text::lines(comment)),
        None => (line, None),
    }
}

/// A word of a transcript.
#[derive(Clone, Copy)]
enum Word {
    Move(Move),
    Result,
    Other,
}

/// The words of a transcript with their texts, without separators and move numbers.
fn words(text: &str) -> impl Iterator<Item = (Word, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = skip(rest);
        if rest.is_empty() {
            return None;
        }
        let (word, len) = word(rest);
        let text;
        (text, rest) = rest.split_at(len);
        Some((word, text))
    })
}

/// The first word of a text, and its length in bytes.
fn word(text: &str) -> (Word, usize) {
    if let Some(len) = result(text) {
        return (Word::Result, len);
    }
    let lens = [4, 2].into_iter();
    let mut words = lens.filter_map(|len| text.get(..len));
    let found = words.find_map(|word| Some((Word::Move(word.parse().ok()?), word.len())));
    found.unwrap_or_else(|| {
        let len = text.find(char::is_whitespace).unwrap_or(text.len());
        (Word::Other, len)
    })
}

/// The length in bytes of a result at the start of a text, if there is one.
fn result(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with(['+', '-']));
    let first = sign + digits(&text[sign..]);
    let rest = text[first..].trim_start_matches(' ');
    let second = rest.strip_prefix(['-', ':', '–']);
    let second = second.map(|after| after.trim_start_matches(' '));
    let len = match second.filter(|second| sign == 0 && first > 0 && digits(second) > 0) {
        Some(second) => text.len() - second.len() + digits(second),
        None if sign == 1 && first > 1 || first == 1 && text.starts_with('0') => first,
        None => return None,
    };
    // Neither a word nor a date or time, such as 12-10-2019.
    let rest = &text[len..];
    let more = rest.strip_prefix(['-', ':', '–']);
    let goes_on = rest.starts_with(char::is_alphanumeric)
        || more.is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    (!goes_on).then_some(len)
}

fn score(text: &str) -> Option<Score> {
    match text.split_once(['-', ':', '–']) {
        Some((black, white)) if !black.is_empty() => {
            Score::of_discs(black.trim().parse().ok()?, white.trim().parse().ok()?)
        }
        _ => Score::new(text.parse().ok()?),
    }
}

/// Characters that may stand between moves.
const SEPARATORS: &str = ",;.:|()\"'“”「」";

/// Whether a move follows a blank, as it does after its number.
fn begins_with_move(text: &str) -> bool {
    text.starts_with([' ', '\t']) && matches!(word(text.trim_start()), (Word::Move(_), _))
}

/// Skips what separates moves: white space, punctuation, single dashes and move numbers.
fn skip(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || SEPARATORS.contains(c));
        let after_dash = rest.strip_prefix('-').filter(|after| {
            // Two dashes are a pass, and a dash before digits is a result.
            !after.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        });
        let rest = after_dash.unwrap_or(rest);
        let is_digit = |c: char| c.is_ascii_digit();
        let after_digits = rest.trim_start_matches(is_digit);
        let is_time =
            (after_digits.strip_prefix(':')).is_some_and(|more| more.starts_with(is_digit));
        let is_number = after_digits.len() < rest.len()
            && !is_time
            && (after_digits.starts_with(['.', ')', ':']) || begins_with_move(after_digits))
            && result(rest).is_none();
        let rest = if is_number { &after_digits[1..] } else { rest };
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Whether a text begins as this crate writes transcripts. Its last line may be cut off.
///
/// ```
/// use obook_games::is_own_transcript;
/// assert!(is_own_transcript(b"f5d6c3 +4\nf5f6 # rem"));
/// assert!(!is_own_transcript(b"f5d6c3\nto do: learn the rest\n"));
/// ```
#[must_use]
pub fn is_own_transcript(head: &[u8]) -> bool {
    let text = text::decode(head);
    let whole = match text.rfind('\n') {
        Some(end) => &text[..end],
        None => text.split(" #").next().unwrap_or_default(),
    };
    let mut lines = whole.lines();
    lines.all(|line| read(line).is_some_and(|(game, _)| write(&game) == line))
}

/// A game as a transcript: one line with its moves, its result, and the comment on it without line breaks.
#[must_use]
pub fn write(game: &Game) -> String {
    let score = game.score.map(|score| format!(" {score}"));
    let comment = game.comment.as_ref();
    let comment = comment.map(|comment| format!(" # {}", comment.replace('\n', " ")));
    game.line().to_string() + &score.unwrap_or_default() + &comment.unwrap_or_default()
}
