//! The best line of a book of any engine.

use obook::{Context, Line, Probe, read::line::best_line};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let book = Probe::open("examples/games.dat", &Context::default())?;
    let best = best_line(&book, Line::new(), usize::MAX)?;
    println!("{}, because {}", best.line, best.end);
    assert_eq!(best.line.to_string(), "f5f4d3");
    Ok(())
}
