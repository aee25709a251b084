//! Egaroucid `.egbk2`, Egaroucid 6.3 to 6.5.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | 9 bytes | `DICUORAGE`, the engine's name backwards |
//! | 9 | u8 | version, 2 |
//! | 10 | i32 | number of positions |
//!
//! The positions follow:
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0, 8 | u64, u64 | player, opponent |
//! | 16, 17 | i8, i8 | value, level |
//! | 18 | u8 | number of links n |
//! | 19 | n × (i8, u8) | links: value for the side to move, move |
//!
//! According to the documentation the number of links has 4 bytes. No release wrote that, but it's supported too: only one of
//! the two layouts ([`LinkCount`]) parses a file to its exact end.

use crate::book_reader::Opened;
use crate::check::{Checker, could_be_board, is_score};
use crate::egaroucid::{self, UNDEFINED_LEVEL, UNDEFINED_VALUE};
use crate::reader::Fields;
use crate::record::{BookRecord, RecordLayout};
use crate::row::{Bytes, Form, Holds, Row, Source, StoredLinks, Written};
use crate::{Error, ErrorKind, Fault, FaultKind, Format, MoveOf, reader, writer};
use obook_base::Budget;
use obook_othello::{Engine, Link, Links, Position};
use smallvec::SmallVec;

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "egbk2",
    endings: &["egbk2"],
    program: "Egaroucid 6.3 to 6.5",
    begins: "DICUORAGE 2",
    engine: Engine::Egaroucid,
    holds: Holds {
        values: true,
        levels: true,
        links: StoredLinks::WithoutPasses,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(|head| egaroucid::begins(head, VERSION)),
        guess: None,
        open,
    },
    writer: Some(Written::records::<Record>(Form::Egaroucid)),
};

fn open(input: Bytes, name: &str, _: Budget) -> Result<Opened, Error> {
    let reader = Reader::named(input, name)?;
    let link_count = Some(reader.layout());
    Ok(Opened {
        link_count,
        ..Opened::of(reader)
    })
}

/// Reads `.egbk2`.
pub type Reader<R> = reader::Reader<R, Record>;
/// Writes `.egbk2`.
pub type Writer<W> = writer::Writer<W, Record>;

/// The version in the header.
pub const VERSION: u8 = 2;

/// The length of a position before its link count.
const FIXED_LEN: usize = 18;
/// The length of a link.
const LINK_LEN: usize = 2;

/// The size of a file's link counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LinkCount {
    /// One byte, as in every release.
    #[default]
    OneByte = 1,
    /// Four bytes, as documented.
    FourBytes = 4,
}

/// The header without magic and version, which are checked when read.
pub type Header = egaroucid::Header<VERSION>;

/// A link as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawLink {
    /// The value for the side to move.
    pub value: i8,
    /// The move: 0–63, 64 for a pass.
    pub code: u8,
}

/// A position as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// The value for the side to move, in discs; −126 if undefined.
    pub value: i8,
    /// The level of the value; −1 if undefined.
    pub level: i8,
    /// The moves to other positions of the book, at most 255.
    pub links: SmallVec<[RawLink; 8]>,
}

impl LinkCount {
    /// The size of a link count in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self as usize
    }
}

impl RecordLayout for LinkCount {
    /// Walks the records in both layouts until one meets something impossible, or an unexpected end of the file. If both fail,
    /// the layout that got further wins, so that a damaged file is read up to the damage.
    fn decide(bytes: &[u8], at_end: bool) -> Option<LinkCount> {
        let fails = |layout| fails_after(bytes, at_end, layout);
        match (fails(LinkCount::OneByte), fails(LinkCount::FourBytes)) {
            (None, None) if !at_end => None,
            (Some(one), four) if four.is_none_or(|four| four > one) => Some(LinkCount::FourBytes),
            _ => Some(LinkCount::OneByte),
        }
    }
}

