//! Edax `book.dat`, version 4.
//!
//! | offset | type | header field |
//! | --- | --- | --- |
//! | 0 | 8 bytes | `XADEKOOB`: "EDAX" and "BOOK" as little-endian words |
//! | 8, 9 | u8, u8 | version (4), release |
//! | 10 | u16 | year |
//! | 12 … 16 | u8 each | month, day, hour, minute, second |
//! | 17 | u8 | padding |
//! | 18, 22 | i32, i32 | level, n_empties (61 − depth) |
//! | 26, 30 | i32, i32 | midgame error, endcut error |
//! | 34, 38 | i32, i32 | verbosity, number of positions |
//!
//! The positions follow up to the end of the file:
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0, 8 | u64, u64 | player, opponent |
//! | 16, 20, 24, 28 | u32 each | wins, draws, losses, lines |
//! | 32, 34, 36 | i16 each | value, lower, upper |
//! | 38, 39 | u8, u8 | number of links n, level |
//! | 40 | n × (i8, u8) | links: score, move |
//! | 40 + 2n | i8, u8 | leaf: score, move; (−127, 65) means no leaf, (score, 65) a finished game |
//!
//! The number of empties is 0 … 61, and the errors are 0 … 64. Values and scores are −64 … 64; a value of −127 means none. Bounds are widened by the errors in the header. Moves are
//! a1 = 0 … h8 = 63 and 64 for a pass. Books contain positions in which a side has to pass.

use crate::book_reader::open_records;
use crate::check::{self, Checker, fault, is_score, need};
use crate::reader::Fields;
use crate::record::{BookHeader, BookRecord};
use crate::row::{Form, Holds, Row, Source, StoredLinks, Written};
use crate::{Date, ErrorKind, Fault, FaultKind, Format, MoveOf, egaroucid, reader, writer};
use obook_othello::{Bounds, Engine, Leaf, Link, Links, Position};
use smallvec::SmallVec;

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "edax",
    endings: &["dat"],
    program: "Edax 4.4 to 4.6",
    begins: EDAX_MAGIC,
    engine: Engine::Edax,
    holds: Holds {
        values: true,
        bounds: true,
        levels: true,
        outcomes: true,
        lines: true,
        leaves: true,
        links: StoredLinks::All,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(|head| head.starts_with(EDAX_MAGIC.as_bytes())),
        guess: None,
        open: open_records::<Record>,
    },
    writer: Some(Written::records::<Record>(Form::Edax)),
};

/// Reads Edax books.
pub type Reader<R> = reader::Reader<R, Record>;
/// Writes Edax books.
pub type Writer<W> = writer::Writer<W, Record>;

/// The version that is read and written.
pub const VERSION: u8 = 4;
/// The move of a leaf that has none.
pub const NO_MOVE: u8 = 65;
/// The score of a missing leaf.
pub const NO_SCORE: i8 = -127;
/// The value of a position about which nothing is known. It has no leaf and no links, and its bounds are meaningless.
pub const NO_VALUE: i16 = -127;

/// The magic: "EDAX" and "BOOK" as little-endian words.
const EDAX_MAGIC: &str = "XADEKOOB";
/// The length of the header in bytes.
const HEADER_LEN: usize = 42;
/// The length of a position before its links.
const FIXED_LEN: usize = 40;
/// The offset of the number of links in a position.
const LINK_COUNT: usize = 38;
/// The length of a link or leaf.
const MOVE_LEN: usize = 2;

/// The header without magic and version, which are checked when read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The release of the program that wrote the file: Edax 4.`release`.
    pub release: u8,
    /// When the file was saved.
    pub date: Date,
    /// The byte after the date, which has no meaning.
    pub padding: u8,
    /// The level of the book's searches.
    pub level: i32,
    /// The number of empty squares down to which the book grows.
    pub n_empties: i32,
    /// The error of midgame searches, in discs.
    pub midgame_error: i32,
    /// The error of selective endgame searches, in discs.
    pub endcut_error: i32,
    /// Edax's verbosity.
    pub verbosity: i32,
    /// The stated number of positions.
    pub count: i32,
}

