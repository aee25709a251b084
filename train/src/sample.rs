//! Positions with the score that the evaluator is to learn.

use obook_othello::Board;
use std::fs;
use std::io;
use std::path::Path;

/// A position and its score for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) board: Board,
    pub(crate) score: i8,
}

const SIZE: usize = 17;

/// Writes them, 17 bytes each.
pub(crate) fn write(path: &Path, samples: &[Sample]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(samples.len() * SIZE);
    for sample in samples {
        bytes.extend(sample.board.player().to_le_bytes());
        bytes.extend(sample.board.opponent().to_le_bytes());
        bytes.push(sample.score as u8);
    }
    let partial = path.with_extension("partial");
    fs::write(&partial, bytes)?;
    fs::rename(partial, path)
}

/// Reads what [`write()`] wrote.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Sample>> {
    let bytes = fs::read(path)?;
    let wrong = || io::Error::other(format!("{} holds no samples", path.display()));
    let (records, []) = bytes.as_chunks::<SIZE>() else {
        return Err(wrong());
    };
    records
        .iter()
        .map(|record| {
            let set = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| record[at + i]));
            Ok(Sample {
                board: Board::new(set(0), set(8)).map_err(|_| wrong())?,
                score: record[16] as i8,
            })
        })
        .collect()
}
