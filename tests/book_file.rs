//! Book files of any positions.

use obook_converters::{BookWriter, Format, Header};
use obook_othello::{Engine, Leaf, Position};
use std::path::Path;

/// A header with all that a format may demand.
pub(crate) fn header(count: usize) -> Header {
    Header {
        count: Some(count as i64),
        level: Some(21),
        n_empties: Some(24),
        midgame_error: Some(2),
        endcut_error: Some(1),
        verbosity: Some(1),
        ..Header::default()
    }
}

/// Writes a book file.
pub(crate) fn write(file: &Path, format: Format, positions: &[Position]) {
    let mut writer = BookWriter::create(file, format, &header(positions.len()), None).unwrap();
    positions
        .iter()
        .for_each(|position| writer.write(position).unwrap());
    writer.finish().unwrap();
}

/// A position as Egaroucid would have written it.
pub(crate) fn by_egaroucid(position: Position) -> Position {
    let engine = Engine::Egaroucid;
    Position {
        engine,
        leaf: position.leaf.map(|leaf| Leaf { engine, ..leaf }),
        ..position
    }
}
