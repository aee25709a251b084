//! The Computer Shogi Association's format.
//!
//! ```text
//! V2.2
//! N+Black
//! N-White
//! $START_TIME:2018/05/03 11:00:54
//! PI
//! +
//! +7776FU
//! T14
//! %TORYO
//! ```

use super::draft::{Draft, Start};
use super::kif::misplaced;
use super::{Certainty, End, Game, Lines, Record, in_a_line, known, written_date};
use crate::{Board, Colour, Hand, Move, Piece, PieceType, Square, shown};
use std::fmt::Write as _;

/// The names of kinds, by number.
const KINDS: [&str; 14] = [
    "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY",
];

pub(super) fn kind(name: &str) -> Option<PieceType> {
    let at = KINDS.iter().position(|&known| known == name)?;
    Some(PieceType::ALL[at])
}

pub(super) const fn name(kind: PieceType) -> &'static str {
    KINDS[kind.number() as usize - 1]
}

const fn sign(colour: Colour) -> char {
    match colour {
        Colour::Black => '+',
        Colour::White => '-',
    }
}

fn colour(text: &str) -> Option<Colour> {
    (Colour::ALL.into_iter()).find(|&colour| text.chars().eq([sign(colour)]))
}

/// A square as two digits; `None` inside for `00`, which is a hand.
fn square(text: &str) -> Option<Option<Square>> {
    match text.as_bytes() {
        b"00" => Some(None),
        &[file, rank] => Square::new(file.wrapping_sub(b'0'), rank.wrapping_sub(b'0')).map(Some),
        _ => None,
    }
}

/// How surely a line is one of this format.
pub(super) fn tells(line: &str) -> Option<Certainty> {
    let is_move = line.len() == "+7776FU".len() && parse(line).is_some();
    if is_version(line) || line == "PI" || is_move {
        return Some(Certainty::Certain);
    }
    let is_start = line.starts_with("PI") && line.len() % 4 == 2 && line.is_ascii();
    let field = line.strip_prefix('$');
    let field = field.and_then(|field| field.split_once(':'));
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let is_field = field.is_some_and(|(name, _)| name.bytes().all(is_letter));
    let beginnings = ["N+", "N-", "P1-", "P1+", "P1 ", "P+", "P-"];
    let is_likely = is_start || is_field || beginnings.iter().any(|known| line.starts_with(known));
    is_likely.then_some(Certainty::Likely)
}

/// `V2.2`, `V3.0`, `V2`.
fn is_version(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    line.strip_prefix('V')
        .is_some_and(|version| version.split('.').all(is_number))
}

/// Reads the next game.
pub(super) fn next(lines: &mut Lines<'_>) -> Option<Record> {
    let mut reading: Option<Reading> = None;
    while let Some(&(number, line)) = lines.peek() {
        let line = line.trim();
        if is_version(line) && reading.as_ref().is_some_and(Reading::has_begun) {
            break;
        }
        lines.next();
        match line {
            "/" if reading.is_some() => break,
            "/" | "" => continue,
            _ => {}
        }
        if let Some(comment) = line.strip_prefix('\'') {
            if let Some(reading) = &mut reading {
                reading.comment(comment);
            }
            continue;
        }
        let reading = reading.get_or_insert_with(|| Reading::new(number));
        reading.draft.line = number;
        reading.line(line);
    }
    reading.map(|reading| reading.draft.finish())
}

struct Reading {
    draft: Draft,
    /// The pieces before the first move, and whether one of their lines can't be read.
    squares: [Option<Piece>; Square::COUNT],
    hands: [Hand; 2],
    is_damaged: bool,
}

impl Reading {
    fn new(line: usize) -> Self {
        Self {
            draft: Draft::new(line),
            squares: [None; Square::COUNT],
            hands: [Hand::default(); 2],
            is_damaged: false,
        }
    }

    const fn has_begun(&self) -> bool {
        self.draft.has_start || self.draft.has_ended
    }

