//! Work on a book in slabs gives the same result in memory and in temporary files.

use crate::random_book::graph_of;
use obook_graph::Graph;
use obook_graph::accuracy::{Grade, Grader, Grading};
use obook_graph::passes;
use obook_graph::slabs::{ByKey, Error, Gathered, Slab, Slabs};
use obook_othello::{CanonicalBoard, Position};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Puts the positions into slabs for `memory` bytes in temporary files, and counts duplicates. With 0 every layer is a slab. With
/// [`u64::MAX`] the book is one slab in memory.
pub fn slabs_of(positions: impl IntoIterator<Item = Position>, memory: u64) -> (Slabs, u64) {
    let mut gathered = Gathered::within(memory);
    for position in positions {
        gathered.push(position).unwrap();
    }
    Slabs::new(gathered).unwrap()
}

/// All positions by key.
pub fn positions(book: Slabs) -> Vec<Position> {
    let by_key = book
        .finish(Slab::position, |_| Ok::<(), Error>(()))
        .unwrap();
    let positions = by_key.positions::<Error>(ByKey::ALL).unwrap();
    positions.collect::<Result<_, _>>().unwrap()
}

/// Does work on a graph as a book in memory.
pub fn in_memory<T, E>(
    graph: &mut Graph,
    work: impl FnOnce(&mut Slabs) -> Result<T, E>,
) -> Result<T, E> {
    let mut book = Slabs::from(std::mem::replace(graph, graph_of([])));
    let done = work(&mut book)?;
    *graph = book.into_graph().expect("it fits in memory");
    Ok(done)
}

/// The grades of all positions, in the order of their ids.
pub fn grades(graph: &Graph, rules: Grading) -> Vec<Grade> {
    let (mut book, mut grades) = (Slabs::from(graph.clone()), Vec::new());
    book.scan(|slab| grades = Grader::new(rules).grades(slab))
        .unwrap();
    grades
}

/// Adds pass positions to a graph in all ways, and returns their boards.
pub fn restore_passes(graph: &mut Graph) -> BTreeSet<CanonicalBoard> {
    let before: BTreeSet<CanonicalBoard> = graph.ids().map(|id| graph.board(id)).collect();
    let count = in_all_ways(graph, passes::restore_passes).unwrap();
    let boards = graph.ids().map(|id| graph.board(id));
    let new: BTreeSet<_> = boards.filter(|board| !before.contains(board)).collect();
    assert_eq!(new.len() as u64, count);
    new
}

/// Does work on a graph: in memory, in slabs of one layer, and in slabs of a few. Fails if the results differ.
pub fn in_all_ways<T: Debug, E: Debug>(
    graph: &mut Graph,
    mut work: impl FnMut(&mut Slabs) -> Result<T, E>,
) -> Result<T, E> {
    let before: Vec<Position> = graph.positions().collect();
    let few = 100 * before.len() as u64;
    let [whole, layers, slabs] = [u64::MAX, 0, few].map(|memory| {
        let (mut book, _) = slabs_of(before.iter().cloned(), memory);
        let done = work(&mut book);
        let after = done.is_ok().then(|| positions(book));
        (done, after)
    });
    for other in [layers, slabs] {
        assert_eq!(format!("{:?}", other.0), format!("{:?}", whole.0));
        assert_eq!(other.1, whole.1);
    }
    in_memory(graph, work)
}
