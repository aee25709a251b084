//! YaneuraOu's binary format, `.ybb`: a header, an index of packed positions in order, and their moves.

use crate::book::{BookMove, Dropped, Entry, Fault, FilePlace, Read, ReadError};
use crate::{Move, Packed};
use obook_base::in_number;
use std::collections::HashSet;
use std::io::{self, Write};

const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";
const HEADER: usize = 32;
const RECORD: usize = 44;
/// A flag: moves have a depth.
const DEPTH: u64 = 1;

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..N].copy_from_slice(bytes.get(at..)?.get(..N)?);
    Some(u64::from_le_bytes(number))
}

/// Reads a file. A position that can't be read, or isn't in order, is a fault.
///
/// # Errors
/// Returns [`ReadError`] if the header or the length is wrong.
pub fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut read = Read::default();
    for (entry, fault) in Records::new(bytes)? {
        read.book.entries.extend(entry);
        read.faults.extend(fault);
    }
    Ok(read)
}

/// The records of a file: each is a position, unless it can't be read, and a fault, if it has one. Records may share moves, so a
/// small file may have many.
#[derive(Clone, Debug)]
pub struct Records<B> {
    bytes: B,
    /// The records, and how many were read.
    count: usize,
    read: usize,
    /// The bytes of a move.
    size: usize,
    last: Option<Packed>,
}

impl<B: AsRef<[u8]>> Records<B> {
    /// The records of a file with these bytes.
    ///
    /// # Errors
    /// Returns [`ReadError`] if the header or the length is wrong.
    pub fn new(file: B) -> Result<Self, ReadError> {
        let bytes = file.as_ref();
        let not_ybb = |reason| ReadError::unfit("a .ybb book", reason);
        if !bytes.starts_with(MAGIC) {
            return Err(not_ybb("it doesn't begin with YANE-BINBOOK-V1"));
        }
        let (Some(count), Some(flags)) = (number::<8>(bytes, 16), number::<8>(bytes, 24)) else {
            return Err(not_ybb("its header is cut off"));
        };
        if flags & !DEPTH != 0 {
            return Err(ReadError(format!(
                "the file's flags are {flags:#x}; only bit 0 is known, so it may be of a later version"
            )));
        }
        let fits = usize::try_from(count).ok().filter(|count| {
            let end = count.checked_mul(RECORD);
            let end = end.and_then(|end| end.checked_add(HEADER));
            end.is_some_and(|end| end <= bytes.len())
        });
        let count = fits.ok_or_else(|| {
            let expected = format!(
                "{HEADER} for the header and {RECORD} for each of {count} positions, at least"
            );
            ReadError::length(bytes, &expected)
        })?;
        Ok(Self {
            count,
            read: 0,
            size: if flags & DEPTH == 0 { 4 } else { 6 },
            last: None,
            bytes: file,
        })
    }
}

impl<B: AsRef<[u8]>> Iterator for Records<B> {
    type Item = (Option<Entry>, Option<Fault>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.read == self.count {
            return None;
        }
        let (index, moves) = self.bytes.as_ref()[HEADER..].split_at(self.count * RECORD);
        let record = &index[self.read * RECORD..][..RECORD];
        self.read += 1;
        let packed = Packed(std::array::from_fn(|at| record[at]));
        let entry = if self.last.is_some_and(|last| last >= packed) {
            Err("it isn't in order, or comes twice".to_owned())
        } else {
            self.last = Some(packed);
            read_entry(packed, record, moves, self.size)
        };
        let (entry, reason) = match entry {
            Ok((entry, reason)) => (Some(entry), reason),
            Err(reason) => (None, Some(reason)),
        };
        let place = FilePlace::Record(self.read);
        Some((entry, reason.map(|reason| Fault { place, reason })))
    }
}