    fn line(&mut self, line: &str) {
        let draft = &mut self.draft;
        if let Some(name) = line.strip_prefix("N+") {
            draft.record.game.black = known(name);
        } else if let Some(name) = line.strip_prefix("N-") {
            draft.record.game.white = known(name);
        } else if let Some(field) = line.strip_prefix('$') {
            self.field(field);
        } else if is_version(line) {
        } else if line.starts_with('P') {
            if draft.has_start {
                draft.fault(format!("“{}” stands after the start position", shown(line)));
            } else if let Err(reason) = self.pieces(line) {
                self.draft.fault(reason);
                self.is_damaged = true;
            }
        } else {
            line.split(',')
                .for_each(|statement| self.statement(statement.trim()));
        }
    }

    /// Floodgate writes ratings as comments: `black_rate:NAME:2345.0`.
    fn comment(&mut self, comment: &str) {
        let Some((side, rating)) = comment.split_once("_rate:") else {
            return;
        };
        let rating = rating.rsplit(':').next().unwrap_or_default().trim();
        let rating = rating.parse::<f64>().ok().filter(|it| it.is_finite());
        let rating = rating.map(|rating| rating.round() as i32);
        match side {
            "black" => self.draft.record.game.black_rating = rating,
            "white" => self.draft.record.game.white_rating = rating,
            _ => {}
        }
    }

    fn field(&mut self, field: &str) {
        let Some((name, text)) = field.split_once(':') else {
            return;
        };
        let game = &mut self.draft.record.game;
        match name {
            "EVENT" => game.event = known(text),
            "SITE" => game.site = known(text),
            "START_TIME" => game.date = super::date(text),
            _ => self.draft.note(field),
        }
    }

    fn statement(&mut self, text: &str) {
        match text.as_bytes() {
            [] | [b'T', ..] | [b'\'', ..] => {}
            [b'+'] | [b'-'] if !self.draft.has_start => self.start(text),
            [b'+' | b'-', ..] => {
                self.start(&text[..1]);
                if self.draft.has_ended {
                    self.draft.fault(format!("the move “{}” follows the end of the game", shown(text)));
                } else {
                    self.draft.play(|board| read_move(board, text));
                }
            }
            [b'%', ..] => {
                self.start("+");
                end(&mut self.draft, text);
            }
            _ => self.draft.fault(format!(
                "“{}” is no statement; expected a move such as +7776FU, a time such as T12, or an end such as %TORYO",
                shown(text)
            )),
        }
    }

    /// Sets the start position before the first move.
    fn start(&mut self, turn: &str) {
        if !self.draft.has_start {
            let turn = colour(turn).unwrap_or(Colour::Black);
            let start = self.board(turn);
            self.draft.begin(start);
        }
    }

    /// Reads `PI`, perhaps with pieces to leave out, a rank such as `P1-KY…`, or single pieces such as `P+59OU00FU`.
    fn pieces(&mut self, line: &str) -> Result<(), String> {
        let fails = || {
            format!(
                "“{}” is no position; expected PI, P1 to P9 with nine squares, or P+ or P- with pieces",
                shown(line)
            )
        };
        let rest = line.get(2..).ok_or_else(fails)?;
        match line.as_bytes()[1] {
            b'I' => {
                self.squares = Board::start().squares();
                for piece in each(rest, 4) {
                    let (at, kind) = piece.and_then(placed).ok_or_else(fails)?;
                    let place = &mut self.squares[at.ok_or_else(fails)?.index()];
                    if place.take().map(|piece| piece.kind) != Some(kind) {
                        return Err(fails());
                    }
                }
            }
            rank @ b'1'..=b'9' => {
                let row = squares_of(rest).ok_or_else(fails)?;
                for (at, piece) in Square::of_rank(rank - b'0').zip(row) {
                    self.squares[at.index()] = piece;
                }
            }
            by @ (b'+' | b'-') => {
                let colour = Colour::white_if(by == b'-');
                for text in each(rest, 4) {
                    let text = text.ok_or_else(fails)?;
                    if text == "00AL" {
                        self.all_others(colour);
                        continue;
                    }
                    let (at, kind) = placed(text).ok_or_else(fails)?;
                    match at {
                        Some(at) => self.squares[at.index()] = Some(Piece { kind, colour }),
                        None if PieceType::IN_HAND.contains(&kind) => self.give(colour, kind, 1),
                        None => return Err(fails()),
                    }
                }
            }
            _ => return Err(fails()),
        }
        Ok(())
    }

