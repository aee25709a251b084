//! The benchmark book as a file, and the minimum that SQLite needs to write it: bare prepared statements, timed alternately with the
//! measured work, so that the ratios hold even if the machine's speed drifts.

use crate::bench_book::book;
use obook_converters::{BookWriter, Format, Header};
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax};
use obook_othello::Position;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const RUNS: usize = 5;

/// Prints the medians of the columns; the first one is for the bare statements.
pub(crate) fn print<const COLUMNS: usize>(
    positions: usize,
    names: [&str; COLUMNS],
    times: &[[Duration; COLUMNS]],
) {
    let median = |column: usize| {
        let mut column: Vec<Duration> = times.iter().map(|row| row[column]).collect();
        column.sort();
        column[column.len() / 2].as_secs_f64()
    };
    let bare = median(0);
    println!("{positions} positions, medians of {} runs", times.len());
    for (column, name) in names.into_iter().enumerate() {
        let found = median(column);
        println!("{name:30} {found:.3} s  ratio {:.2}", found / bare);
    }
}

pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Writes the book as an Edax file, and returns its positions by key.
pub(crate) fn write_book(file: &Path) -> Vec<Position> {
    let mut builder = Graph::builder();
    book()
        .into_iter()
        .for_each(|position| builder.push(position));
    let (mut graph, _) = builder.finish().expect("the book fits");
    link(&mut graph).expect("the links fit");
    negamax(
        &mut graph,
        Scoring::Edax {
            midgame_error: 2,
            endcut_error: 1,
        },
    );
    let header = Header {
        level: Some(21),
        n_empties: Some(24),
        midgame_error: Some(2),
        endcut_error: Some(1),
        count: Some(graph.len() as i64),
        ..Header::default()
    };
    let mut writer = BookWriter::create(file, Format::Edax, &header, None).expect("a file");
    let positions: Vec<Position> = graph.positions().collect();
    positions
        .iter()
        .for_each(|position| writer.write(position).expect("a record"));
    writer.finish().expect("a book");
    positions
}

/// Writes the same rows, sorted by key, one statement for each, in one transaction.
pub(crate) fn write_bare(positions: &[Position], path: &Path) {
    let _ = std::fs::remove_file(path);
    let connection = Connection::open(path).expect("a database");
    connection
        .execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;",
        )
        .expect("settings");
    connection
        .execute_batch(obook::OTHELLO.sql)
        .expect("the schema");
    connection.execute_batch("BEGIN").expect("a transaction");
    let mut row = connection
        .prepare(
            "INSERT INTO positions (board, empties, value, lower, upper, level, engine, wins, draws, losses, lines)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .expect("a statement");
    for position in positions {
        let bounds = position.bounds.expect("bounds");
        let outcomes = position.outcomes.expect("outcomes");
        row.execute(params![
            position.board.to_key(),
            position.board.board().empties(),
            position.value,
            bounds.lower,
            bounds.upper,
            position.level,
            1,
            outcomes.wins,
            outcomes.draws,
            outcomes.losses,
            position.lines
        ])
        .expect("a row");
    }
    let mut row = connection
        .prepare("INSERT INTO links (board, move, score) VALUES (?, ?, ?)")
        .expect("a statement");
    for position in positions {
        let mut links = position.links.clone();
        links.sort_by_key(|link| link.mv);
        for link in links {
            row.execute(params![position.board.to_key(), link.mv.code(), link.score])
                .expect("a row");
        }
    }
    let mut row = connection
        .prepare("INSERT INTO leaves (board, move, score, level, engine) VALUES (?, ?, ?, ?, ?)")
        .expect("a statement");
    for position in positions {
        if let Some(leaf) = position.leaf {
            let mv = leaf.mv.map(|mv| mv.code());
            row.execute(params![
                position.board.to_key(),
                mv,
                leaf.score,
                leaf.level,
                1
            ])
            .expect("a row");
        }
    }
    connection.execute_batch("COMMIT").expect("a transaction");
}
