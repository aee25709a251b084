//! A book of Edax becomes one of Egaroucid, in memory.

use obook::write::export::{ExportOptions, Input, convert};
use obook::{Context, Format};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::default();
    let edax = std::io::Cursor::new(std::fs::read("examples/games.dat")?);
    let (book, mut egaroucid) = (Input::new(edax, "games.dat", None, &context)?, Vec::new());
    let options = ExportOptions::new(Format::Egbk3);
    let losses = convert(book, &mut egaroucid, &options, &context)?.losses;
    println!("{} bytes, lost: {losses}", egaroucid.len());
    assert!(egaroucid.starts_with(b"DICUORAGE") && !losses.is_empty());
    Ok(())
}