    fn give(&mut self, colour: Colour, kind: PieceType, more: u8) {
        let hand = &mut self.hands[colour as usize];
        hand.set(kind, hand.count(kind).saturating_add(more));
    }

    /// Gives a side all pieces that are nowhere else.
    fn all_others(&mut self, colour: Colour) {
        for kind in PieceType::IN_HAND {
            let pieces = self.squares.iter().flatten();
            let on_board = pieces.filter(|piece| piece.kind.unpromoted() == kind);
            let in_hands = self.hands.iter().map(|hand| usize::from(hand.count(kind)));
            let used = (on_board.count() + in_hands.sum::<usize>()).min(u8::MAX.into()) as u8;
            self.give(colour, kind, kind.most().saturating_sub(used));
        }
    }

    fn board(&self, turn: Colour) -> Start {
        if self.is_damaged {
            return Err("it can't be read".into());
        }
        if self.squares.iter().all(Option::is_none) {
            return Err("it is missing; expected PI, or P1 to P9".into());
        }
        Ok(Board::new(self.squares, self.hands, turn)?)
    }
}

/// Ends a game with a word such as `%TORYO`, or the same without the sign.
pub(super) fn end(draft: &mut Draft, text: &str) {
    let turn = draft.turn;
    let end = match text.trim_start_matches('%') {
        // The last move, if it can't be played; or else one that isn't in the record.
        "ILLEGAL_MOVE" => End::Foul(match draft.is_cut_off() {
            true => turn.other(),
            false => turn,
        }),
        "HIKIWAKE" => End::Impasse,
        "MATTA" | "ERROR" | "FUZUMI" | "MAX_MOVES" => End::BrokenOff,
        known => match End::TABLE.iter().find(|(.., word)| *word == known) {
            Some(&(end, ..)) => end,
            None => {
                draft.note(text);
                return draft.end_unnamed(None);
            }
        },
    };
    draft.end(end);
}

/// The side, the origin, unless it is a hand, the target and the kind of `+7776FU`.
fn parse(text: &str) -> Option<(Colour, Option<Square>, Square, PieceType)> {
    let by = colour(text.get(..1)?)?;
    let (from, to) = (square(text.get(1..3)?)?, square(text.get(3..5)?)??);
    Some((by, from, to, kind(text.get(5..)?)?))
}

/// Reads a move such as `+7776FU`.
pub(super) fn read_move(board: &Board, text: &str) -> Result<Move, String> {
    let (by, from, to, kind) = parse(text)
        .ok_or_else(|| format!("“{}” is no move; expected one such as +7776FU", shown(text)))?;
    if by != board.turn() {
        return Err(format!(
            "{text} is a move of {by}, but it's the other side's turn"
        ));
    }
    let Some(from) = from else {
        let fails = || format!("{text} drops a {kind:?}, which no hand holds");
        return Move::dropped(kind, to).ok_or_else(fails);
    };
    let promotes = match board.piece(from).map(|piece| piece.kind) {
        Some(before) if before == kind => false,
        Some(before) if before.promoted() == Some(kind) => true,
        _ => return Err(misplaced(board, text, kind, from)),
    };
    Ok(Move::Step { from, to, promotes })
}

