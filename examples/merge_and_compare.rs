//! Two books become one. What that changes is listed board by board.

use obook::read::diff::diff;
use obook::write::import::import;
use obook::write::merge::{MergeOptions, merge};
use obook::{Book, Context, IfExists, NewBook};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new("example");
    let folder = tempfile::tempdir()?;
    let (path, [old, other]) = (
        folder.path().join("all.obook"),
        ["examples/games.dat", "examples/small.dat.zst"],
    );
    import(
        Book::open(old, &context)?,
        NewBook::create(&path, IfExists::Refuse, &context)?,
    )?;
    let mut book = Book::open_for_writing(&path, &context)?;
    let merged = merge(&mut book, &[other.into()], MergeOptions::default())?.total();
    let (before, now) = (Book::open(old, &context)?, Book::open(&path, &context)?);
    let counts = diff(before, now, &[], &context, |changed| {
        println!("{}: {:?}", changed.board.board().to_text(), changed.kind);
        Ok(())
    })?;
    assert!(merged.added > 0 && counts.only_b >= merged.added && counts.only_a == 0);
    Ok(())
}
