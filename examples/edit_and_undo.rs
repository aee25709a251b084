//! A value is entered, everything above it follows, and it is taken back.

use obook::write::edit::{Edit, edit};
use obook::{Book, Context, Line};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (path, context) = (folder.path().join("mine.obook"), Context::new("example"));
    let mut book = Book::import("examples/games.dat", path, &context)?;
    let line: Line = "f5d6c3".parse()?;
    let edited = edit(&mut book, &line, Edit::Enter(4))?;
    let (before, now) = (edited.before, edited.after);
    println!("{before:?} became {now:?}");
    book.undo()?;
    let found = book.position(line.board().canonical())?;
    assert!(now == Some(4) && found.expect("it stays").value == before);
    Ok(())
}