/// The nine squares of a rank: three characters each, of which blanks at the end may be lost, or with other blanks between them.
fn squares_of(text: &str) -> Option<[Option<Piece>; 9]> {
    let square = |text: &str| match text.trim() {
        "*" | "" => Some(None),
        text => Some(Some(Piece {
            colour: colour(text.get(..1)?)?,
            kind: kind(text.get(1..)?)?,
        })),
    };
    let as_squares = |squares: Option<Vec<Option<Piece>>>| squares?.try_into().ok();
    let wide = format!("{text:<27}");
    as_squares(each(&wide, 3).map(|text| square(text?)).collect()).or_else(|| {
        let marked = ["*", "+", "-"].iter().fold(text.to_owned(), |text, mark| {
            text.replace(mark, &format!(" {mark}"))
        });
        as_squares(marked.split_whitespace().map(square).collect())
    })
}

/// Parts of a text with this many characters each; `None` for bytes that don't begin one, or are left over.
fn each(text: &str, length: usize) -> impl Iterator<Item = Option<&str>> {
    let places = (0..text.len()).step_by(length);
    places.map(move |at| text.get(at..at + length))
}

/// A place and a kind: `59OU`, `00FU`.
fn placed(text: &str) -> Option<(Option<Square>, PieceType)> {
    Some((square(text.get(..2)?)?, kind(text.get(2..)?)?))
}

/// Writes a game.
///
/// ```
/// use obook_shogi::games::{Game, csa};
///
/// let mut game = Game::default();
/// game.play("7g7f".parse()?);
/// assert_eq!(csa::write(&game), "V2.2\nPI\n+\n+7776FU\n");
/// # Ok::<(), obook_shogi::ParseMoveError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let mut text = String::from("V2.2\n");
    let date = game.date.as_deref().map(written_date);
    for (prefix, field) in [
        ("N+", &game.black),
        ("N-", &game.white),
        ("$EVENT:", &game.event),
        ("$SITE:", &game.site),
        ("$START_TIME:", &date),
    ] {
        if let Some(field) = field {
            text.push_str(&format!("{prefix}{}\n", in_a_line(field)));
        }
    }
    write_start(&mut text, game.start());
    for (side, name, rating) in [
        ("black", &game.black, game.black_rating),
        ("white", &game.white, game.white_rating),
    ] {
        if let Some(rating) = rating {
            let name = in_a_line(name.as_deref().unwrap_or_default());
            // Writing to a string never fails.
            let _ = writeln!(text, "'{side}_rate:{name}:{rating}");
        }
    }
    for (board, _, mv) in game.steps() {
        let by = sign(board.turn());
        let to = mv.to();
        let moved = board.after(mv).piece(to);
        let kind = moved.map_or("", |piece| name(piece.kind));
        let from = match mv {
            Move::Step { from, .. } => format!("{}{}", from.file(), from.rank()),
            Move::Drop { .. } => String::from("00"),
        };
        // Writing to a string never fails.
        let _ = writeln!(text, "{by}{from}{}{}{kind}", to.file(), to.rank());
    }
    if let Some(end) = game.recorded_end() {
        let _ = writeln!(text, "%{}", end.in_csa());
    }
    text
}

fn write_start(text: &mut String, start: &Board) {
    if *start == Board::start() {
        text.push_str("PI\n+\n");
        return;
    }
    for rank in 1..=9 {
        let _ = write!(text, "P{rank}");
        for at in Square::of_rank(rank) {
            match start.piece(at) {
                Some(Piece { kind, colour }) => {
                    let _ = write!(text, "{}{}", sign(colour), name(kind));
                }
                None => text.push_str(" * "),
            }
        }
        text.push('\n');
    }
    for colour in Colour::ALL {
        let pieces = start.hand(colour).pieces();
        let pieces = pieces.map(|(kind, count)| format!("00{}", name(kind)).repeat(count.into()));
        let pieces: String = pieces.collect();
        if !pieces.is_empty() {
            let _ = writeln!(text, "P{}{pieces}", sign(colour));
        }
    }
    let _ = writeln!(text, "{}", sign(start.turn()));
}
