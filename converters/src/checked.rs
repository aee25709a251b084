//! Records of any format as checked positions, one by one or a batch at a time.

use crate::record::BookRecord;
use crate::{Error, Reader};
use obook_model::Position;
use std::io::Read;

/// Positions that follow each other in a file.
#[derive(Debug)]
pub struct Batch {
    /// Which position of the file the first is, from 1.
    pub first: u64,
    /// How many stood on a board that is not canonical, and were turned.
    pub turned: u64,
    /// The positions, with an error in the place of each that cannot be; damage to the file comes last.
    pub positions: Vec<Result<Position, Error>>,
}

impl IntoIterator for Batch {
    type Item = Result<Position, Error>;
    type IntoIter = std::vec::IntoIter<Result<Position, Error>>;

    fn into_iter(self) -> Self::IntoIter {
        self.positions.into_iter()
    }
}

/// Checks the records of a batch; sent to another thread.
pub(crate) type Job = Box<dyn FnOnce() -> Batch + Send>;

/// A reader of any format.
pub(crate) trait Positions: Send {
    /// The next position, and whether its board was turned.
    fn next_position(&mut self) -> Option<(Result<Position, Error>, bool)>;

    /// Reads up to `len` records, to be checked elsewhere; `None` when there are no more.
    fn next_batch(&mut self, len: usize) -> Option<Job>;
}

impl<R: Read + Send, T: BookRecord> Positions for Reader<R, T> {
    fn next_position(&mut self) -> Option<(Result<Position, Error>, bool)> {
        let offset = self.offset();
        match self.next()? {
            Ok(record) => Some(match check(&record) {
                Ok((position, turned)) => (Ok(position), turned),
                Err(error) => {
                    let error = error.at(Some(self.records()), offset).named(self.name());
                    (Err(error), false)
                }
            }),
            Err(error) => Some((Err(error), false)),
        }
    }

    fn next_batch(&mut self, len: usize) -> Option<Job> {
        let (before, mut offset) = (self.records(), self.offset());
        let (mut bytes, mut damage) = (Vec::new(), None);
        while self.records() - before < len as u64 {
            match self.next_raw(&mut bytes) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    damage = Some(error);
                    break;
                }
            }
        }
        let records = (self.records() - before) as usize;
        if records == 0 && damage.is_none() {
            return None;
        }
        let (first, layout) = (before + 1, self.layout());
        let name = self.name().map(str::to_owned);
        Some(Box::new(move || {
            let mut batch = Batch {
                first,
                turned: 0,
                positions: Vec::with_capacity(records + usize::from(damage.is_some())),
            };
            let mut rest = &bytes[..];
            for number in (first..).take(records) {
                let (record, len) = T::decode(rest, layout).expect("its length was found");
                batch.positions.push(match check(&record) {
                    Ok((position, turned)) => {
                        batch.turned += u64::from(turned);
                        Ok(position)
                    }
                    Err(error) => Err(error.at(Some(number), offset).named(name.as_deref())),
                });
                rest = &rest[len..];
                offset += len as u64;
            }
            batch.positions.extend(damage.map(Err));
            batch
        }))
    }
}

fn check<T: BookRecord>(record: &T) -> Result<(Position, bool), Error> {
    let position = record.check().map_err(Error::new)?;
    let board = position.board.board();
    let turned = record.discs() != (board.player(), board.opponent());
    Ok((position, turned))
}
