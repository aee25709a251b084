//! Egaroucid `.egbk3`, the current format of Egaroucid.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | 9 bytes | `DICUORAGE`, the engine's name backwards |
//! | 9 | u8 | version, 3 |
//! | 10 | i32 | number of positions |
//!
//! Each position has 25 bytes:
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0, 8 | u64, u64 | player, opponent |
//! | 16 | i8 | value, −126 undefined |
//! | 17 | i8 | level, −1 undefined, 70 entered by a person |
//! | 18 | u32 | lines, including the position itself |
//! | 22 | i8 | leaf value, −126 undefined |
//! | 23 | u8 | leaf move; 65 if no legal move leads out of the book, 125 if one does but hasn't been searched |
//! | 24 | i8 | leaf level, −1 undefined |
//!
//! Links aren't stored: every legal move whose child is in the book is one. There are no pass positions.

use crate::book_reader::open_records;
use crate::check::{self, Checker, is_about_moves, is_score};
use crate::egaroucid::{self, ALL_MOVES_IN_BOOK, UNDEFINED_LEVEL, UNDEFINED_MOVE, UNDEFINED_VALUE};
use crate::reader::Fields;
use crate::record::BookRecord;
use crate::row::{Form, Holds, Row, Source, Written};
use crate::{ErrorKind, Fault, FaultKind, Format, MoveOf, reader, writer};
use obook_othello::{Engine, Leaf, NoLeaf, Position};

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "egbk3",
    endings: &["egbk3"],
    program: "Egaroucid since 6.5",
    begins: "DICUORAGE 3",
    engine: Engine::Egaroucid,
    holds: Holds {
        values: true,
        levels: true,
        lines: true,
        leaves: true,
        missing_leaves: true,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(|head| egaroucid::begins(head, VERSION)),
        guess: None,
        open: open_records::<Record>,
    },
    writer: Some(Written::records::<Record>(Form::Egaroucid)),
};

/// Reads `.egbk3`.
pub type Reader<R> = reader::Reader<R, Record>;
/// Writes `.egbk3`.
pub type Writer<W> = writer::Writer<W, Record>;

/// The version in the header.
pub const VERSION: u8 = 3;

/// The length of a position in bytes.
const LEN: usize = 25;

/// The header without magic and version, which are checked when read.
pub type Header = egaroucid::Header<VERSION>;

/// A position as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// The value for the side to move, in discs; −126 if undefined.
    pub value: i8,
    /// The level of the value; −1 if undefined, 70 if entered by a person.
    pub level: i8,
    /// The number of lines below, counted by paths, including the position itself.
    pub lines: u32,
    /// The value of the leaf for the side to move; −126 if undefined.
    pub leaf_value: i8,
    /// The move of the leaf; 65 if no legal move leads out of the book, 125 if one does but hasn't been searched yet.
    pub leaf_move: u8,
    /// The level of the leaf; −1 if undefined.
    pub leaf_level: i8,
}

impl Default for Record {
    /// An empty board with everything undefined.
    fn default() -> Record {
        Record {
            player: 0,
            opponent: 0,
            value: UNDEFINED_VALUE,
            level: UNDEFINED_LEVEL,
            lines: 0,
            leaf_value: UNDEFINED_VALUE,
            leaf_move: UNDEFINED_MOVE,
            leaf_level: UNDEFINED_LEVEL,
        }
    }
}

impl BookRecord for Record {
    const FORMAT: Format = Format::Egbk3;
    const HEADER_LEN: usize = Header::LEN;
    const MAX_LEN: usize = LEN;
    type Header = Header;
    type Layout = ();

    #[inline]
    fn decode(bytes: &[u8], (): ()) -> Result<(Record, usize), ErrorKind> {
        let mut fields = Fields::new(bytes, LEN)?;
        let record = Record {
            player: fields.u64(),
            opponent: fields.u64(),
            value: fields.i8(),
            level: fields.i8(),
            lines: fields.u32(),
            leaf_value: fields.i8(),
            leaf_move: fields.u8(),
            leaf_level: fields.i8(),
        };
        Ok((record, LEN))
    }

