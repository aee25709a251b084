//! Importing an Edax book, relative to the minimum that SQLite needs: the same rows through bare prepared statements.
//!
//! `OBOOK_BENCH_BOOK=book.dat cargo bench --bench import` measures your own book. Both are timed alternately, so that the
//! ratio holds even if the machine's speed drifts; the medians are printed.

mod bare;
mod bench_book;

use bare::{RUNS, print, time, write_bare, write_book};
use obook::{Book, Context};
use obook_testing::imported::import_file;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("book.dat");
    let positions = write_book(&file);
    let database = folder.path().join("book.obook");
    let bare = folder.path().join("bare.db");

    let mut times = Vec::new();
    for _ in 0..RUNS {
        let imported = time(|| {
            import_file(&file, &database, &Context::new("test")).expect("a book");
        });
        let written = time(|| write_bare(&positions, &bare));
        let scanned = time(|| {
            let book = Book::open(&database, &Context::default()).expect("a database");
            let count = book
                .records()
                .expect("a database")
                .map(Result::unwrap)
                .count();
            assert_eq!(count, positions.len());
        });
        times.push([written, imported, scanned]);
    }
    let names = [
        "bare statements, one row each",
        "import of the Edax book",
        "scan of all positions",
    ];
    print(positions.len(), names, &times);
}
