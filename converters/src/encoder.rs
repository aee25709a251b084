//! Making bytes of positions away from the writer, so that all cores can.

use crate::record::BookRecord;
use crate::{Error, Format, edax, edax_text, egbk, egbk2, egbk3};
use obook_model::Position;

/// Makes bytes of positions for a [`BookWriter`](crate::BookWriter), whose
/// [`encoder`](crate::BookWriter::encoder) makes it. Threads can share it.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// Appends the record of one position, which has this number in the book.
    append: fn(&Position, u64, &mut Vec<u8>) -> Result<(), Error>,
    name: Option<String>,
}

/// Positions that follow each other in a book, ready to be written.
#[derive(Clone, Debug, Default)]
pub struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: u64,
}

impl Encoder {
    pub(crate) fn new(format: Format, name: Option<&str>) -> Encoder {
        Encoder {
            append: match format {
                Format::Edax => append::<edax::Record>,
                Format::EdaxText => append::<edax_text::Record>,
                Format::Egbk3 => append::<egbk3::Record>,
                Format::Egbk2 => append::<egbk2::Record>,
                Format::Egbk => append::<egbk::Record>,
            },
            name: name.map(str::to_owned),
        }
    }

    /// The bytes of positions; `before` positions of the book come before them.
    ///
    /// # Errors
    /// A position lacks what the format needs.
    pub fn encode(
        &self,
        before: u64,
        positions: impl IntoIterator<Item = Position>,
    ) -> Result<Encoded, Error> {
        let mut encoded = Encoded::default();
        for position in positions {
            encoded.records += 1;
            let number = before + encoded.records;
            (self.append)(&position, number, &mut encoded.bytes)
                .map_err(|error| error.named(self.name.as_deref()))?;
        }
        Ok(encoded)
    }
}

/// The record of the position with this number in the book.
pub(crate) fn record<T: BookRecord>(position: &Position, number: u64) -> Result<T, Error> {
    T::from_position(position).map_err(|fault| Error::new(fault).in_record(number))
}

fn append<T: BookRecord>(position: &Position, number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
    record::<T>(position, number)?
        .encode(T::Layout::default(), out)
        .map_err(|kind| Error::new(kind).in_record(number))
}
