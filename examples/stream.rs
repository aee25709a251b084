//! All positions of a book, one after the other: memory doesn't grow with the book.

use obook::{Book, Context};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut values = [0; 129];
    Book::open("examples/games.dat", &Context::default())?.each_position(
        &Context::default(),
        |it| {
            it.value
                .into_iter()
                .for_each(|value| values[(value + 64) as usize] += 1);
            Ok(())
        },
    )?;
    println!("{values:?}");
    assert_eq!(values.iter().sum::<u32>(), 2247);
    Ok(())
}