    #[inline]
    fn encode(&self, (): (), out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        out.extend_from_slice(&self.player.to_le_bytes());
        out.extend_from_slice(&self.opponent.to_le_bytes());
        out.extend_from_slice(&self.value.to_le_bytes());
        out.extend_from_slice(&self.level.to_le_bytes());
        out.extend_from_slice(&self.lines.to_le_bytes());
        out.extend_from_slice(&self.leaf_value.to_le_bytes());
        out.extend_from_slice(&self.leaf_move.to_le_bytes());
        out.extend_from_slice(&self.leaf_level.to_le_bytes());
        Ok(())
    }

    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    /// There is a leaf if its value and its move are defined. The move must then be legal. A move without a value hasn't been
    /// searched.
    fn check(&self) -> Result<Position, Fault> {
        let mut checker = Checker::new(self.player, self.opponent)?;
        let leaf = match (self.leaf_value, self.leaf_move) {
            (_, ALL_MOVES_IN_BOOK) => Err(NoLeaf::AllMovesInBook),
            (UNDEFINED_VALUE, _) | (_, UNDEFINED_MOVE) => Err(NoLeaf::Undefined),
            (value, code) => Ok(Leaf {
                mv: Some(checker.mv(code, MoveOf::Leaf)?),
                score: check::score(checker.board, "the leaf's value", value)?,
                level: egaroucid::level(checker.board, "the leaf's level", self.leaf_level)?,
                engine: Engine::Egaroucid,
            }),
        };
        Ok(Position {
            value: egaroucid::value(checker.board, "the value", self.value)?.map(i16::from),
            level: egaroucid::level(checker.board, "the level", self.level)?,
            lines: Some(self.lines),
            leaf: leaf.ok(),
            no_leaf: leaf.err(),
            ..Position::new(checker.canonical, Engine::Egaroucid)
        })
    }

    fn mend(&mut self, fault: &FaultKind) -> bool {
        let out_of_range = matches!(fault, FaultKind::OutOfRange { .. });
        let has_leaf = self.leaf_value != UNDEFINED_VALUE && self.leaf_move <= 64;
        if has_leaf
            && out_of_range
            && is_score(self.leaf_value)
            && self.leaf_level < UNDEFINED_LEVEL
        {
            self.leaf_level = UNDEFINED_LEVEL;
        } else if has_leaf && !(out_of_range && is_score(self.leaf_value)) || self.leaf_move > 65 {
            self.leaf_value = UNDEFINED_VALUE;
            self.leaf_move = UNDEFINED_MOVE;
        } else if !is_score(self.value) && self.value != UNDEFINED_VALUE {
            self.value = UNDEFINED_VALUE;
        } else {
            self.level = UNDEFINED_LEVEL;
        }
        is_about_moves(fault)
    }

    /// The format has no bounds, outcomes or links, and unknown lines become 0. A leaf that is missing for no stated reason is
    /// undefined: Egaroucid will look for one. The other reason would keep it from ever doing so.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        let board = position.board.board();
        let mut record = Record::default();
        if let Some((leaf, mv)) = position.leaf.and_then(|leaf| Some((leaf, leaf.mv?))) {
            record.leaf_value = check::score(board, "the leaf's value", leaf.score)?;
            record.leaf_move = mv.code();
            record.leaf_level = egaroucid::raw_level(board, "the leaf's level", leaf.level)?;
        } else if position.leaf.is_some() || position.no_leaf == Some(NoLeaf::AllMovesInBook) {
            // The final score of a finished game is its value. There's no move for a leaf.
            record.leaf_move = ALL_MOVES_IN_BOOK;
        }
        Ok(Record {
            player: board.player(),
            opponent: board.opponent(),
            value: egaroucid::raw_value(board, "the value", position.value)?,
            level: egaroucid::raw_level(board, "the level", position.level)?,
            lines: position.lines.unwrap_or(0),
            ..record
        })
    }
}
