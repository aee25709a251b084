//! Grades of single positions, which read only the part of a book that they need.

use crate::read::lookup::{left_the_book, positions_on};
use crate::read::view::as_text;
use crate::{Book, Context, Error, Result, Store, load_in_slabs};
use foldhash::HashMap;
use obook_graph::Graph;
pub use obook_graph::accuracy::{Accuracy, AccuracyTable, EndCounts, Grade, Grading};
use obook_graph::accuracy::{MARGINS, near_children};
use obook_othello::{CanonicalBoard, Line, Position};
use serde::Serialize;
use std::collections::hash_map::Entry;

/// Most positions that are looked up one by one. Beyond this, reading the whole book is as fast.
const LOOKUPS: usize = 100_000;

/// A position of a line and its grade.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Graded {
    /// The moves that lead to it.
    #[serde(serialize_with = "as_text")]
    pub line: Line,
    /// `None` if the book lacks it.
    #[serde(flatten)]
    pub accuracy: Option<Accuracy>,
}

/// Grades the position at the end of a line, which the book must have. With `every`, also grades all positions before it.
///
/// # Errors
/// Returns an error if the book can't be read, or if it ends before the line does (the error says where).
pub fn grades_on(
    book: &Book,
    line: &Line,
    every: bool,
    grading: Grading,
    context: &Context,
) -> Result<Vec<Graded>> {
    let way: Vec<CanonicalBoard> = positions_on(line).collect();
    let first = if every { 0 } else { line.moves().len() };
    let graph = graph_around(book, &way[first..], context)?;
    if graph.find(line.board().canonical()).is_none() {
        let found = book.find(&way)?;
        let known = way.iter().take_while(|board| found.contains_key(board));
        return Err(left_the_book(book.path(), line, known.count()));
    }
    let accuracy = |board| Some(Accuracy::new(&graph, graph.find(board)?, grading));
    let grade = |moves: usize| Graded {
        line: line.prefix(moves),
        accuracy: accuracy(way[moves]),
    };
    Ok((first..way.len()).map(grade).collect())
}

/// A graph in which these positions have the grades that they have in the whole book.
///
/// Only the positions that good lines reach are read from a database, unless they are a large part of it. Only these are in memory
/// together if the context's memory is small.
///
/// # Errors
/// Returns an error if the book can't be read, temporary files can't be written, or lines reach too many positions.
#[doc(hidden)]
pub fn graph_around(book: &Book, boards: &[CanonicalBoard], context: &Context) -> Result<Graph> {
    let mut builder = Graph::builder();
    if let Book::Database(store) = book
        && let Some(reached) = reached_from(store, boards, LOOKUPS)?
    {
        let reached = reached.into_values().flatten();
        reached.for_each(|position| builder.push(position));
    } else {
        let from: Vec<_> = boards.iter().map(|board| (*board, true)).collect();
        let mut slabs = load_in_slabs(book, context)?;
        let swept = slabs.sweep_down_from(&from, |slab, reached| {
            let graph = slab.graph();
            // Parents come after their children.
            for id in graph.unfrozen_places().rev().map(|place| graph.id(place)) {
                if reached[id.index()] {
                    builder.push(graph.position(id));
                    for child in near_children(graph, id) {
                        reached[child.index()] = true;
                    }
                }
            }
            Ok(())
        });
        swept.map_err(Error::of_slabs(book.path()))?;
    }
    let (graph, _) = builder.finish().map_err(Error::too_large(book.path()))?;
    Ok(graph)
}

/// The positions that links within the wider margin lead to, or `None` if there are more than `most`. Boards that the book
/// lacks are included, so that each board is looked up only once.
fn reached_from(
    store: &Store,
    boards: &[CanonicalBoard],
    most: usize,
) -> Result<Option<HashMap<CanonicalBoard, Option<Position>>>> {
    let mut reached: HashMap<CanonicalBoard, Option<Position>> = HashMap::default();
    for board in boards {
        reached.insert(*board, store.position(*board)?);
    }
    let mut open: Vec<Position> = reached.values().flatten().cloned().collect();
    while let Some(position) = open.pop() {
        let mut best = None;
        // Links are sorted best first, so the first one with a child in the book is the best.
        for link in &position.links {
            let score = link.score.map(i16::from);
            let is_far = |best: i16| score.is_some_and(|score| score < best - MARGINS[1]);
            if best.is_some_and(is_far) {
                continue;
            }
            let Some(child) = position.board.child(link.mv) else {
                continue;
            };
            let there = match reached.entry(child) {
                Entry::Occupied(known) => known.get().is_some(),
                Entry::Vacant(unknown) => {
                    let found = store.position(*unknown.key())?;
                    open.extend(found.clone());
                    unknown.insert(found).is_some()
                }
            };
            if there {
                best = best.max(score);
            }
        }
        if reached.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(reached))
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::Board;
    use obook_testing::imported::imported;

    #[test]
    fn gives_up_if_the_lines_reach_too_many_positions() {
        let (_folder, path) = imported("games.dat");
        let store = Store::open(&path, &Context::default()).unwrap();
        let start = [Board::START.canonical()];
        let reached = reached_from(&store, &start, LOOKUPS)
            .unwrap()
            .unwrap()
            .len();
        assert!(reached > 100);
        assert!(reached_from(&store, &start, reached).unwrap().is_some());
        assert!(reached_from(&store, &start, reached - 1).unwrap().is_none());
    }
}