impl Header {
    /// Checks the numbers that a book's bounds and depth follow from.
    fn checked(self) -> Result<Header, ErrorKind> {
        for (field, found, max) in [
            ("the number of empties", self.n_empties, 61),
            ("the midgame error", self.midgame_error, 64),
            ("the endcut error", self.endcut_error, 64),
        ] {
            if !(0..=max).contains(&found) {
                return Err(ErrorKind::HeaderRange {
                    format: Format::Edax,
                    field,
                    found: found.into(),
                    min: 0,
                    max: max.into(),
                });
            }
        }
        Ok(self)
    }
}

/// A link or leaf as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawMove {
    /// The score for the side to move.
    pub score: i8,
    /// The move: 0–63, 64 for a pass, 65 for none.
    pub code: u8,
}

impl RawMove {
    /// No leaf.
    pub const NONE: RawMove = RawMove {
        score: NO_SCORE,
        code: NO_MOVE,
    };
}

/// A position as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// The number of solved lines won by the side to move.
    pub wins: u32,
    /// The number of drawn solved lines.
    pub draws: u32,
    /// The number of solved lines lost by the side to move.
    pub losses: u32,
    /// The number of lines below, counted by paths.
    pub lines: u32,
    /// The value for the side to move, in discs.
    pub value: i16,
    /// The lower bound of the value.
    pub lower: i16,
    /// The upper bound of the value.
    pub upper: i16,
    /// The level of the position's search.
    pub level: u8,
    /// The moves to other positions of the book, at most 255.
    pub links: SmallVec<[RawMove; 8]>,
    /// The best move that leads out of the book.
    pub leaf: RawMove,
}

