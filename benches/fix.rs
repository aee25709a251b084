//! `obook fix` on a database, relative to the minimum that SQLite needs to write it.
//!
//! `OBOOK_BENCH_BOOK=book.dat cargo bench --bench fix` measures your own book. The first measurement is a
//! book without derived columns, so that everything is written; the second one is the same book fixed again, so that nothing is.

mod bare;
mod bench_book;

use bare::{RUNS, print, time, write_bare, write_book};
use obook::write::fix::{Steps, recompute};
use obook::{Context, Store};
use obook_testing::imported::import_file;
use rusqlite::Connection;

/// Removes everything that `fix` computes.
const WIPE: &str = "
    UPDATE positions SET value = NULL, lower = NULL, upper = NULL, wins = NULL, draws = NULL, losses = NULL, lines = NULL;
    UPDATE links SET score = NULL;
    PRAGMA wal_checkpoint(TRUNCATE);";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("book.dat");
    let positions = write_book(&file);
    let database = folder.path().join("book.obook");
    import_file(&file, &database, &Context::new("test")).expect("a book");
    let bare = folder.path().join("bare.db");
    let fix = |changed: usize| {
        let steps = Steps::Fix { rules: None };
        let report = recompute(
            &mut Store::open_for_writing(&database, &Context::new("test")).unwrap(),
            steps,
        )
        .expect("a database");
        assert_eq!(report.changed.positions, changed as u64);
    };

    let mut times = Vec::new();
    for _ in 0..RUNS {
        let connection = Connection::open(&database).expect("a database");
        connection.execute_batch(WIPE).expect("the tables");
        drop(connection);
        let fixed = time(|| fix(positions.len()));
        let written = time(|| write_bare(&positions, &bare));
        let again = time(|| fix(0));
        times.push([written, fixed, again]);
    }
    let names = [
        "bare statements, one row each",
        "fix, all written anew",
        "fix, nothing to write",
    ];
    print(positions.len(), names, &times);
}
