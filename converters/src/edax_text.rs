//! The text format that Edax's `book export` writes and its `book import` reads.
//!
//! Each position is a line: 64 squares from a1 to h8, a space and the side to move, then level, leaf move and leaf score, each
//! after a comma:
//!
//! ```text
//! ------------------OX-------OX------XO--------------------------- X,3,--,-127
//! -----O-X-----OO------X-O---XXX----XXX--------------------------- X,3,PA,2
//! ```
//!
//! `--` means no move (65): with the score −127 there is no leaf, otherwise it's the final score of a finished game. `PA` is a
//! pass. Links aren't stored; linking finds them again. There is no header and no count, so a file cut off between two lines
//! looks complete. A file cut off inside a line is an error, since every line must end. A byte order mark before the first line and
//! line ends of Windows make no difference.

use crate::book_reader::open_records;
use crate::check::{Checker, is_about_moves, need};
use crate::edax::{self, NO_MOVE, RawMove};
use crate::record::{BookHeader, BookRecord};
use crate::row::{Form, Holds, Row, Source, Written};
use crate::{ErrorKind, Fault, FaultKind, Format, reader, writer};
use obook_othello::{Engine, Move, Position, Square};

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "edax-text",
    endings: &["txt"],
    program: "Edax `book export`",
    begins: "64 squares and the side to move",
    engine: Engine::Edax,
    holds: Holds {
        levels: true,
        leaves: true,
        canonical: false,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(begins),
        guess: None,
        open: open_records::<Record>,
    },
    writer: Some(Written::records::<Record>(Form::Edax)),
};

/// Whether a line starts here: 64 squares, a space, a side, a comma.
fn begins(head: &[u8]) -> bool {
    let head = head.strip_prefix(MARK).unwrap_or(head);
    head.len() > SQUARES + 2
        && head[..SQUARES].iter().all(|c| b"XxOo*-.".contains(c))
        && head[SQUARES] == b' '
        && b"XxOo*".contains(&head[SQUARES + 1])
        && head[SQUARES + 2] == b','
}

/// The byte order mark with which some editors begin a text.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads Edax's text format.
pub type Reader<R> = reader::Reader<R, Record>;
/// Writes Edax's text format.
pub type Writer<W> = writer::Writer<W, Record>;

/// The number of squares in a line.
pub(crate) const SQUARES: usize = 64;
const SQUARES_EXPECTED: &str = "X, O or - for each of the 64 squares";

const BLACK: u8 = 1;
const WHITE: u8 = 2;
const NO_SQUARE: u8 = 4;

/// The meaning of a character as a square. Squares are unpredictable, so branching instead of this table would take twice the
/// time.
const SQUARE_OF: [u8; 256] = {
    let mut table = [NO_SQUARE; 256];
    table[b'X' as usize] = BLACK;
    table[b'x' as usize] = BLACK;
    table[b'*' as usize] = BLACK;
    table[b'O' as usize] = WHITE;
    table[b'o' as usize] = WHITE;
    table[b'-' as usize] = 0;
    table[b'.' as usize] = 0;
    table
};

/// The longest line accepted. A line with numbers of a few digits each has 77 characters.
pub(crate) const MAX_LEN: usize = 128;

/// This format has no header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header;

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// The level of the position's search.
    pub level: u8,
    /// The best move that leads out of the book.
    pub leaf: RawMove,
}

impl BookHeader for Header {
    fn decode(_: &[u8]) -> Result<Header, ErrorKind> {
        Ok(Header)
    }

    fn encode(&self, _: &mut Vec<u8>) {}

    fn from_neutral(_: &crate::Header) -> Result<Header, ErrorKind> {
        Ok(Header)
    }
}

impl BookRecord for Record {
    const FORMAT: Format = Format::EdaxText;
    const HEADER_LEN: usize = 0;
    const MAX_LEN: usize = MAX_LEN;
    type Header = Header;
    type Layout = ();

    fn decode(bytes: &[u8], (): ()) -> Result<(Record, usize), ErrorKind> {
        let (line, len) = line(bytes)?;
        let (black, white) = discs(line)?;
        let (player, opponent) = match line.get(SQUARES..SQUARES + 2) {
            Some(b" X" | b" x" | b" *") => (black, white),
            Some(b" O" | b" o") => (white, black),
            _ => return Err(text_error(line, SQUARES, "a space and the side to move")),
        };
        let mut rest = Rest::new(line, SQUARES + 2);
        let level = rest.number("a comma and a level of 0 to 255")?;
        let code = rest.field(move_code, "a comma and a move such as F5, PA or --")?;
        let score = rest.number("a comma and a score of -64 to 64, or -127 for none")?;
        rest.end()?;
        let record = Record {
            player,
            opponent,
            level,
            leaf: RawMove { score, code },
        };
        Ok((record, len))
    }

