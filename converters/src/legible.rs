//! Reading a damaged book as far as possible. Every fault is noted, and whatever can be saved of a position is.

use crate::book_reader::Turned;
use crate::{BookRecord, Error, Fault, Reader};
use obook_othello::Position;
use rayon::prelude::*;
use std::io::Read;

/// A record of a damaged book as far as it is legible, or the end of what is.
#[derive(Debug)]
pub enum Legible {
    /// A record.
    Record {
        /// The intact parts, on the canonical board.
        position: Option<Position>,
        /// The discs of the side to move and of the other side, as in the file.
        discs: (u64, u64),
        /// The problems.
        faults: Vec<Fault>,
        /// Its number, from 1, and the byte at which it begins.
        place: (u64, u64),
    },
    /// Damage that ends the reading.
    Damage(Error),
}

impl Legible {
    /// The record with this number of a book that isn't a sequence of records.
    pub(crate) fn whole(position: Result<Turned, Error>, number: u64) -> Legible {
        match position {
            Ok((position, _)) => {
                let board = position.board.board();
                Legible::Record {
                    discs: (board.player(), board.opponent()),
                    position: Some(position),
                    faults: Vec::new(),
                    place: (number, 0),
                }
            }
            Err(damage) => Legible::Damage(damage),
        }
    }
}

/// Reads up to `len` records. Damage comes last.
pub(crate) fn read<R: Read, T: BookRecord>(reader: &mut Reader<R, T>, len: usize) -> Vec<Legible> {
    let records = std::iter::from_fn(|| {
        let offset = reader.offset();
        let record = reader.next()?;
        Some(record.map(|record| ((reader.records(), offset), record)))
    });
    let records: Vec<Result<_, Error>> = records.take(len).collect();
    let read = records.into_par_iter().map(|record| match record {
        Ok((place, record)) => legible(place, record),
        Err(error) => Legible::Damage(error),
    });
    read.collect()
}

/// The most repairs of a record: it has at most 256 moves and a few numbers, and each repair removes one of them.
const REPAIRS: usize = 2 * (u8::MAX as usize + 1);

/// Checks a record. Faults are noted and removed, one by one, until the rest is a position or nothing is left.
fn legible<T: BookRecord>(place: (u64, u64), mut record: T) -> Legible {
    let (discs, mut faults) = (record.discs(), Vec::new());
    let position = loop {
        match record.check() {
            Ok(position) => break Some(position),
            Err(fault) => {
                let is_mended = faults.len() < REPAIRS && record.mend(&fault.kind);
                faults.push(fault);
                if !is_mended {
                    break None;
                }
            }
        }
    };
    Legible::Record {
        position,
        discs,
        faults,
        place,
    }
}
