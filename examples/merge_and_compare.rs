//! Two books become one. What that changes is listed board by board.

use obook::read::diff::diff;
use obook::write::merge::{MergeOptions, merge};
use obook::{Book, Context};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new("example");
    let folder = tempfile::tempdir()?;
    let [old, other] = ["examples/games.dat", "examples/small.dat.zst"];
    let mut book = Book::import(old, folder.path().join("all.obook"), &context)?;
    let merged = merge(&mut book, &[other.into()], MergeOptions::default())?.total();
    let (before, now) = (Book::open(old, &context)?, Book::Database(book));
    let counts = diff(before, now, &[], &context, |changed| {
        println!("{}: {:?}", changed.board.board().to_text(), changed.kind);
        Ok(())
    })?;
    assert!(merged.added > 0 && counts.only_b >= merged.added && counts.only_a == 0);
    Ok(())
}
