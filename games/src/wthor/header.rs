//! The 16 bytes that begin each of the three files.

use crate::{Date, ErrorKind};

/// What the header of a WTHOR file says, as it stands there.
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
    /// Century, year of the century, month and day on which the file was made.
    pub made: [u8; 4],
    /// How many games follow; 0 in a file of names.
    pub games: u32,
    /// How many names follow; 0 in a file of games.
    pub names: u16,
    /// In which year the games were played.
    pub year: u16,
    /// 8, or 0 which means the same; 10 for a larger board.
    pub board_size: u8,
    /// 0 for games, 1 for solitaires.
    pub kind: u8,
    /// From how many empty squares on the theoretical scores are those of best play.
    pub depth: u8,
    /// Not used.
    pub reserved: u8,
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 16;

    /// The most empty squares that theoretical scores can be for: those of the start position.
    pub const DEEPEST: u8 = 60;

    /// Reads a header, whatever stands in it.
    #[must_use]
    pub fn decode(bytes: &[u8; Header::LEN]) -> Header {
        let [
            a,
            b,
            c,
            d,
            g0,
            g1,
            g2,
            g3,
            n0,
            n1,
            y0,
            y1,
            board_size,
            kind,
            depth,
            reserved,
        ] = *bytes;
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

    /// The same 16 bytes again.
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

    /// The day on which the file was made; unknown where the header has none.
    #[must_use]
    pub fn date(&self) -> Date {
        let [century, year, month, day] = self.made;
        let year = u16::from(century) * 100 + u16::from(year);
        Date::new(Some(year), Some(month), Some(day)).unwrap_or_default()
    }

    /// The four bytes of a day; zeros where it is not known whole.
    pub(crate) fn made_on(date: Date) -> [u8; 4] {
        match (date.year(), date.month(), date.day()) {
            (Some(year), Some(month), Some(day)) => {
                [(year / 100) as u8, (year % 100) as u8, month, day]
            }
            _ => [0; 4],
        }
    }

    /// Whether games of such a file can be read.
    pub(crate) fn check(&self) -> Result<(), ErrorKind> {
        let (field, found, expected) = match (self.board_size, self.depth) {
            (0 | 8, 0..=Header::DEEPEST) => return Ok(()),
            (0 | 8, depth) => ("the depth of the theoretical scores", depth, "60 at most"),
            (size, _) => (
                "the size of the board",
                size,
                "0 or 8, which both mean 8 × 8 squares",
            ),
        };
        Err(ErrorKind::Header {
            field,
            found: found.into(),
            expected,
        })
    }
}
