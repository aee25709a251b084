//! The part of reading and writing that differs between formats. The rest is the same for all.

use crate::{ErrorKind, Fault, FaultKind, Format, Header};
use obook_othello::Position;
use std::fmt::Debug;

/// A position exactly as one of the formats stores it. [`Reader`](crate::Reader) and [`Writer`](crate::Writer) work with any
/// of them.
///
/// A record contains whatever the bytes say. [`check`](BookRecord::check) turns it into a [`Position`] or says what's wrong.
pub trait BookRecord: Clone + PartialEq + Debug + Send + Sync + Sized + 'static {
    /// The format.
    const FORMAT: Format;
    /// The length of the header in bytes, as it is written.
    const HEADER_LEN: usize;
    /// The maximum length of a record in bytes.
    const MAX_LEN: usize;
    /// The header, exactly as on disk.
    type Header: BookHeader;
    /// Facts about the whole file that reading its first record requires.
    type Layout: RecordLayout;

    /// Decodes the record at the start of `bytes` and returns it with its length. `bytes` has [`MAX_LEN`](BookRecord::MAX_LEN)
    /// bytes unless the input ends before.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if `bytes` ends too early, or another error if the structure is damaged.
    fn decode(bytes: &[u8], layout: Self::Layout) -> Result<(Self, usize), ErrorKind>;

    /// Appends the record's bytes.
    ///
    /// # Errors
    /// Returns an error if a number doesn't fit.
    fn encode(&self, layout: Self::Layout, out: &mut Vec<u8>) -> Result<(), ErrorKind>;

    /// Returns the length of the record at the start of `bytes`, which are as for [`decode`](BookRecord::decode). Formats whose
    /// records contain their length needn't decode them.
    ///
    /// # Errors
    /// Returns the same errors as [`decode`](BookRecord::decode).
    fn len(bytes: &[u8], layout: Self::Layout) -> Result<usize, ErrorKind> {
        Self::decode(bytes, layout).map(|(_, len)| len)
    }

    /// The discs of the side to move and of the other side, as stored.
    fn discs(&self) -> (u64, u64);

    /// The length of the header at the start of `bytes`: [`HEADER_LEN`](BookRecord::HEADER_LEN) unless the format leaves it open.
    fn header_len(bytes: &[u8]) -> usize {
        let _ = bytes;
        Self::HEADER_LEN
    }

    /// Turns the record into a position on its canonical board.
    ///
    /// # Errors
    /// Returns a [`Fault`] if the position is impossible.
    fn check(&self) -> Result<Position, Fault>;

    /// Removes what a fault of this record names, so that the rest can be checked again. Returns `false` if nothing would be left.
    fn mend(&mut self, fault: &FaultKind) -> bool {
        let _ = fault;
        false
    }

    /// Turns a position into a record, silently dropping anything the format lacks.
    ///
    /// # Errors
    /// Returns [`FaultKind::Missing`](crate::FaultKind::Missing) if the position lacks something that the format requires, or
    /// [`FaultKind::OutOfRange`](crate::FaultKind::OutOfRange) if a number doesn't fit.
    fn from_position(position: &Position) -> Result<Self, Fault>;
}

/// A format's header, exactly as on disk.
pub trait BookHeader: Clone + PartialEq + Debug + Send + 'static {
    /// Decodes the header from `bytes`, which has as many bytes as needed unless the input ends before.
    ///
    /// # Errors
    /// Returns an error if there are too few bytes, or a wrong magic or version.
    fn decode(bytes: &[u8]) -> Result<Self, ErrorKind>;

    /// Appends the header's bytes.
    fn encode(&self, out: &mut Vec<u8>);

    /// Converts it to the common header, which is empty unless the format has one.
    fn neutral(&self) -> Header {
        Header::default()
    }

    /// Converts the common header, silently dropping fields that the format lacks.
    ///
    /// # Errors
    /// Returns an error if a required field is missing or a number doesn't fit.
    fn from_neutral(header: &Header) -> Result<Self, ErrorKind>;

    /// The number of positions according to the header; `None` if the format has no count.
    fn promised(&self) -> Option<i64> {
        self.neutral().count
    }
}

/// Facts about the whole file that reading its first record requires; `()` if there are none.
pub trait RecordLayout: Copy + PartialEq + Debug + Send + Sync + Default + 'static {
    /// Decides from the records in `bytes`. Returns `None` to ask for more bytes, but not if `at_end`.
    fn decide(bytes: &[u8], at_end: bool) -> Option<Self>;
}

impl RecordLayout for () {
    fn decide(_: &[u8], _: bool) -> Option<()> {
        Some(())
    }
}
