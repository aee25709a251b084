//! YaneuraOu's text format, `.db`.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12 1
//! 2g2f none 25 12 1
//! ```
//!
//! A line of a move has the expected answer, the score, the depth and the count. Files often lack some of this, and the reader
//! takes what there is: the header, plies, and fields at the end of a line may be missing, lines may end in CR LF, and comments
//! (`#` or `//`) may be anywhere.

use crate::book::{Book, BookMove, Dropped, Entry, Fault, Place, Read};
use crate::{Move, Sfen};
use std::fmt::Write;

/// The first line of a file.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Reads a file. Positions and moves that can't be read are faults, with their lines; everything else is kept, legal or not. Of
/// several lines of one move, the first counts.
///
/// ```
/// use obook_shogi::db;
///
/// let read = db::read(b"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -\r\n7g7f 3c3d 30 # comment\r\n7g\r\n");
/// assert_eq!(read.book.entries[0].moves[0].score, Some(30));
/// assert_eq!(read.faults[0].to_string(), "line 3: “7g” is not a move; expected one in USI, such as 7g7f, 8h2b+ or P*5e");
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Read {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut read = Read::default();
    // Whether the moves that follow have a position, or one that is a fault.
    let mut is_position = None;
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let place = Place::Line(number);
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() || line.starts_with("#YANEURAOU") || line.starts_with("# NOE:") {
            continue;
        }
        if line.starts_with('#') || line.starts_with("//") {
            read.dropped.comments += 1;
            continue;
        }
        let result = if let Some(position) = line.strip_prefix("sfen ") {
            let entry = position.parse::<Sfen>().map(|Sfen { board, ply }| {
                read.book.entries.push(Entry {
                    board,
                    ply,
                    moves: Vec::new(),
                });
            });
            is_position = Some(entry.is_ok());
            entry.map_err(|error| error.to_string())
        } else {
            match (is_position, read.book.entries.last_mut()) {
                (Some(true), Some(entry)) => read_move(line, entry, &mut read.dropped),
                // The position has been reported.
                (Some(_), _) => Ok(()),
                (None, _) => Err(
                    "there is no position before this line; expected one, such as “sfen … b - 1”"
                        .to_owned(),
                ),
            }
        };
        if let Err(reason) = result {
            read.faults.push(Fault { place, reason });
        }
    }
    read
}

/// Fields are separated by blanks, so an empty one can't be told.
fn read_move(line: &str, entry: &mut Entry, dropped: &mut Dropped) -> Result<(), String> {
    let mut fields = line.split_ascii_whitespace();
    let first = fields.next().unwrap_or_default();
    if is_none(first) {
        return Ok(());
    }
    let mv: Move = first
        .parse()
        .map_err(|error: crate::ParseMoveError| error.to_string())?;
    if entry.moves.iter().any(|listed| listed.mv == mv) {
        return Err(format!("{mv} is listed twice; the first line counts"));
    }
    let ponder = match fields.next() {
        Some(text) if !is_none(text) => Some(text.parse::<Move>()),
        _ => None,
    };
    let mut number = || fields.next().and_then(leading_number);
    let mut listed = BookMove::new(mv);
    listed.score = number().map(|score| score.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    let positive = |number: i64| number.clamp(0, u32::MAX.into()) as u32;
    listed.depth = number().map(positive);
    listed.count = number().map(positive);
    if fields.next().is_some() {
        dropped.comments += 1;
    }
    let (ponder, result) = match ponder.transpose() {
        Ok(ponder) => (ponder, Ok(())),
        Err(error) => (None, Err(format!("the expected answer: {error}"))),
    };
    entry.moves.push(BookMove { ponder, ..listed });
    result
}

fn is_none(text: &str) -> bool {
    ["none", "resign"]
        .iter()
        .any(|none| text.eq_ignore_ascii_case(none))
}

/// The number at the beginning of a text; numbers that are too large become the largest.
fn leading_number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    let add = |number: i64, digit: u8| {
        number
            .saturating_mul(10)
            .saturating_add((digit - b'0').into())
    };
    (!digits.is_empty()).then(|| sign * digits.bytes().fold(0, add))
}

/// Writes a file, in the order of the book. What isn't known at the end of a line is left out; before something that is known, it
/// is `none`.
#[must_use]
pub fn write(book: &Book) -> String {
    let mut text = format!("{HEADER}\n");
    for Entry { board, ply, moves } in &book.entries {
        let sfen = Sfen {
            board: *board,
            ply: *ply,
        };
        // Writing to a string never fails.
        let _ = writeln!(text, "sfen {sfen}");
        for listed in moves {
            let number = |number: Option<i64>| number.map(|number| number.to_string());
            let fields = [
                number(listed.score.map(i64::from)),
                number(listed.depth.map(i64::from)),
                number(listed.count.map(i64::from)),
            ];
            let known = fields
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |last| last + 1);
            let ponder = listed.ponder.map(|ponder| ponder.to_string());
            let none = || "none".to_owned();
            let _ = write!(text, "{} {}", listed.mv, ponder.unwrap_or_else(none));
            for field in fields.into_iter().take(known) {
                let _ = write!(text, " {}", field.unwrap_or_else(none));
            }
            text.push('\n');
        }
    }
    text
}

impl Book {
    /// Puts the book in the order that YaneuraOu's binary search expects: positions by their text, of several with different plies
    /// only the one with the smallest, none without moves. Returns what that left out.
    pub fn sort_positions(&mut self) -> Dropped {
        let mut dropped = Dropped::default();
        self.entries.retain(|entry| {
            dropped.positions += u64::from(entry.moves.is_empty());
            !entry.moves.is_empty()
        });
        // The ply follows a blank, which comes before all that a longer text of a position may have there.
        self.entries
            .sort_by_cached_key(|entry| (entry.board.to_string(), entry.ply));
        let before = self.entries.len();
        self.entries.dedup_by_key(|entry| entry.board);
        dropped.records = (before - self.entries.len()) as u64;
        dropped
    }

    /// As [`Book::sort_positions`], and moves by count and score, highest first, as YaneuraOu writes them.
    pub fn sort(&mut self) -> Dropped {
        for entry in &mut self.entries {
            entry
                .moves
                .sort_by_key(|listed| std::cmp::Reverse((listed.count, listed.score)));
        }
        self.sort_positions()
    }
}
