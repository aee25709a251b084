//! The look-ups of an engine that searches on several threads, from the file and from memory.

use obook::read::book::load_in_slabs;
use obook::write::import::into_store;
use obook::{Board, Book, Context, Lookup, Probe};
use std::thread;

/// The positions of the book within some moves.
fn count(probe: &Probe, board: Board, plies: u32) -> Result<usize, obook::Error> {
    let Some(found) = probe.position(board)?.filter(|_| plies > 0) else {
        return Ok(0);
    };
    let children = found.links.iter().filter_map(|link| board.play(link.mv));
    children
        .map(|child| count(probe, child, plies - 1))
        .sum::<Result<usize, _>>()
        .map(|below| below + 1)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::default();
    let open = || Book::open("examples/games.dat", &context);
    let file = Probe::of(Lookup::Database(into_store(open()?, &context)?))?;
    let graph = load_in_slabs(&open()?, &context)?
        .into_graph()?
        .expect("it fits");
    let memory = Probe::of(Lookup::Memory(graph, "games.dat".into()))?;
    let counts = thread::scope(|scope| {
        let probes = [&file, &file, &memory, &memory];
        let threads = probes.map(|probe| scope.spawn(|| count(probe, Board::START, 6)));
        threads.map(|thread| thread.join().expect("it doesn't panic"))
    });
    let counts = counts.into_iter().collect::<Result<Vec<_>, _>>()?;
    println!("{counts:?}");
    assert!(counts[0] > 1 && counts.iter().all(|count| *count == counts[0]));
    Ok(())
}
