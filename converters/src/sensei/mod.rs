//! Books of Othello Sensei by Michele Borassi: folders. They are read, not written.
//!
//! | file | contents |
//! | --- | --- |
//! | `index.sen` | which record of which value file each bucket of a hash table holds |
//! | `value_N.val` | the records of N bytes |
//! | `roots.val` | boards that no move of the book leads to |
//!
//! Nothing states a version. The program makes a file that is missing anew, without records, so index and value files may disagree:
//! [`Folder`] counts what one of them lacks, and reads the rest.
//!
//! **`index.sen`**: u64 number of buckets, u64 number of records, then 5 bytes for each bucket: u32 number of the record in its file,
//! u8 which file. That byte is 0 for an empty bucket, and otherwise stands for one of 255 values of N: 4, 5 … 246, 486, 972 … 995 328.
//!
//! **`value_N.val`**: record *k* begins at byte *k* N. Record 0 begins with the u32 number of the first free record, and a free record with
//! that of the next; 0 ends the list.
//!
//! **A [`Record`]** (numbers are little-endian):
//!
//! | bytes | type | field |
//! | --- | --- | --- |
//! | 13 | | the board: five squares to a byte in base 3, from a1; 1 is the side to move |
//! | 3 for each | u24 | fathers: the moves that lead here; bit 0: another one follows; 0: none |
//! | 4 | f32 | positions visited so far |
//! | 1, 1 | i8 | proven bounds of the score |
//! | 1, 1 | i8 | the highest goal believed to be reached, the lowest believed to be missed |
//! | 1 | u8 | 1: no move was looked at |
//! | 5 or 6 for each | | the goals between those two: chance, proof number, disproof number, derivative (big-endian, longer if bit 7 is set) |
//! | 0 or 1 | u8 | the proof number of the lowest goal believed to be reached |
//! | 0 or 1 | u8 | the disproof number of the highest goal believed to be missed |
//! | the rest | bits | 11 bits for the score + 64 in eighths of a disc; then the other goals believed to be reached, and those to be missed: a zero for each step of their numbers, and a one |
//!
//! A goal is a score to exceed, and odd, because final scores are even.
//!
//! # As positions
//!
//! * The value is the expected score, which Sensei ranks moves by, as whole discs (of two equally near, the even one). The
//!   [forecast](Record::forecast) has the rest.
//! * Proven bounds become a [proof](obook_othello::Proof).
//! * The level is the [number of positions visited](obook_othello::levels::of_visits), or 60 for a solved position.
//! * Links are not stored, and fathers are not used: a pass that comes last among them is lost. Links follow from the boards.

mod folder;
mod record;
mod scale;

pub use folder::Folder;
pub use record::{Odds, Record, Unreadable};

use crate::Error;
use crate::book_reader::Opened;
use crate::row::{Holds, Row, Source};
use folder::position;
use obook_othello::Engine;
use std::path::Path;

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "sensei",
    endings: &["sen"],
    program: "Othello Sensei",
    begins: "a folder with the file index.sen",
    engine: Engine::Sensei,
    holds: Holds {
        values: true,
        proofs: true,
        levels: true,
        canonical: false,
        ..Holds::BOARDS
    },
    source: Source::Folder {
        is_at: Folder::is_at,
        open,
    },
    writer: None,
};

fn open(path: &Path) -> Result<Opened, Error> {
    let folder = Folder::open(path)?;
    let promised = folder.promised().cast_signed();
    let account = folder.account().clone();
    let opened = Opened::of_parts(promised, account, folder.raw(), position, Vec::len);
    Ok(opened)
}

/// The file by which a folder is recognised.
pub(crate) const INDEX: &str = "index.sen";

/// The sizes of records, by the byte of the index that stands for them.
fn sizes() -> impl Iterator<Item = (u8, u32)> {
    (1..=u8::MAX).map(|byte| (byte, size(byte)))
}

/// The size of records that a byte of the index other than 0 stands for.
fn size(byte: u8) -> u32 {
    const LAST_IN_STEPS: u8 = 243;
    match byte {
        ..=1 => 4,
        2..=LAST_IN_STEPS => u32::from(byte) + 3,
        _ => 243 << (byte - LAST_IN_STEPS),
    }
}
