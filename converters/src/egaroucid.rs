//! Common parts of Egaroucid's formats.

use crate::check::{out_of_range, score};
use crate::reader::Fields;
use crate::record::BookHeader;
use crate::{ErrorKind, Fault, Format};
use obook_othello::Board;

/// The magic of `.egbk2` and `.egbk3`: the engine's name backwards.
pub(crate) const EGAROUCID_MAGIC: &str = "DICUORAGE";
/// An unknown value.
pub(crate) const UNDEFINED_VALUE: i8 = -126;
/// An unknown move.
pub(crate) const UNDEFINED_MOVE: u8 = 125;
/// An unknown level.
pub(crate) const UNDEFINED_LEVEL: i8 = -1;
/// In place of a leaf's move: no legal move leads out of the book.
pub(crate) const ALL_MOVES_IN_BOOK: u8 = 65;

/// Whether a file begins with the magic and this version.
pub(crate) fn begins(head: &[u8], version: u8) -> bool {
    let rest = head.strip_prefix(EGAROUCID_MAGIC.as_bytes());
    rest.is_some_and(|rest| rest.first() == Some(&version))
}

/// The header of Egaroucid's formats without magic and version, which are checked when read. Version 1, `.egbk`, has neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header<const VERSION: u8> {
    /// The stated number of positions.
    pub count: i32,
}

impl<const VERSION: u8> Header<VERSION> {
    const FORMAT: Format = match VERSION {
        1 => Format::Egbk,
        2 => Format::Egbk2,
        _ => Format::Egbk3,
    };
    const HAS_MAGIC: bool = VERSION > 1;
    /// Its length in bytes.
    pub(crate) const LEN: usize = if Self::HAS_MAGIC { 14 } else { 4 };
}

impl<const VERSION: u8> BookHeader for Header<VERSION> {
    fn decode(bytes: &[u8]) -> Result<Self, ErrorKind> {
        let fields = match Self::HAS_MAGIC {
            true => Fields::after_version(bytes, Self::LEN, Self::FORMAT, EGAROUCID_MAGIC, VERSION),
            false => Fields::new(bytes, Self::LEN),
        };
        let count = fields?.i32();
        Ok(Header { count })
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if Self::HAS_MAGIC {
            out.extend_from_slice(EGAROUCID_MAGIC.as_bytes());
            out.push(VERSION);
        }
        out.extend_from_slice(&self.count.to_le_bytes());
    }

    fn neutral(&self) -> crate::Header {
        crate::Header {
            version: Self::HAS_MAGIC.then_some(VERSION),
            count: Some(self.count.into()),
            ..crate::Header::default()
        }
    }

    fn from_neutral(header: &crate::Header) -> Result<Self, ErrorKind> {
        count_of(Self::FORMAT, header).map(|count| Header { count })
    }
}

/// The count for a header that stores it as an `i32`.
pub(crate) fn count_of(format: Format, header: &crate::Header) -> Result<i32, ErrorKind> {
    let field = "the number of positions";
    let missing = ErrorKind::HeaderMissing { format, field };
    as_count(format, header.count.ok_or(missing)?)
}

/// A number of positions that a header stores as an `i32`.
pub(crate) fn as_count(format: Format, found: i64) -> Result<i32, ErrorKind> {
    let count = i32::try_from(found).ok().filter(|count| *count >= 0);
    count.ok_or(ErrorKind::HeaderRange {
        format,
        field: "the number of positions",
        found,
        min: 0,
        max: i32::MAX.into(),
    })
}

/// A number of links, which fits in a byte: more mean damage.
#[inline]
pub(crate) fn as_link_count(found: u64) -> Result<u8, ErrorKind> {
    let max = u8::MAX.into();
    u8::try_from(found).map_err(|_| ErrorKind::LinkCount { found, max })
}

/// Checks a value; `None` if it's undefined.
pub(crate) fn value(board: Board, field: &'static str, raw: i8) -> Result<Option<i8>, Fault> {
    match raw {
        UNDEFINED_VALUE => Ok(None),
        _ => score(board, field, raw).map(Some),
    }
}

/// Checks a level; `None` if it's undefined.
pub(crate) fn level(board: Board, field: &'static str, raw: i8) -> Result<Option<u8>, Fault> {
    match raw {
        UNDEFINED_LEVEL => Ok(None),
        _ => u8::try_from(raw)
            .map(Some)
            .map_err(|_| out_of_range(board, field, raw.into(), -1, i8::MAX.into())),
    }
}

pub(crate) fn raw_value(
    board: Board,
    field: &'static str,
    value: Option<i16>,
) -> Result<i8, Fault> {
    value.map_or(Ok(UNDEFINED_VALUE), |value| {
        Ok(score(board, field, value)? as i8)
    })
}

pub(crate) fn raw_level(board: Board, field: &'static str, level: Option<u8>) -> Result<i8, Fault> {
    level.map_or(Ok(UNDEFINED_LEVEL), |level| {
        let (min, max) = (i8::MIN.into(), i8::MAX.into());
        i8::try_from(level).map_err(|_| out_of_range(board, field, level.into(), min, max))
    })
}
