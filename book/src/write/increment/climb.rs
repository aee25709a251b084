//! Numbers of what changed and its ancestors, layer by layer, as far up as anything changes.

use super::{Delta, Increment, ReadPositions};
use crate::{Error, Result};
use obook_graph::negamax;
use obook_model::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a position's numbers depend on comes before it: few empties before many, and in a layer passes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Rank {
    empties: u32,
    is_pass: bool,
}

impl Rank {
    fn of(board: CanonicalBoard) -> Rank {
        let board = board.board();
        Rank {
            empties: board.empties(),
            is_pass: board.must_pass(),
        }
    }
}

impl Increment {
    /// Computes every entry, and every ancestor whose numbers change with those below it; gives up, and says so, where they
    /// are more than `most`.
    pub fn climb(&mut self, book: &mut dyn ReadPositions, most: u64) -> Result<bool> {
        let mut waiting: BTreeMap<Rank, BTreeSet<CanonicalBoard>> = BTreeMap::new();
        for board in self.entries.keys() {
            waiting.entry(Rank::of(*board)).or_default().insert(*board);
        }
        while let Some((_, boards)) = waiting.pop_first() {
            if (self.entries.len() + boards.len()) as u64 > most {
                return Ok(false);
            }
            let boards: Vec<CanonicalBoard> = boards.into_iter().collect();
            let changed = self.compute(book, &boards)?;
            for parent in self.parents(book, &changed)? {
                waiting.entry(Rank::of(parent)).or_default().insert(parent);
            }
        }
        Ok(true)
    }

    /// Computes positions whose children are computed; those that the book held before and whose numbers change.
    fn compute(
        &mut self,
        book: &mut dyn ReadPositions,
        boards: &[CanonicalBoard],
    ) -> Result<Vec<CanonicalBoard>> {
        for board in boards {
            self.entry(*board);
        }
        let below = |board| linked_children(&self.entries[board].new).flatten();
        let below: Vec<CanonicalBoard> = boards.iter().flat_map(below).collect();
        self.load_numbers(book, below.into_iter())?;
        let path = book.path();
        let compute = |board: &CanonicalBoard| {
            let position = &self.entries[board].new;
            let below = linked_children(position).map(|child| match child {
                Some(child) => match self.position(child) {
                    // In a fixed book every link leads to a position.
                    None => Err(lost_child(path, *board)),
                    found => Ok(found),
                },
                None => Ok(None),
            });
            let below: Vec<Option<&Position>> = below.collect::<Result<_>>()?;
            Ok(negamax::of_record(position, &below, self.rules))
        };
        let computed: Vec<Position> = boards.par_iter().map(compute).collect::<Result<_>>()?;
        let mut changed = Vec::new();
        for position in computed {
            let board = position.board;
            let entry = self.entries.get_mut(&board).expect("it was computed");
            entry.new = position;
            if entry.has_other_numbers() {
                changed.push(board);
            }
        }
        Ok(changed)
    }
}

impl Delta {
    /// Whether the parents of a position that the book held before have to be computed anew. Those of a new one are among
    /// the entries from the start.
    fn has_other_numbers(&self) -> bool {
        let Delta {
            old: Some(old),
            new,
            ..
        } = self
        else {
            return false;
        };
        let numbers = |it: &Position| (it.value, it.bounds, it.outcomes, it.lines);
        numbers(old) != numbers(new)
    }
}

/// A link of `board` leads to a position that is not found: it was taken out by other hands, or its page is damaged.
fn lost_child(path: &Path, board: CanonicalBoard) -> Error {
    Error::BadRow {
        path: path.to_owned(),
        board: format!("{:032x}", u128::from_be_bytes(board.to_key())),
        problem: String::from("one of its links leads to a position that is not in the book"),
    }
}

/// Where the links of a position lead, in their order; `None` for a move that is not legal.
fn linked_children(position: &Position) -> impl Iterator<Item = Option<CanonicalBoard>> {
    let board = position.board;
    position.links.iter().map(move |link| {
        let child = board.board().play(link.mv);
        child.map(|child| child.canonical())
    })
}
