//! Lines near the start whose value changed.

use obook_book::{Result, Store};
use obook_othello::{Board, CanonicalBoard, Line};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};

/// So many lines are looked at, the shortest first, no two to the same position.
const WATCHED: usize = 1000;
/// Of which so many are named.
const NAMED: usize = 10;

/// A line whose value changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineChange {
    /// The moves.
    pub line: String,
    /// What the last of them was worth to who makes it, in discs.
    pub before: i16,
    /// What it is worth now.
    pub after: i16,
}

/// What moves of short lines are worth to who makes them.
pub(crate) struct Watched(Vec<(Line, CanonicalBoard, i16)>);

impl Watched {
    /// As the book has them now.
    pub(crate) fn of(book: &Store) -> Result<Watched> {
        let mut seen = HashSet::from([Board::START.canonical()]);
        let mut waiting = VecDeque::from([Line::default()]);
        let mut found = Vec::new();
        while let Some(line) = waiting.pop_front() {
            for (mv, child) in line.board().children() {
                let board = child.canonical();
                if !seen.insert(board) {
                    continue;
                }
                let Some(position) = book.numbers(board)? else {
                    continue;
                };
                let mut longer = line.clone();
                if longer.push(mv).is_err() {
                    continue;
                }
                if let Some(value) = position.value {
                    found.push((longer.clone(), board, -value));
                }
                waiting.push_back(longer);
            }
            if found.len() >= WATCHED {
                break;
            }
        }
        Ok(Watched(found))
    }

    /// Those whose value changed most, the shorter of those that changed alike first.
    pub(crate) fn changed(self, book: &Store) -> Result<Vec<LineChange>> {
        let mut changed = Vec::new();
        for (line, board, before) in self.0 {
            let after = book.numbers(board)?.and_then(|position| position.value);
            if let Some(after) = after.map(|value| -value).filter(|after| *after != before) {
                changed.push(LineChange {
                    line: line.to_string(),
                    before,
                    after,
                });
            }
        }
        let by = |it: &LineChange| it.before.abs_diff(it.after);
        changed.sort_by_key(|it| Reverse(by(it)));
        changed.truncate(NAMED);
        Ok(changed)
    }
}