    fn encode(&self, (): (), out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let leaf = self.leaf;
        let mv = match Move::from_code(leaf.code) {
            Some(mv) => mv.to_string().to_ascii_uppercase(),
            None if leaf.code == NO_MOVE => "--".to_owned(),
            None => {
                return Err(ErrorKind::Text {
                    column: SQUARES + 2,
                    found: format!("move {}", leaf.code),
                    expected: "a move of 0 to 65",
                });
            }
        };
        out.extend_from_slice(&squares(self.player, self.opponent));
        out.extend_from_slice(format!(" X,{},{mv},{}\n", self.level, leaf.score).as_bytes());
        Ok(())
    }

    fn header_len(bytes: &[u8]) -> usize {
        bytes.len() - bytes.strip_prefix(MARK).unwrap_or(bytes).len()
    }

    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    fn check(&self) -> Result<Position, Fault> {
        let mut checker = Checker::new(self.player, self.opponent)?;
        Ok(Position {
            level: Some(self.level),
            leaf: edax::check_leaf(&mut checker, self.leaf, self.level)?,
            ..Position::new(checker.canonical, Engine::Edax)
        })
    }

    fn mend(&mut self, fault: &FaultKind) -> bool {
        self.leaf = RawMove::NONE;
        is_about_moves(fault)
    }

    /// Stores the level, which is required, and the leaf.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        let board = position.board.board();
        let level = need(board, "the level", position.level)?;
        Ok(Record {
            player: board.player(),
            opponent: board.opponent(),
            level,
            leaf: edax::raw_leaf(position, level)?,
        })
    }
}

/// The squares as text. If both sides hold one, the side to move is shown.
pub(crate) fn squares(player: u64, opponent: u64) -> [u8; SQUARES] {
    std::array::from_fn(|i| b"-XOX"[(player >> i & 1 | (opponent >> i & 1) << 1) as usize])
}

/// The first line, without its end, and its length with it. It has [`MAX_LEN`] bytes at most.
pub(crate) fn line(bytes: &[u8]) -> Result<(&[u8], usize), ErrorKind> {
    let window = &bytes[..bytes.len().min(MAX_LEN)];
    let Some(len) = window.iter().position(|b| *b == b'\n') else {
        return Err(match bytes.len() {
            found if found < MAX_LEN => ErrorKind::cut_off(found as u64, found as u64 + 1),
            _ => text_error(window, SQUARES + 2, "a line of about 70 characters"),
        });
    };
    let line = window[..len].strip_suffix(b"\r").unwrap_or(&window[..len]);
    Ok((line, len + 1))
}

/// The discs on the squares with which a line begins: Black's and White's.
pub(crate) fn discs(line: &[u8]) -> Result<(u64, u64), ErrorKind> {
    let (mut black, mut white) = (0u64, 0u64);
    for (i, byte) in line.iter().take(SQUARES).enumerate() {
        let square = SQUARE_OF[usize::from(*byte)];
        black |= u64::from(square & BLACK) << i;
        white |= u64::from((square & WHITE) >> 1) << i;
        if square == NO_SQUARE {
            return Err(text_error(line, i, SQUARES_EXPECTED));
        }
    }
    if line.len() < SQUARES {
        return Err(text_error(line, line.len(), SQUARES_EXPECTED));
    }
    Ok((black, white))
}

/// The part of a line after the board.
pub(crate) struct Rest<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Rest<'a> {
    /// The part from this byte on.
    pub(crate) fn new(line: &'a [u8], at: usize) -> Rest<'a> {
        Rest { line, at }
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<(), ErrorKind> {
        match self.at {
            at if at < self.line.len() => Err(text_error(self.line, at, "the end of the line")),
            _ => Ok(()),
        }
    }

    /// The field after the next comma.
    fn field<T>(
        &mut self,
        parse: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<T, ErrorKind> {
        let value = || {
            let rest = self.line[self.at..].strip_prefix(b",")?;
            let field = str::from_utf8(rest.split(|b| *b == b',').next()?).ok()?;
            Some((parse(field.trim())?, field.len()))
        };
        let (value, len) = value().ok_or_else(|| text_error(self.line, self.at, expected))?;
        self.at += 1 + len;
        Ok(value)
    }

    pub(crate) fn number<T: std::str::FromStr>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, ErrorKind> {
        self.field(|field| field.parse().ok(), expected)
    }
}

/// Parses a move as Edax writes it. Here `--` means no move, not a pass as elsewhere.
fn move_code(text: &str) -> Option<u8> {
    if text == "--" {
        Some(NO_MOVE)
    } else if text.eq_ignore_ascii_case("pa") {
        Some(Move::Pass.code())
    } else {
        text.parse::<Square>().ok().map(Square::index)
    }
}

/// The text from byte `at` of the line, at most 16 characters.
pub(crate) fn text_error(line: &[u8], at: usize, expected: &'static str) -> ErrorKind {
    let rest = &line[at.min(line.len())..];
    let found = String::from_utf8_lossy(&rest[..rest.len().min(16)]);
    ErrorKind::Text {
        column: at + 1,
        found: found.escape_debug().to_string(),
        expected,
    }
}