/// Returns the entry, and what is wrong with its moves.
fn read_entry(
    packed: Packed,
    record: &[u8],
    moves: &[u8],
    size: usize,
) -> Result<(Entry, Option<String>), String> {
    let board = packed.board().map_err(|error| error.to_string())?;
    let field = |at| number::<2>(record, at).unwrap_or_default();
    let offset = number::<8>(record, 32).and_then(|offset| usize::try_from(offset).ok());
    let length = field(42) as usize * size;
    let listed = offset
        .and_then(|offset| moves.get(offset..)?.get(..length))
        .ok_or("its moves are outside the file")?;
    let (mut none, mut again) = (0, 0);
    let (mut moves, mut known) = (Vec::new(), HashSet::new());
    for bytes in listed.chunks_exact(size) {
        let field = |at| number::<2>(bytes, at).map(|field| field as u16);
        match field(0).and_then(Move::from_bits) {
            None => none += 1,
            Some(mv) if !known.insert(mv) => again += 1,
            Some(mv) => moves.push(BookMove {
                score: field(2).map(|score| i32::from(score as i16)),
                depth: field(4).map(u32::from),
                ..BookMove::new(mv)
            }),
        }
    }
    let wrong = [
        (none, "[is no move|are no moves]"),
        (again, "[is|are] listed again; the first of each counts"),
    ];
    let wrong = wrong.into_iter().filter(|&(count, _)| count > 0);
    let wrong = wrong
        .map(|(count, words)| format!("{count} of its moves {}", in_number(words, count)))
        .reduce(|first, second| format!("{first}, and {second}"));
    let ply = Some(field(40) as u32).filter(|&ply| ply > 0);
    Ok((Entry::new(board, ply, moves), wrong))
}

/// A record for [`write_records`]: whether a move has a depth, the position, its ply, the number of moves, and the moves with depths.
/// Also what it can't hold: comments, expected answers, counts, and numbers of more than 16 bits.
#[must_use]
pub fn record(entry: &Entry) -> (Vec<u8>, Dropped) {
    let mut dropped = Dropped {
        comments: entry.comments.len() as u64,
        ..Dropped::default()
    };
    let mut fit = |number: u32| {
        dropped.clipped += u64::from(number > u16::MAX.into());
        number.min(u16::MAX.into()) as u16
    };
    let has_depth = entry.moves.iter().any(|listed| listed.depth.is_some());
    let mut record = vec![u8::from(has_depth)];
    record.extend(entry.board.packed().0);
    record.extend(fit(entry.ply.unwrap_or(0)).to_le_bytes());
    // A position has at most 593 legal moves. Only a hashed book that lists them again and again can have too many.
    let listed = &entry.moves[..usize::from(fit(entry.moves.len() as u32))];
    record.extend((listed.len() as u16).to_le_bytes());
    for listed in listed {
        let score = listed.score.unwrap_or(0);
        let clipped = score.clamp(i16::MIN.into(), i16::MAX.into());
        record.extend(listed.mv.bits().to_le_bytes());
        record.extend((clipped as i16).to_le_bytes());
        record.extend(fit(listed.depth.unwrap_or(0)).to_le_bytes());
    }
    for listed in &entry.moves {
        dropped.ponders += u64::from(listed.ponder.is_some());
        dropped.counts += u64::from(listed.count.is_some());
        let score = listed.score.unwrap_or(0);
        dropped.clipped += u64::from(i16::try_from(score).is_err());
    }
    (record, dropped)
}

/// Writes a file of [records](record) that come in the order of their positions, whenever they are asked for, with depths if a move has
/// one.
///
/// # Errors
/// If a record can't be read, or the file can't be written.
pub fn write_records<R: Iterator<Item = io::Result<Vec<u8>>>>(
    count: u64,
    records: impl Fn() -> io::Result<R>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut flags = 0;
    for record in records()? {
        flags |= u64::from(record?[0]) * DEPTH;
    }
    let size = if flags == DEPTH { 6 } else { 4 };
    out.write_all(MAGIC)?;
    out.write_all(&count.to_le_bytes())?;
    out.write_all(&flags.to_le_bytes())?;
    let mut offset = 0_u64;
    for record in records()? {
        let record = record?;
        let (position, moves) = record[1..].split_at(RECORD - 8);
        let (packed, numbers) = position.split_at(32);
        out.write_all(packed)?;
        out.write_all(&offset.to_le_bytes())?;
        out.write_all(numbers)?;
        offset += moves.len() as u64 / 6 * size as u64;
    }
    for record in records()? {
        for listed in record?[1 + RECORD - 8..].chunks_exact(6) {
            out.write_all(&listed[..size])?;
        }
    }
    Ok(())
}
