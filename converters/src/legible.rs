//! Reading a damaged book as far as possible. Every fault is noted, and whatever can be saved of a position is.

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
    pub(crate) fn whole(position: Result<Position, Error>, number: u64) -> Legible {
        match position {
            Ok(position) => {
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
    let (mut records, mut damage) = (Vec::new(), None);
    while records.len() < len {
        let offset = reader.offset();
        match reader.next() {
            Some(Ok(record)) => records.push(((reader.records(), offset), record)),
            Some(Err(error)) => {
                damage = Some(Legible::Damage(error));
                break;
            }
            None => break,
        }
    }
    let records = records.par_iter();
    let mut read: Vec<Legible> = records.map(|(place, it)| legible(*place, it)).collect();
    read.extend(damage);
    read
}

/// Checks a record. Faults are noted and removed, one by one, until the rest is a position or nothing is left.
fn legible<T: BookRecord>(place: (u64, u64), record: &T) -> Legible {
    let mut faults = Vec::new();
    let position = match record.check() {
        Ok(position) => Some(position),
        Err(fault) => mend(&mut record.clone(), fault, &mut faults),
    };
    Legible::Record {
        position,
        discs: record.discs(),
        faults,
        place,
    }
}

fn mend<T: BookRecord>(
    record: &mut T,
    mut fault: Fault,
    faults: &mut Vec<Fault>,
) -> Option<Position> {
    // A record has at most 256 moves and a few numbers, and each repair removes one of them.
    for _ in 0..2 * (u8::MAX as usize + 1) {
        let mendable = record.mend(&fault.kind);
        faults.push(fault);
        if !mendable {
            return None;
        }
        match record.check() {
            Ok(position) => return Some(position),
            Err(next) => fault = next,
        }
    }
    None
}
