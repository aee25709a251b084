//! What a format has to know to be read and written; reading and writing themselves are the same for all.

use crate::{ErrorKind, Fault, Format, Header};
use obook_model::Position;
use std::fmt::Debug;

/// A position exactly as one of the formats has it on disk. [`Reader`](crate::Reader) and [`Writer`](crate::Writer)
/// are the same for all of them.
///
/// Two layers: a record holds whatever the bytes say, [`check`](BookRecord::check) makes a [`Position`] of it or says
/// what is wrong.
pub trait BookRecord: Clone + PartialEq + Debug + Send + Sized + 'static {
    /// The format.
    const FORMAT: Format;
    /// Bytes of the header.
    const HEADER_LEN: usize;
    /// The most bytes that a record may have.
    const MAX_LEN: usize;
    /// The header, exactly as on disk.
    type Header: BookHeader;
    /// What has to be found out by looking at the records before the first can be read.
    type Layout: RecordLayout;

    /// The record at the start of `bytes` and its length. `bytes` holds [`MAX_LEN`](BookRecord::MAX_LEN) bytes unless
    /// the input ends before.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] where `bytes` ends too early, or what is wrong with the structure.
    fn decode(bytes: &[u8], layout: Self::Layout) -> Result<(Self, usize), ErrorKind>;

    /// Appends the record's bytes.
    ///
    /// # Errors
    /// Where a number does not fit.
    fn encode(&self, layout: Self::Layout, out: &mut Vec<u8>) -> Result<(), ErrorKind>;

    /// Bytes of the record at the start of `bytes`, which are as many as for [`decode`](BookRecord::decode). Where
    /// the bytes of a record say how many they are, it can be found without reading all of them.
    ///
    /// # Errors
    /// As [`decode`](BookRecord::decode).
    fn len(bytes: &[u8], layout: Self::Layout) -> Result<usize, ErrorKind> {
        Self::decode(bytes, layout).map(|(_, len)| len)
    }

    /// The discs of the side to move and of the other, as the record has them.
    fn discs(&self) -> (u64, u64);

    /// The position, on its canonical board, moves turned along.
    ///
    /// # Errors
    /// What makes it no position.
    fn check(&self) -> Result<Position, Fault>;

    /// The record of `position`. What the format lacks is left out: that is for the caller to know.
    ///
    /// # Errors
    /// [`FaultKind::Missing`](crate::FaultKind::Missing) where the format demands what the position lacks,
    /// [`FaultKind::OutOfRange`](crate::FaultKind::OutOfRange) where a number does not fit.
    fn from_position(position: &Position) -> Result<Self, Fault>;
}

/// A format's header, exactly as on disk.
pub trait BookHeader: Clone + PartialEq + Debug + Send + 'static {
    /// The header in `bytes`, which are as many as it needs unless the input ends before.
    ///
    /// # Errors
    /// Too few bytes, a wrong magic or version.
    fn decode(bytes: &[u8]) -> Result<Self, ErrorKind>;

    /// Appends the header's bytes.
    fn encode(&self, out: &mut Vec<u8>);

    /// What it says, in the words of all formats.
    fn neutral(&self) -> Header;

    /// The header that says the same; fields that the format lacks are left out.
    ///
    /// # Errors
    /// A field that the format demands is missing, or a number does not fit.
    fn from_neutral(header: &Header) -> Result<Self, ErrorKind>;

    /// How many positions the file should hold; `None` where the format has no count.
    fn promised(&self) -> Option<i64>;
}

/// What has to be found out by looking at the records before the first can be read; `()` where there is nothing.
pub trait RecordLayout: Copy + PartialEq + Debug + Send + Sync + Default + 'static {
    /// Decides on the records in `bytes`; `None` asks for more bytes, unless `at_end`.
    fn decide(bytes: &[u8], at_end: bool) -> Option<Self>;
}

impl RecordLayout for () {
    fn decide(_: &[u8], _: bool) -> Option<()> {
        Some(())
    }
}
