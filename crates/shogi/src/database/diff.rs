//! The differences between two books.

use crate::database::fix::board;
use crate::database::position::Position;
use crate::database::rows::positions;
use crate::{BookMove, Colour, db};
use obook_store::{Error, Result, Store};
use rusqlite::Transaction;
use serde::Serialize;
use std::path::Path;

/// How two books differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Positions of both.
    pub common: u64,
    /// Positions of the first book that the second one lacks.
    pub only_first: u64,
    /// Positions of the second book that the first one lacks.
    pub only_second: u64,
    /// Positions of both, of which files list other moves, or other scores, depths, counts or expected answers of them.
    pub other_moves: u64,
    /// Positions of both with other comments.
    pub other_comments: u64,
    /// Positions of both with other values; counted if both books are fixed.
    pub other_values: u64,
    /// The first of them.
    pub rows: Vec<Difference>,
}

/// A position that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The position in SFEN.
    pub sfen: String,
    /// In which books it is, or what differs: `first`, `second`, `moves`, `comments` or `value`.
    pub what: &'static str,
    /// The values of the two books.
    pub values: [Option<i32>; 2],
    /// If moves or comments differ: the lines of a `.db` that only the first, and only the second book has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[Vec<String>; 2]>,
}

impl Diff {
    /// The number of differences, of which `rows` are the first.
    #[must_use]
    pub const fn differences(&self) -> u64 {
        let positions = self.only_first + self.only_second;
        positions + self.other_moves + self.other_comments + self.other_values
    }
}

/// The comments of a position that another book's record of it lacks.
fn comments_lacking(position: &Position, other: &Position) -> Vec<String> {
    let records = position.records.iter().zip(&other.records);
    let lacking = records.flat_map(|(record, other)| {
        let is_there = |comment| other.iter().any(|it| it.comments.contains(comment));
        let comments = record.iter().flat_map(|record| &record.comments);
        comments.filter(move |&comment| !is_there(comment))
    });
    lacking.map(|comment| comment.text.clone()).collect()
}

/// The moves that another book's record of a position lacks, or of which it says something else, by name. A record whose like the
/// other book lacks is compared with that of the other side.
fn moves_lacking(position: &Position, other: &Position) -> Vec<BookMove> {
    let records = Colour::ALL.into_iter().zip(&position.records);
    let lacking = records.flat_map(|(turn, record)| {
        let known = other.record(turn).map_or(&[][..], |record| &record.moves);
        let moves = record.iter().flat_map(|record| &record.moves);
        moves.filter(|listed| !known.contains(listed))
    });
    let mut lacking: Vec<BookMove> = lacking.copied().collect();
    lacking.sort_by_key(|listed| listed.mv);
    lacking.dedup();
    lacking
}

/// Begins a transaction, so that a book that others change is read in one state.
fn reading(store: &Store) -> Result<Transaction<'_>> {
    let begun = store.connection().unchecked_transaction();
    begun.map_err(Error::sqlite(store.path(), "read"))
}

/// Compares two books, and lists at most `most` positions that differ.
///
/// # Errors
/// If a database can't be read.
pub fn diff(first: &Store, second: &Store, most: usize) -> Result<Diff> {
    let _states = [reading(first)?, reading(second)?];
    let values = first.is_fixed()? && second.is_fixed()?;
    let mut diff = Diff::default();
    let list = |diff: &mut Diff, what, position: &Position, path: &Path, values, lines| {
        if diff.rows.len() < most {
            diff.rows.push(Difference {
                sfen: board(position, path)?.to_string(),
                what,
                values,
                lines,
            });
        }
        Ok(())
    };
    let only_second = |diff: &mut Diff, other: &Position| {
        diff.only_second += 1;
        let values = [None, other.own.value];
        list(diff, "second", other, second.path(), values, None)
    };
    let mut others = positions(second.connection(), second.path()).peekable();
    for position in positions(first.connection(), first.path()) {
        let position = position?;
        let path = first.path();
        let before =
            |other: &Result<Position>| !matches!(other, Ok(other) if other.key >= position.key);
        while let Some(other) = others.next_if(before) {
            only_second(&mut diff, &other?)?;
        }
        let same =
            |other: &Result<Position>| matches!(other, Ok(other) if other.key == position.key);
        let Some(other) = others.next_if(same).transpose()? else {
            diff.only_first += 1;
            let values = [position.own.value, None];
            list(&mut diff, "first", &position, path, values, None)?;
            continue;
        };
        diff.common += 1;
        let both = [position.own.value, other.own.value];
        if values && position.own.value != other.own.value {
            diff.other_values += 1;
            list(&mut diff, "value", &position, path, both, None)?;
        }
        let moves = [
            moves_lacking(&position, &other),
            moves_lacking(&other, &position),
        ];
        if moves.iter().any(|lacking| !lacking.is_empty()) {
            diff.other_moves += 1;
            let lines = moves.map(|moves| moves.iter().map(db::move_line).collect());
            list(&mut diff, "moves", &position, path, both, Some(lines))?;
        }
        let comments = [
            comments_lacking(&position, &other),
            comments_lacking(&other, &position),
        ];
        if comments.iter().any(|lacking| !lacking.is_empty()) {
            diff.other_comments += 1;
            list(&mut diff, "comments", &position, path, both, Some(comments))?;
        }
    }
    others.try_for_each(|other| only_second(&mut diff, &other?))?;
    Ok(diff)
}