impl BookHeader for Header {
    fn decode(bytes: &[u8]) -> Result<Header, ErrorKind> {
        let fields = Fields::after_version(bytes, HEADER_LEN, Format::Edax, EDAX_MAGIC, VERSION);
        let mut fields = fields?;
        Header {
            release: fields.u8(),
            date: Date {
                year: fields.u16(),
                month: fields.u8(),
                day: fields.u8(),
                hour: fields.u8(),
                minute: fields.u8(),
                second: fields.u8(),
            },
            padding: fields.u8(),
            level: fields.i32(),
            n_empties: fields.i32(),
            midgame_error: fields.i32(),
            endcut_error: fields.i32(),
            verbosity: fields.i32(),
            count: fields.i32(),
        }
        .checked()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let date = self.date;
        out.extend_from_slice(EDAX_MAGIC.as_bytes());
        out.extend_from_slice(&[VERSION, self.release]);
        out.extend_from_slice(&date.year.to_le_bytes());
        out.extend_from_slice(&[date.month, date.day, date.hour, date.minute, date.second]);
        out.push(self.padding);
        for number in [
            self.level,
            self.n_empties,
            self.midgame_error,
            self.endcut_error,
            self.verbosity,
            self.count,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn neutral(&self) -> crate::Header {
        crate::Header {
            version: Some(VERSION),
            release: Some(self.release),
            date: Some(self.date),
            level: Some(self.level),
            n_empties: Some(self.n_empties),
            midgame_error: Some(self.midgame_error),
            endcut_error: Some(self.endcut_error),
            verbosity: Some(self.verbosity),
            count: Some(self.count.into()),
        }
    }

    /// Requires level, n_empties, both errors and the count. The release defaults to 6, the verbosity to 0, and the date to
    /// all zeros.
    fn from_neutral(header: &crate::Header) -> Result<Header, ErrorKind> {
        let format = Format::Edax;
        let need =
            |field, number: Option<i32>| number.ok_or(ErrorKind::HeaderMissing { format, field });
        Header {
            release: header.release.unwrap_or(6),
            date: header.date.unwrap_or_default(),
            padding: 0,
            level: need("the level", header.level)?,
            n_empties: need("the number of empties", header.n_empties)?,
            midgame_error: need("the midgame error", header.midgame_error)?,
            endcut_error: need("the endcut error", header.endcut_error)?,
            verbosity: header.verbosity.unwrap_or(0),
            count: egaroucid::count_of(Format::Edax, header)?,
        }
        .checked()
    }
}

impl BookRecord for Record {
    const FORMAT: Format = Format::Edax;
    const HEADER_LEN: usize = HEADER_LEN;
    const MAX_LEN: usize = FIXED_LEN + MOVE_LEN * (u8::MAX as usize + 1);
    type Header = Header;
    type Layout = ();

    #[inline]
    fn decode(bytes: &[u8], (): ()) -> Result<(Record, usize), ErrorKind> {
        let mut fields = Fields::new(bytes, FIXED_LEN)?;
        let mut record = Record {
            player: fields.u64(),
            opponent: fields.u64(),
            wins: fields.u32(),
            draws: fields.u32(),
            losses: fields.u32(),
            lines: fields.u32(),
            value: fields.i16(),
            lower: fields.i16(),
            upper: fields.i16(),
            level: 0,
            links: SmallVec::new(),
            leaf: RawMove::NONE,
        };
        let links = usize::from(fields.u8());
        record.level = fields.u8();
        let len = record_len(links);
        let mut fields = Fields::new(bytes, len)?;
        fields.skip(FIXED_LEN);
        let mut mv = || RawMove {
            score: fields.i8(),
            code: fields.u8(),
        };
        record.links.extend((0..links).map(|_| mv()));
        record.leaf = mv();
        Ok((record, len))
    }

    #[inline]
    fn len(bytes: &[u8], (): ()) -> Result<usize, ErrorKind> {
        let mut fields = Fields::new(bytes, FIXED_LEN)?;
        fields.skip(LINK_COUNT);
        let len = record_len(fields.u8().into());
        Fields::new(bytes, len).map(|_| len)
    }

    #[inline]
    fn encode(&self, (): (), out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let links = egaroucid::as_link_count(self.links.len() as u64)?;
        out.extend_from_slice(&self.player.to_le_bytes());
        out.extend_from_slice(&self.opponent.to_le_bytes());
        for number in [self.wins, self.draws, self.losses, self.lines] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for score in [self.value, self.lower, self.upper] {
            out.extend_from_slice(&score.to_le_bytes());
        }
        out.extend_from_slice(&[links, self.level]);
        for mv in self.links.iter().chain([&self.leaf]) {
            out.extend_from_slice(&[mv.score.cast_unsigned(), mv.code]);
        }
        Ok(())
    }

    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    fn check(&self) -> Result<Position, Fault> {
        let mut checker = Checker::new(self.player, self.opponent)?;
        let mut links = Links::new();
        for (number, link) in (1..).zip(&self.links) {
            links.push(Link {
                mv: checker.mv(link.code, MoveOf::Link(number))?,
                score: Some(check::score(checker.board, "a link's score", link.score)?),
            });
        }
        let mut position = Position {
            level: Some(self.level),
            outcomes: Some([self.wins, self.draws, self.losses].into()),
            lines: Some(self.lines),
            links,
            leaf: check_leaf(&mut checker, self.leaf, self.level)?,
            ..Position::new(checker.canonical, Engine::Edax)
        };
        if self.value != NO_VALUE {
            position.bounds = Some(Bounds {
                lower: check::bound(checker.board, "the lower bound", self.lower)?,
                upper: check::bound(checker.board, "the upper bound", self.upper)?,
            });
            position.value = Some(check::score(checker.board, "the value", self.value)?);
        }
        Ok(position)
    }

    fn mend(&mut self, fault: &FaultKind) -> bool {
        match fault {
            FaultKind::IllegalMove {
                of: MoveOf::Link(number),
                ..
            } => drop(self.links.remove(usize::from(*number) - 1)),
            FaultKind::DuplicateMove { code } => {
                // Of equal moves the last is removed; the leaf counts as the last of all.
                let twice = |link: &RawMove| link.code == *code;
                let last = self.links.iter().rposition(twice);
                match last {
                    Some(last) if self.links[..last].iter().any(twice) => {
                        self.links.remove(last);
                    }
                    _ => self.leaf = RawMove::NONE,
                }
            }
            FaultKind::IllegalMove { .. } | FaultKind::ScoreWithoutMove { .. } => {
                self.leaf = RawMove::NONE;
            }
            FaultKind::OutOfRange { .. } => {
                // The score of no leaf is the value of no move.
                let moves = self.links.iter().chain([&self.leaf]);
                let best = moves.map(|mv| i16::from(mv.score)).max();
                match self.links.iter_mut().find(|link| !is_score(link.score)) {
                    // It is recomputed from the child.
                    Some(link) => link.score = 0,
                    None if self.leaf != RawMove::NONE && !is_score(self.leaf.score) => {
                        self.leaf = RawMove::NONE;
                    }
                    None if self.lower == i16::MIN => self.lower = -i16::MAX,
                    None if self.upper == i16::MIN => self.upper = -i16::MAX,
                    None => self.value = best.unwrap_or(NO_VALUE),
                }
            }
            _ => return false,
        }
        true
    }

    /// Requires everything except the leaf's own level.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        let board = position.board.board();
        let level = need(board, "the level", position.level)?;
        let bounds = need(board, "bounds", position.bounds)?;
        let outcomes = need(board, "the number of wins", position.outcomes)?;
        let mut links = SmallVec::new();
        for link in &position.links {
            let score = need(board, "a link's score", link.score)?;
            links.push(RawMove {
                score: check::score(board, "a link's score", score)?,
                code: link.mv.code(),
            });
        }
        let lines = need(board, "the number of lines", position.lines)?;
        let value = need(board, "the value", position.value)?;
        Ok(Record {
            player: board.player(),
            opponent: board.opponent(),
            wins: outcomes.wins,
            draws: outcomes.draws,
            losses: outcomes.losses,
            lines,
            value: check::score(board, "the value", value)?,
            lower: check::bound(board, "the lower bound", bounds.lower)?,
            upper: check::bound(board, "the upper bound", bounds.upper)?,
            level,
            links,
            leaf: raw_leaf(position, level)?,
        })
    }
}

/// The length of a position with this number of links.
fn record_len(links: usize) -> usize {
    FIXED_LEN + MOVE_LEN * (links + 1)
}

/// Checks the leaf of a position at `level`: Edax stores one level for both.
pub(crate) fn check_leaf(
    checker: &mut Checker,
    raw: RawMove,
    level: u8,
) -> Result<Option<Leaf>, Fault> {
    let mv = match raw.code {
        NO_MOVE if raw == RawMove::NONE => return Ok(None),
        NO_MOVE if checker.board.is_over() => None,
        NO_MOVE => {
            let score = raw.score.into();
            return Err(fault(checker.board, FaultKind::ScoreWithoutMove { score }));
        }
        code => Some(checker.mv(code, MoveOf::Leaf)?),
    };
    Ok(Some(Leaf {
        mv,
        score: check::score(checker.board, "the leaf's score", raw.score)?,
        level: Some(level),
        engine: Engine::Edax,
    }))
}

/// The leaf as Edax writes it. It must have the position's level.
pub(crate) fn raw_leaf(position: &Position, level: u8) -> Result<RawMove, Fault> {
    let board = position.board.board();
    let Some(leaf) = position.leaf else {
        return Ok(RawMove::NONE);
    };
    if let Some(own) = leaf.level.filter(|own| *own != level) {
        let kind = FaultKind::LeafLevel {
            leaf: own,
            position: level,
        };
        return Err(fault(board, kind));
    }
    Ok(RawMove {
        score: check::score(board, "the leaf's score", leaf.score)?,
        code: leaf.mv.map_or(NO_MOVE, |mv| mv.code()),
    })
}
