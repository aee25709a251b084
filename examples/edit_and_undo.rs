//! A value is entered, everything above it follows, and it is taken back.

use obook::write::edit::{Edit, edit};
use obook::write::import::import;
use obook::{Book, Context, IfExists, Line, NewBook};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new("example");
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("mine.obook");
    let new = NewBook::create(&path, IfExists::Refuse, &context)?;
    import(Book::open("examples/games.dat", &context)?, new)?;
    let mut book = Book::open_for_writing(&path, &context)?;
    let line: Line = "f5d6c3".parse()?;
    let edited = edit(&mut book, &line, Edit::Enter(4))?;
    println!(
        "{:?} became {:?}, and {} positions above it changed",
        edited.before, edited.after, edited.ancestors
    );
    book.undo()?;
    let value = book
        .position(line.board().canonical())?
        .and_then(|it| it.value);
    assert!(edited.after == Some(4) && value == edited.before);
    Ok(())
}
