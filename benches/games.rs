//! Games in the database: importing the whole archive, and questions about the first positions.
//!
//! The archive is in `../shared/games/wthor`, or in the folder `OBOOK_WTHOR`: 42 files, 124 326 games.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use obook::games::{Condition, Order, Winner, list, plays, stats, through};
use obook::{Context, Error, Store};
use obook_games::{Entry, Reader};
use obook_othello::Line;
use obook_testing::imported::import_at;
use std::hint::black_box;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = std::env::var_os("OBOOK_WTHOR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/games/wthor"),
        PathBuf::from,
    );
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}; set OBOOK_WTHOR", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("wtb"))
    });
    files.sort();
    files
}

fn entries(files: &[PathBuf]) -> impl Iterator<Item = Result<Entry, Error>> + Send + '_ {
    let readers = files.iter().map(|file| Reader::open(file, None).unwrap());
    readers.flatten().map(|entry| entry.map_err(Error::from))
}

fn games(criterion: &mut Criterion) {
    let files = files();
    let folder = tempfile::tempdir().unwrap();
    let take = |path: &Path| import_at(path, entries(&files), &Context::new("bench")).unwrap();
    let path = folder.path().join("games.obook");
    let imported = take(&path);
    let bytes = std::fs::metadata(&path).unwrap().len();
    println!(
        "{} games, {} positions, {:.1} bytes a position",
        imported.added,
        imported.positions,
        bytes as f64 / imported.positions as f64
    );

    let mut group = criterion.benchmark_group("games");
    group.sample_size(10);
    group.throughput(Throughput::Elements(imported.added));
    let mut number = 0;
    group.bench_function("import", |bencher| {
        bencher.iter(|| {
            number += 1;
            let path = folder.path().join(format!("{number}.obook"));
            take(&path);
            std::fs::remove_file(&path).unwrap();
        });
    });
    let store = Store::open(&path, &Context::default()).unwrap();
    let connection = store.connection();
    group.bench_function("stats", |bencher| {
        bencher.iter(|| stats(connection, &Condition::default()).unwrap());
    });
    group.finish();

    let conditions = [
        ("all", Condition::default()),
        (
            "years",
            Condition {
                since: Some(2000),
                ..Condition::default()
            },
        ),
        (
            "winner",
            Condition {
                winner: Some(Winner::White),
                ..Condition::default()
            },
        ),
        (
            "player",
            Condition {
                player: Some("buro".to_owned()),
                ..Condition::default()
            },
        ),
        (
            "tournament",
            Condition {
                tournament: Some("world championship".to_owned()),
                ..Condition::default()
            },
        ),
    ];
    let mut group = criterion.benchmark_group("at");
    for moves in ["", "f5d6c3", "f5d6c3d3c4f4f6f3e6e7d7c5"] {
        let line: Line = moves.parse().unwrap();
        let board = line.board().canonical();
        for (name, condition) in &conditions {
            let id = |what: &str| BenchmarkId::new(format!("{what}, {name}"), line.ply());
            group.bench_function(id("counts"), |bencher| {
                bencher.iter(|| plays(connection, None, black_box(board), condition).unwrap());
            });
            group.bench_function(id("latest ten"), |bencher| {
                bencher.iter(|| {
                    through(connection, None, black_box(board), condition, None, 10).unwrap()
                });
            });
        }
    }
    group.bench_function("list, player", |bencher| {
        bencher.iter(|| list(connection, &conditions[3].1, Order::Latest, None, 20).unwrap());
    });
    group.finish();
}

criterion_group!(benches, games);
criterion_main!(benches);
