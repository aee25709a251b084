//! Ratings in the database, compared with ratings of the same games without one.

use super::random::{entry, games};
use obook::games::{StoredRatings, store_ratings};
use obook::{Context, Store};
use obook_games::ratings::{Divisor, Method, PlayedPositions, Settings, for_each};
use obook_games::{Game, Reader};
use obook_testing::book_rows::select;
use obook_testing::games::sample;
use obook_testing::imported::import_at;
use obook_testing::imported::imported;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Ratings by board and method.
type Ratings = BTreeMap<(Vec<u8>, String), f64>;

/// The ratings from games alone.
fn plain(games: &[Game], methods: &[Method], settings: &Settings, least: u64) -> Ratings {
    let mut plays = PlayedPositions::default();
    for game in games {
        if let Some(score) = game.score {
            plays.add(game.line(), score);
        }
    }
    let mut ratings = Ratings::new();
    for_each(&mut plays, settings, |play, rating| {
        if play.count() >= least {
            for method in methods {
                let key = (play.board.to_key().to_vec(), method.name().to_owned());
                ratings.insert(key, rating.of(*method));
            }
        }
    });
    ratings
}

/// The ratings in the database.
fn stored(path: &Path) -> Ratings {
    let all = select(path, "SELECT board, method, value FROM ratings");
    let one = |row: Vec<Value>| match <[Value; 3]>::try_from(row) {
        Ok([Value::Blob(board), Value::Text(method), Value::Real(value)]) => {
            ((board, method), value)
        }
        other => panic!("{other:?} is no rating"),
    };
    all.into_iter().map(one).collect()
}

fn same(ours: &Ratings, theirs: &Ratings) {
    assert!(ours.keys().eq(theirs.keys()), "other positions");
    for (key, value) in ours {
        let other = theirs[key];
        assert!((value - other).abs() < 1e-12, "{key:?}: {value} {other}");
    }
}

fn take(path: &Path, games: &[Game]) {
    let entries = games.iter().cloned().map(entry).map(Ok);
    import_at(path, entries, &Context::new("test")).unwrap();
}

fn rate(path: &Path, methods: &[Method], settings: &Settings, least: u64) -> StoredRatings {
    let mut database = Store::open_for_writing(path, &Context::new("test")).unwrap();
    store_ratings(&mut database, methods, settings, least).unwrap()
}

