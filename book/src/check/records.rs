//! Reading a damaged file as far as it goes: every fault is noted, and what can be saved of a position is.

use super::finding::Discs;
use super::gathered::{Duplicates, Gathered, Legible};
use crate::{Error, Progress, Result};
use obook_converters::{
    BookRecord, Fault, FaultKind, Format, MoveOf, Reader, decompress, edax, edax_text, egbk, egbk2,
    egbk3,
};
use obook_model::Position;
use rayon::prelude::*;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Records that are checked at once: enough for all cores, few enough to need no memory.
const BATCH: usize = 1 << 16;

/// Takes in the file at `path`.
///
/// # Errors
/// Where it can't be opened or is not of this format; damage further on is a finding.
pub(crate) fn gather(
    path: &Path,
    format: Format,
    into: &mut Gathered,
    progress: &Progress,
) -> Result<()> {
    each(path, format, progress, |legible| into.take(legible, format))
}

/// Notes which positions stand in the file more than once.
pub(crate) fn find_duplicates(
    path: &Path,
    format: Format,
    into: &mut Duplicates<'_>,
    progress: &Progress,
) -> Result<()> {
    each(path, format, progress, |legible| match legible {
        Legible::Record {
            position: Some(position),
            ..
        } => into.visit(position.board),
        Legible::Record { .. } | Legible::Damage(_) => {}
    })
}

fn each(
    path: &Path,
    format: Format,
    progress: &Progress,
    visit: impl FnMut(Legible),
) -> Result<()> {
    match format {
        Format::Edax => read::<edax::Record>(path, progress, visit),
        Format::EdaxText => read::<edax_text::Record>(path, progress, visit),
        Format::Egbk3 => read::<egbk3::Record>(path, progress, visit),
        Format::Egbk2 => read::<egbk2::Record>(path, progress, visit),
        Format::Egbk => read::<egbk::Record>(path, progress, visit),
    }
}

fn read<T: Mend>(path: &Path, progress: &Progress, mut visit: impl FnMut(Legible)) -> Result<()> {
    let file = File::open(path).map_err(Error::io(path, "open"))?;
    let input = decompress(file).map_err(Error::io(path, "read"))?;
    let mut reader = Reader::<_, T>::named(input, &path.display().to_string())?;
    let mut records = Vec::with_capacity(BATCH);
    loop {
        let damage = fill(&mut reader, &mut records);
        progress.advance(records.len() as u64);
        let checked: Vec<Legible> = records
            .par_iter()
            .map(|(place, record)| legible(*place, record))
            .collect();
        checked.into_iter().for_each(&mut visit);
        if let Some(damage) = damage {
            visit(Legible::Damage(damage));
            return Ok(());
        }
        if records.is_empty() {
            return Ok(());
        }
    }
}

/// Reads the next batch; gives what ends the file, if that is damage.
fn fill<T: Mend>(
    reader: &mut Reader<impl Read, T>,
    records: &mut Vec<((u64, u64), T)>,
) -> Option<obook_converters::Error> {
    records.clear();
    while records.len() < BATCH {
        let offset = reader.offset();
        match reader.next() {
            Some(Ok(record)) => records.push(((reader.records(), offset), record)),
            Some(Err(damage)) => return Some(damage),
            None => break,
        }
    }
    None
}

/// Checks a record; what is wrong is noted and taken out until the rest is a position or nothing is left to take out.
fn legible<T: Mend>(place: (u64, u64), record: &T) -> Legible {
    let (player, opponent) = record.discs();
    let mut faults = Vec::new();
    let position = match record.check() {
        Ok(position) => Some(position),
        Err(fault) => {
            let mut record = record.clone();
            mend(&mut record, fault, &mut faults)
        }
    };
    Legible::Record {
        position,
        discs: Discs { player, opponent },
        faults,
        place,
    }
}

fn mend<T: Mend>(record: &mut T, mut fault: Fault, faults: &mut Vec<Fault>) -> Option<Position> {
    // A record has at most 256 moves and a few numbers, and each fault takes one of them away.
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

/// A record out of which a fault can be taken.
trait Mend: BookRecord + Sync {
    /// Takes out what `fault` names; `false` where nothing would be left.
    fn mend(&mut self, fault: &FaultKind) -> bool;
}

fn is_score(score: i8) -> bool {
    (-64..=64).contains(&score)
}

impl Mend for edax::Record {
    fn mend(&mut self, fault: &FaultKind) -> bool {
        match fault {
            FaultKind::IllegalMove {
                of: MoveOf::Link(number),
                ..
            } => drop(self.links.remove(usize::from(*number) - 1)),
            FaultKind::DuplicateMove { code } => {
                // Of equal moves the last goes, and the leaf is the last of all.
                let twice = |link: &edax::RawMove| link.code == *code;
                let last = self.links.iter().rposition(twice);
                match last {
                    Some(last) if self.links[..last].iter().any(twice) => {
                        self.links.remove(last);
                    }
                    _ => self.leaf = edax::RawMove::NONE,
                }
            }
            FaultKind::IllegalMove { .. } | FaultKind::ScoreWithoutMove { .. } => {
                self.leaf = edax::RawMove::NONE;
            }
            FaultKind::OutOfRange { .. } => {
                match self.links.iter_mut().find(|link| !is_score(link.score)) {
                    // It is computed anew from the child.
                    Some(link) => link.score = 0,
                    None => self.leaf = edax::RawMove::NONE,
                }
            }
            _ => return false,
        }
        true
    }
}

impl Mend for edax_text::Record {
    fn mend(&mut self, fault: &FaultKind) -> bool {
        self.leaf = edax::RawMove::NONE;
        is_about_moves(fault)
    }
}

impl Mend for egbk3::Record {
    fn mend(&mut self, fault: &FaultKind) -> bool {
        let undefined = egbk3::Record::default();
        let out_of_range = matches!(fault, FaultKind::OutOfRange { .. });
        let has_leaf = self.leaf_value != undefined.leaf_value && self.leaf_move <= 64;
        if has_leaf
            && out_of_range
            && is_score(self.leaf_value)
            && self.leaf_level < undefined.leaf_level
        {
            self.leaf_level = undefined.leaf_level;
        } else if has_leaf && !(out_of_range && is_score(self.leaf_value)) || self.leaf_move > 65 {
            self.leaf_value = undefined.leaf_value;
            self.leaf_move = undefined.leaf_move;
        } else if !is_score(self.value) && self.value != undefined.value {
            self.value = undefined.value;
        } else {
            self.level = undefined.level;
        }
        is_about_moves(fault)
    }
}

impl Mend for egbk2::Record {
    fn mend(&mut self, fault: &FaultKind) -> bool {
        let undefined = egbk3::Record::default();
        let is_value = |value: i8| is_score(value) || value == undefined.value;
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
                    Some(link) => link.value = undefined.value,
                    None if !is_value(self.value) => self.value = undefined.value,
                    None => self.level = undefined.level,
                }
            }
            _ => return false,
        }
        true
    }
}

impl Mend for egbk::Record {
    /// A board and its value: without either nothing is left.
    fn mend(&mut self, _: &FaultKind) -> bool {
        false
    }
}

/// Whether a fault leaves the board alone.
fn is_about_moves(fault: &FaultKind) -> bool {
    !matches!(fault, FaultKind::Overlap | FaultKind::EmptyCentre)
}