/// The number of bytes after which something implausible comes; `None` if all records are plausible, up to the end of the bytes.
fn fails_after(bytes: &[u8], at_end: bool, layout: LinkCount) -> Option<usize> {
    let is_plausible = |it: &Record| {
        could_be_board(it.player, it.opponent) && it.links.iter().all(|link| link.code <= 64)
    };
    let mut after = 0;
    while after < bytes.len() {
        match Record::decode(&bytes[after..], layout) {
            Ok((record, len)) if is_plausible(&record) => after += len,
            Err(ErrorKind::Truncated { .. }) if !at_end => return None,
            _ => return Some(after),
        }
    }
    None
}

impl BookRecord for Record {
    const FORMAT: Format = Format::Egbk2;
    const HEADER_LEN: usize = Header::LEN;
    const MAX_LEN: usize = FIXED_LEN + 4 + LINK_LEN * u8::MAX as usize;
    type Header = Header;
    type Layout = LinkCount;

    #[inline]
    fn decode(bytes: &[u8], layout: LinkCount) -> Result<(Record, usize), ErrorKind> {
        let links_at = FIXED_LEN + layout.bytes();
        let mut fields = Fields::new(bytes, links_at)?;
        let mut record = Record {
            player: fields.u64(),
            opponent: fields.u64(),
            value: fields.i8(),
            level: fields.i8(),
            links: SmallVec::new(),
        };
        let links = match layout {
            LinkCount::OneByte => fields.u8().into(),
            LinkCount::FourBytes => fields.u32(),
        };
        let links = usize::from(egaroucid::as_link_count(links.into())?);
        let len = links_at + LINK_LEN * links;
        let mut fields = Fields::new(bytes, len)?;
        fields.skip(links_at);
        record.links.extend((0..links).map(|_| RawLink {
            value: fields.i8(),
            code: fields.u8(),
        }));
        Ok((record, len))
    }

    #[inline]
    fn encode(&self, layout: LinkCount, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let links = egaroucid::as_link_count(self.links.len() as u64)?;
        out.extend_from_slice(&self.player.to_le_bytes());
        out.extend_from_slice(&self.opponent.to_le_bytes());
        out.extend_from_slice(&[self.value.cast_unsigned(), self.level.cast_unsigned()]);
        out.extend_from_slice(&u32::from(links).to_le_bytes()[..layout.bytes()]);
        for link in &self.links {
            out.extend_from_slice(&[link.value.cast_unsigned(), link.code]);
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
            let mv = checker.mv(link.code, MoveOf::Link(number))?;
            let score = egaroucid::value(checker.board, "a link's value", link.value)?;
            links.push(Link { mv, score });
        }
        Ok(Position {
            value: egaroucid::value(checker.board, "the value", self.value)?.map(i16::from),
            level: egaroucid::level(checker.board, "the level", self.level)?,
            links,
            ..Position::new(checker.canonical, Engine::Egaroucid)
        })
    }

    fn mend(&mut self, fault: &FaultKind) -> bool {
        let is_value = |value: i8| is_score(value) || value == UNDEFINED_VALUE;
        match fault {
            FaultKind::IllegalMove {
                of: MoveOf::Link(number),
                ..
            } => drop(self.links.remove(usize::from(*number) - 1)),
            FaultKind::DuplicateMove { code } => {
                let last = self.links.iter().rposition(|link| link.code == *code);
                last.map(|last| self.links.remove(last));
            }
            FaultKind::OutOfRange { .. } => {
                match self.links.iter_mut().find(|link| !is_value(link.value)) {
                    Some(link) => link.value = UNDEFINED_VALUE,
                    None if !is_value(self.value) => self.value = UNDEFINED_VALUE,
                    None => self.level = UNDEFINED_LEVEL,
                }
            }
            _ => return false,
        }
        true
    }

    /// The format has no bounds, outcomes, lines or leaves.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        let board = position.board.board();
        let link = |link: &Link| {
            let score = link.score.map(i16::from);
            let value = egaroucid::raw_value(board, "a link's value", score)?;
            let code = link.mv.code();
            Ok(RawLink { value, code })
        };
        let links = position.links.iter().map(link);
        let links = links.collect::<Result<_, Fault>>()?;
        Ok(Record {
            player: board.player(),
            opponent: board.opponent(),
            value: egaroucid::raw_value(board, "the value", position.value)?,
            level: egaroucid::raw_level(board, "the level", position.level)?,
            links,
        })
    }
}