/// The games of the sample archive, and a database of them.
fn archive() -> (Vec<Game>, TempDir, PathBuf) {
    let games = Reader::open(sample(), None).unwrap();
    let games: Vec<Game> = games.map(|entry| entry.unwrap().game).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    take(&path, &games);
    (games, folder, path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Ratings are those of the games with a result, whatever was rated before, and the book beside them is unchanged.
    ///
    /// Law (Game records): A database's ratings are those of its games, and leave the book unchanged.
    /// Also: `ratings_are_undone_and_redone` `cli/tests/program/rate.rs` `ratings_of_an_archive_are_printed_and_stored`
    #[test]
    fn ratings_are_those_of_the_games(games in games(), least in 1u64..9, alpha in 0.5f64..1.0, legal in any::<bool>()) {
        let (_folder, path) = imported("games.dat");
        take(&path, &games);
        let book = |path: &Path| select(path, "SELECT * FROM positions JOIN links USING (board)");
        let before = book(&path);
        let divisor = if legal { Divisor::Legal } else { Divisor::Played };
        let settings = Settings { alpha, divisor, ..Settings::default() };
        let found = rate(&path, &Method::ALL, &settings, least);
        let expected = plain(&games, &Method::ALL, &settings, least);
        same(&stored(&path), &expected);
        let with_result = games.iter().filter(|game| game.score.is_some()).count() as u64;
        prop_assert_eq!((found.games, found.left_out), (with_result, games.len() as u64 - with_result));
        let all = plain(&games, &[Method::Expectation1], &settings, 1).len() as u64;
        prop_assert_eq!((3 * found.positions, found.too_few), (expected.len() as u64, all - found.positions));
        prop_assert_eq!(book(&path), before);
    }

    /// New ratings replace the old ones, and undo restores them.
    #[test]
    fn ratings_are_undone_and_redone(games in games()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.obook");
        take(&path, &games);
        let settings = Settings::default();
        rate(&path, &Method::ALL, &settings, 2);
        let all = stored(&path);
        rate(&path, &[Method::Probability], &settings, 3);
        let some = stored(&path);
        same(&some, &plain(&games, &[Method::Probability], &settings, 3));
        let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
        store.undo().unwrap();
        prop_assert_eq!(stored(&path), all.clone());
        store.undo().unwrap();
        prop_assert_eq!(stored(&path), Ratings::new());
        store.redo().unwrap();
        prop_assert_eq!(stored(&path), all);
        store.redo().unwrap();
        prop_assert_eq!(stored(&path), some);
    }
}

#[test]
fn an_archive_is_rated() {
    let (games, _folder, path) = archive();
    assert_eq!(games.len(), 300);
    let alpha = Settings {
        alpha: 0.7,
        ..Settings::default()
    };
    for (methods, settings, least) in [
        (&Method::ALL[..], Settings::default(), 4),
        (&[Method::Expectation2], alpha, 1),
    ] {
        let expected = plain(&games, methods, &settings, least);
        assert!(!expected.is_empty());
        let found = rate(&path, methods, &settings, least);
        same(&stored(&path), &expected);
        assert_eq!(found.positions as usize * methods.len(), expected.len());
    }
}

#[test]
fn a_failed_rating_says_why_and_changes_nothing() {
    let (_, folder, path) = archive();
    let all = |path: &Path| {
        let settings = Settings::default();
        let mut database = Store::open_for_writing(path, &Context::new("test")).unwrap();
        store_ratings(&mut database, &Method::ALL, &settings, 4)
    };
    let refusal = |path: &Path| {
        let said = all(path).unwrap_err().to_string();
        assert!(said.starts_with(path.to_str().unwrap()), "{said}");
        said
    };
    all(&path).unwrap();
    let before = stored(&path);
    // A square of both sides, a board that is not canonical, an impossible move.
    let damage = [
        "SET board = x'00000000000000010000000000000001' WHERE board = (SELECT max(board) FROM played)",
        "SET board = x'00000000000000008000000000000000' WHERE board = (SELECT max(board) FROM played)",
        "SET move = 65 WHERE board = (SELECT max(board) FROM played)",
        "SET move = -1 WHERE board = (SELECT max(board) FROM played)",
    ];
    for damage in damage {
        let copy = folder.path().join("copy.obook");
        let connection = Connection::open(&path).unwrap();
        let into = [copy.to_str().unwrap()];
        connection.execute("VACUUM INTO ?", into).unwrap();
        let damaged = Connection::open(&copy).unwrap();
        let damage = format!("UPDATE played {damage}");
        damaged.execute_batch(&damage).unwrap();
        drop(damaged);
        let said = refusal(&copy);
        assert!(
            said.contains("table played has a damaged row of game 20260000"),
            "{said}"
        );
        assert_eq!(stored(&copy), before);
        std::fs::remove_file(&copy).unwrap();
    }
    let unknown = "UPDATE games SET score = NULL; UPDATE played SET score = NULL";
    Connection::open(&path)
        .unwrap()
        .execute_batch(unknown)
        .unwrap();
    let said = refusal(&path);
    assert!(
        said.contains("none of its games has a known result"),
        "{said}"
    );
    let (_folder, empty) = imported("games.dat");
    let said = refusal(&empty);
    assert!(said.contains("it contains no games"), "{said}");
    let changes = "SELECT count(*) FROM history";
    assert_eq!(select(&empty, changes), [[Value::Integer(1)]]);
}
