//! Tournament games.

use std::path::{Path, PathBuf};

/// The sample archive of games, 300 of 2026, with its lists of names beside it.
pub fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/levels.wtb")
}

/// The first eight games of the sample archive as a WTHOR file of another year; 0 if it is not known.
pub fn eight_games(year: u16) -> Vec<u8> {
    let mut file = std::fs::read(sample()).unwrap();
    file.truncate(16 + 8 * 68);
    file[4..8].copy_from_slice(&8u32.to_le_bytes());
    file[10..12].copy_from_slice(&year.to_le_bytes());
    file
}
