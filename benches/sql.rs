//! SQL on a book: look-ups, trees, scans and book files as tables, relative to a scan of table `positions` that reads one number of
//! each row.
//!
//! The books are those of the import benchmark, or your own: `OBOOK_BENCH_BOOK=book.dat cargo bench --bench sql`.

#[allow(dead_code, reason = "nothing is written here")]
mod bare;
mod bench_book;

use bare::{RUNS, print, time, write_book};
use obook::{Context, Store};
use obook_testing::imported::import_file;
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use std::time::Duration;

/// Repetitions of a question about one position, which is too fast to be timed alone.
const TIMES: usize = 1000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [file, path] = ["book.dat", "book.obook"].map(|name| folder.path().join(name));
    let positions = write_book(&file);
    import_file(&file, &path, &Context::new("test")).expect("a database");
    let store = Store::open(&path, &Context::default()).expect("a database");
    let connection = store.connection();
    let file = file.to_str().expect("a name in UTF-8");
    let spread = positions.len() / TIMES;
    let keys: Vec<[u8; 16]> = positions
        .iter()
        .step_by(spread.max(1))
        .take(TIMES)
        .map(|position| position.board.to_key())
        .collect();
    let moves = "SELECT value, m.* FROM positions AS p, moves(p.board) AS m WHERE p.board = ?";
    let missing = "SELECT count(*) FROM edax(?) AS f WHERE NOT EXISTS (SELECT 1 FROM positions AS p WHERE p.board = f.board)";
    let by_hand = "WITH RECURSIVE reached(board) AS (SELECT board('') UNION \
         SELECT child(l.board, l.move) FROM reached JOIN links AS l USING (board)) \
         SELECT count(*) FROM reached JOIN positions USING (board)";
    let rows: Vec<[Duration; 9]> = (0..RUNS)
        .map(|_| {
            [
                time(|| ask(connection, "SELECT sum(value) FROM positions", ())),
                time(|| {
                    ask(
                        connection,
                        "SELECT empties, count(*), avg(value) FROM positions GROUP BY empties",
                        (),
                    )
                }),
                time(|| ask(connection, "SELECT sum(mobility(board)) FROM positions", ())),
                time(|| {
                    keys.iter()
                        .for_each(|key| ask(connection, moves, params![key]))
                }),
                time(|| ask(connection, "SELECT count(*) FROM tree('', 8)", ())),
                time(|| ask(connection, "SELECT count(*) FROM tree('')", ())),
                time(|| ask(connection, by_hand, ())),
                time(|| {
                    ask(
                        connection,
                        "SELECT count(*), sum(value) FROM edax(?)",
                        [file],
                    )
                }),
                time(|| ask(connection, missing, [file])),
            ]
        })
        .collect();
    let names = [
        "all positions, one number",
        "grouped by empties",
        "with a function of the board",
        "1000 look-ups with their moves",
        "tree to depth 8",
        "the whole tree",
        "the same by hand, without lines",
        "all positions of the file",
        "what the file has that is new",
    ];
    print(positions.len(), names, &rows);
}

/// Reads all rows of an answer.
fn ask(connection: &Connection, sql: &str, params: impl rusqlite::Params) {
    let mut statement = connection.prepare_cached(sql).expect("a sensible question");
    let width = statement.column_count();
    let mut rows = statement.query(params).expect("an answer");
    while let Some(row) = rows.next().expect("a row") {
        for column in 0..width {
            std::hint::black_box(row.get::<_, Value>(column).expect("a value"));
        }
    }
}
