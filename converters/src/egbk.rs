//! Egaroucid `.egbk`, up to Egaroucid 6.2.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | i32 | number of positions n |
//!
//! Each position has 17 bytes, so the size is 4 + 17 n. The format has no magic.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0, 8 | u64, u64 | player, opponent |
//! | 16 | u8 | 64 − value for the side to move |
//!
//! The file stores the value for the side that has just moved, plus 64. Most boards in such files aren't canonical.

use crate::book_reader::open_records;
use crate::check::{Checker, could_be_board, need, score};
use crate::reader::Fields;
use crate::record::BookRecord;
use crate::row::{Form, Holds, Row, Source, Written};
use crate::{ErrorKind, Fault, Format, egaroucid, ntest, reader, writer};
use obook_othello::{Engine, Position};

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "egbk",
    endings: &["egbk"],
    program: "Egaroucid up to 6.2",
    begins: "a count n, in a file of 4 + 17 n bytes",
    engine: Engine::Egaroucid,
    holds: Holds {
        values: true,
        canonical: false,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: None,
        guess: Some(begins),
        open: open_records::<Record>,
    },
    writer: Some(Written::records::<Record>(Form::Egaroucid)),
};

/// Whether the length follows from the count, as far as it is known, and the boards could be boards.
fn begins(head: &[u8], total_len: Option<u64>) -> bool {
    let Some((count, records)) = head.split_first_chunk() else {
        return false;
    };
    let Ok(count) = u64::try_from(i32::from_le_bytes(*count)) else {
        return false;
    };
    if total_len.is_some_and(|len| len != Header::LEN as u64 + LEN as u64 * count) {
        return false;
    }
    let mut boards = records.chunks_exact(LEN).take(count as usize);
    // Without a size and without a board there is no evidence for the format, and two positions may be a book of NTest.
    (total_len.is_some() || boards.len() > 0 && !ntest::begins(head))
        && boards.all(|record| {
            let (board, _) = record.split_first_chunk::<16>().expect("17 bytes");
            let both = u128::from_le_bytes(*board);
            could_be_board(both as u64, (both >> 64) as u64)
        })
}

/// Reads `.egbk`.
pub type Reader<R> = reader::Reader<R, Record>;
/// Writes `.egbk`.
pub type Writer<W> = writer::Writer<W, Record>;

/// The length of a position in bytes.
const LEN: usize = 17;
/// The number added to the value for the side that has just moved.
const OFFSET: i16 = 64;

/// The header: a count.
pub type Header = egaroucid::Header<1>;

/// A position as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// 64 − value for the side to move, 0–128.
    pub raw: u8,
}

impl BookRecord for Record {
    const FORMAT: Format = Format::Egbk;
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
            raw: fields.u8(),
        };
        Ok((record, LEN))
    }

    #[inline]
    fn encode(&self, (): (), out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        out.extend_from_slice(&self.player.to_le_bytes());
        out.extend_from_slice(&self.opponent.to_le_bytes());
        out.push(self.raw);
        Ok(())
    }

    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    fn check(&self) -> Result<Position, Fault> {
        let checker = Checker::new(self.player, self.opponent)?;
        let value = score(checker.board, "the value", OFFSET - i16::from(self.raw))?;
        Ok(Position {
            value: Some(value),
            ..Position::new(checker.canonical, Engine::Egaroucid)
        })
    }

    /// Stores only the value, which is required.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        let board = position.board.board();
        let value = need(board, "the value", position.value)?;
        let value = score(board, "the value", value)?;
        Ok(Record {
            player: board.player(),
            opponent: board.opponent(),
            raw: (OFFSET - value) as u8,
        })
    }
}
