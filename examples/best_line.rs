//! The best line of a book of any engine.

use obook::read::line::{BestLines, Choice};
use obook::{Book, Context, Line, Probe};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::default();
    let probe = Probe::new(Book::open("examples/games.dat", &context)?, &context)?;
    let mut lines = BestLines::new(&probe, Line::new(), usize::MAX, Choice::First);
    let best = lines.next().expect("the start position is in the book")?;
    println!("{}, because {}", best.line, best.end);
    assert_eq!(best.line.to_string(), "f5f4d3");
    Ok(())
}
