//! The header of 16 bytes at the start of each of the three files, which also tells them from other files.

use crate::wthor::{ListKind, square};
use crate::{Date, Error, ErrorKind};
use obook_othello::Board;
use std::io::Read;

/// The header of a WTHOR file.
///
/// ```
/// use obook_games::wthor::Header;
/// let bytes = [20, 5, 10, 8, 8, 0, 0, 0, 0, 0, 0xba, 7, 8, 0, 24, 0];
/// let header = Header::decode(&bytes);
/// assert_eq!((header.games, header.year, header.depth), (8, 1978, 24));
/// assert_eq!(header.date().to_string(), "2005-10-08");
/// assert_eq!(header.encode(), bytes);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The date on which the file was made: century, year of the century, month and day.
    pub made: [u8; 4],
    /// The number of games; 0 in a list of names.
    pub games: u32,
    /// The number of names; 0 in a file of games.
    pub names: u16,
    /// The year in which the games were played.
    pub year: u16,
    /// The size of the board: 8, also written 0, or 10.
    pub board_size: u8,
    /// 0 for games, 1 for solitaires.
    pub kind: u8,
    /// The number of empty squares from which the theoretical scores are those of best play.
    pub depth: u8,
    /// Unused.
    pub reserved: u8,
}

impl Header {
    /// The size of a header in bytes.
    pub const LEN: usize = 16;

    /// The maximum depth of theoretical scores: the empty squares of the start position.
    pub const DEEPEST: u8 = 60;

    /// Reads a header without checking it.
    #[must_use]
    pub fn decode(bytes: &[u8; Header::LEN]) -> Header {
        let [a, b, c, d, g0, g1, g2, g3, ..] = *bytes;
        let [.., n0, n1, y0, y1, board_size, kind, depth, reserved] = *bytes;
        Header {
            made: [a, b, c, d],
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            names: u16::from_le_bytes([n0, n1]),
            year: u16::from_le_bytes([y0, y1]),
            board_size,
            kind,
            depth,
            reserved,
        }
    }

    /// Reads the header at the beginning of a file, without checking it.
    pub(crate) fn read(input: &mut impl Read) -> Result<Header, Error> {
        let mut bytes = Vec::with_capacity(Header::LEN);
        let mut input = input.by_ref().take(Header::LEN as u64);
        input.read_to_end(&mut bytes)?;
        match bytes[..].as_array() {
            Some(header) => Ok(Header::decode(header)),
            None => Err(Error::cut_off(bytes.len(), Header::LEN)),
        }
    }

    /// Writes the header.
    #[must_use]
    pub fn encode(&self) -> [u8; Header::LEN] {
        let mut bytes = [0; Header::LEN];
        bytes[..4].copy_from_slice(&self.made);
        bytes[4..8].copy_from_slice(&self.games.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.names.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.year.to_le_bytes());
        bytes[12..].copy_from_slice(&[self.board_size, self.kind, self.depth, self.reserved]);
        bytes
    }

    /// The date on which the file was made, if known.
    #[must_use]
    pub fn date(&self) -> Date {
        let [century, year, month, day] = self.made;
        let year = u16::from(century) * 100 + u16::from(year);
        Date::new(Some(year), Some(month), Some(day)).unwrap_or_default()
    }

    /// The four bytes of a date, or zeros if it is not completely known.
    pub(crate) fn made_on(date: Date) -> [u8; 4] {
        match (date.year(), date.month(), date.day()) {
            (Some(year), Some(month), Some(day)) => {
                [(year / 100) as u8, (year % 100) as u8, month, day]
            }
            _ => [0; 4],
        }
    }

    /// The header, if games can be read from such a file.
    pub(crate) fn checked(self) -> Result<Header, Error> {
        let (field, found, expected) = match (self.board_size, self.depth) {
            (0 | 8, 0..=Header::DEEPEST) => return Ok(self),
            (0 | 8, depth) => ("the depth of the theoretical scores", depth, "at most 60"),
            (size, _) => (
                "the size of the board",
                size,
                "0 or 8, both for 8 × 8 squares",
            ),
        };
        Err(Error::new(ErrorKind::Header {
            field,
            found: found.into(),
            expected,
        }))
    }
}

/// Whether this is the head of a `.wtb` file.
pub(crate) fn is_games(head: &[u8]) -> bool {
    let Some((header, records)) = split(head) else {
        return false;
    };
    match records.get(8) {
        Some(first) => header.games > 0 && header.names == 0 && (*first == 0 || opens(*first)),
        None => header.games == 0 && header.names == 0 && header.year > 0 && records.is_empty(),
    }
}

/// The kind of a list of names with this head, or `None` if it is not one.
pub(crate) fn names_of(head: &[u8]) -> Option<ListKind> {
    let (header, records) = split(head)?;
    let is_list = |kind: &ListKind| {
        let names = records.chunks_exact(kind.width());
        let mut names = names.take(header.names.into()).peekable();
        header.games == 0
            && names.peek().is_some()
            && names.all(|name| name[0] >= b' ' && name.ends_with(&[0]))
    };
    ListKind::ALL.into_iter().find(is_list)
}

/// Splits off the header, if it looks like one. There is no magic number, but the date and the size of the board are telling.
fn split(head: &[u8]) -> Option<(Header, &[u8])> {
    let (header, records) = head.split_first_chunk()?;
    let header = Header::decode(header);
    let [_, year, month, day] = header.made;
    let is_day = header.made == [0; 4]
        || (year <= 99 && (1..=12).contains(&month) && (1..=31).contains(&day));
    let is_likely = is_day
        && [0, 8, 10].contains(&header.board_size)
        && header.kind <= 1
        && header.depth <= Header::DEEPEST;
    is_likely.then_some((header, records))
}

/// Whether this is the code of a legal first move.
fn opens(code: u8) -> bool {
    square(code).is_some_and(|square| Board::START.legal_moves().contains(square))
}
