//! Where the files are that tests read.

use std::path::{Path, PathBuf};

/// A file of this crate's own.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The folder of all tournament games, where a machine has it.
pub(crate) fn archive() -> PathBuf {
    std::env::var_os("OBOOK_GAMES")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/games"),
            PathBuf::from,
        )
        .join("wthor")
}

/// The `.wtb` files of the archive, by name.
pub(crate) fn archive_files() -> Vec<PathBuf> {
    let files = std::fs::read_dir(archive()).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "wtb"));
    files.sort();
    files
}
