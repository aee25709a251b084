//! The look-ups of an engine that searches on several threads.

use obook::{Board, Context, Error, Probe};
use std::thread;

/// The positions of the book within some moves, by all lines.
fn count(book: &Probe, board: Board, plies: u32) -> Result<usize, Error> {
    let Some(found) = book.position(board)?.filter(|_| plies > 0) else {
        return Ok(0);
    };
    let children = found.links.iter().filter_map(|link| board.play(link.mv));
    let below = children.map(|child| count(book, child, plies - 1));
    Ok(1 + below.sum::<Result<usize, _>>()?)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let book = Probe::open("examples/games.dat", &Context::default())?;
    let counts = thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(|| count(&book, Board::START, 6)));
        threads.map(|thread| thread.join().expect("it doesn't panic"))
    });
    println!("{counts:?}");
    assert!(counts.iter().all(|it| it.as_ref().is_ok_and(|it| *it > 1)));
    Ok(())
}
