//! All positions of a book, one after the other: memory doesn't grow with the book.

use obook::{Book, Context};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::default();
    let mut values = [0; 129];
    Book::open("examples/games.dat", &context)?.each_position(&context, |position| {
        values[(64 + position.value.unwrap_or(0)) as usize] += 1;
        Ok(())
    })?;
    println!("{values:?}");
    assert_eq!(values.iter().sum::<u32>(), 2247);
    Ok(())
}
