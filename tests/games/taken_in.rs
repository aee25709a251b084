//! Importing games.

use super::random::{entry, games};
use obook::games::{Condition, GameId, Imported, Order, game, list, remove};
use obook::{Context, Store};
use obook_games::wthor::{List, ListKind, Names};
use obook_games::{Entry, Game, Reader};
use obook_testing::book_rows::select;
use obook_testing::games::{eight_games, sample};
use obook_testing::imported::import_at;
use obook_testing::imported::imported;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::Path;
use std::sync::Arc;

fn take(path: &Path, entries: impl IntoIterator<Item = Entry, IntoIter: Send>) -> Imported {
    let entries = entries.into_iter().map(Ok);
    import_at(path, entries, &Context::new("test")).unwrap()
}

/// Games as entries of a file with this name.
fn file(name: &str, games: &[Game]) -> Vec<Entry> {
    let name: Arc<str> = name.into();
    let entries = games.iter().cloned().map(|game| {
        let mut entry = entry(game);
        entry.place.file = Some(Arc::clone(&name));
        entry
    });
    entries.collect()
}

const TABLES: [&str; 5] = ["players", "tournaments", "games", "played", "play_counts"];

fn contents(path: &Path) -> Vec<Vec<Vec<Value>>> {
    let all = |table: &&str| select(path, &format!("SELECT * FROM {table}"));
    TABLES.iter().map(all).collect()
}

/// The games with names but without numbers, and the counts of positions.
fn anonymous(path: &Path) -> [Vec<Vec<Value>>; 2] {
    let games = "SELECT date, tournament, black, white, score, moves FROM readable_games ORDER BY 1, 2, 3, 4, 5, 6";
    let counts = "SELECT * FROM play_counts";
    [games, counts].map(|sql| select(path, sql))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Importing the same games again changes nothing, from one file or several; new games are added.
    ///
    /// Law (Game records): A game is imported once, without changing the book; if reading fails, nothing is imported.
    /// Also: `a_file_may_have_a_game_twice` `games_beside_a_book_are_undone_and_redone`
    /// `counts_are_kept_again_after_another_program` `an_unreadable_file_leaves_nothing`
    #[test]
    fn known_games_are_not_imported_again(games in games(), cut in any::<proptest::sample::Index>()) {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole.obook"), folder.path().join("parts.obook"));
        let at = cut.index(games.len());
        let first = take(&whole, file("a", &games));
        prop_assert_eq!((first.read, first.added), (games.len() as u64, games.len() as u64));
        let before = contents(&whole);
        let again = take(&whole, file("a", &games[at..]).into_iter().chain(file("b", &games)));
        prop_assert_eq!(again.added, 0);
        prop_assert_eq!(contents(&whole), before);
        prop_assert_eq!(select(&whole, "SELECT count(*) FROM history"), [[Value::Integer(1)]]);

        take(&parts, file("a", &games[at..]));
        let more = take(&parts, file("all", &games));
        // A game that the first part has twice is added again only if the whole file has it more often.
        prop_assert_eq!(more.read, games.len() as u64);
        prop_assert_eq!(anonymous(&parts), anonymous(&whole));
    }

    /// Importing games does not change the book beside them, and can be undone and redone.
    #[test]
    fn games_beside_a_book_are_undone_and_redone(games in games(), few in 1usize..4) {
        let (_folder, path) = imported("games.dat");
        let book = |path: &Path| select(path, "SELECT * FROM positions JOIN links USING (board)");
        let (positions, empty) = (book(&path), contents(&path));
        let (most, rest) = games.split_at(games.len() - few);
        take(&path, file("most", most));
        let some = contents(&path);
        take(&path, file("rest", rest));
        let all = contents(&path);
        prop_assert!(some != all);
        let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
        store.undo().unwrap();
        prop_assert_eq!(contents(&path), some.clone());
        store.undo().unwrap();
        prop_assert_eq!(contents(&path), empty);
        store.redo().unwrap();
        prop_assert_eq!(contents(&path), some);
        store.redo().unwrap();
        prop_assert_eq!(contents(&path), all);
        prop_assert_eq!(book(&path), positions);
    }

    /// Law (Game records): A removed game was never there, and can be brought back.
    #[test]
    fn a_removed_game_was_never_there(games in games(), choices in any::<u64>()) {
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["a.obook", "b.obook"].map(|name| folder.path().join(name));
        take(&path, file("a", &games));
        let before = contents(&path);
        let goes = |number: usize| choices >> (number % 64) & 1 == 1;
        let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
        let ids: Vec<GameId> = list(store.connection(), &Condition::default(), Order::Latest, None, u32::MAX)
            .unwrap()
            .into_iter()
            .map(|game| game.id)
            .collect();
        let (gone, kept): (Vec<_>, Vec<_>) = (0..).zip(ids).partition(|&(number, _)| goes(number));
        let gone: Vec<GameId> = gone.into_iter().map(|(_, id)| id).collect();
        let others: Vec<Game> = kept
            .into_iter()
            .map(|(_, id)| game(&store, id).unwrap().unwrap())
            .collect();
        // A number that comes twice counts once.
        let twice: Vec<GameId> = gone.iter().chain(&gone).copied().collect();
        let removed = remove(&mut store, &twice).unwrap();
        prop_assert_eq!(removed.games, gone.len() as u64);
        take(&plain, file("a", &others));
        let names = |path: &Path| {
            ["players", "tournaments"].map(|table| select(path, &format!("SELECT name FROM {table} ORDER BY name")))
        };
        prop_assert_eq!(anonymous(&path), anonymous(&plain));
        prop_assert_eq!(names(&path), names(&plain));
        let positions = "SELECT board, move, black, score FROM played ORDER BY 1, 2, 3, 4";
        prop_assert_eq!(select(&path, positions), select(&plain, positions));
        if !gone.is_empty() {
            store.undo().unwrap();
        }
        prop_assert_eq!(contents(&path), before);
    }

    /// When another program deletes a game, the stored counts are deleted; the next import restores them.
    #[test]
    fn counts_are_kept_again_after_another_program(games in games()) {
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["a.obook", "b.obook"].map(|name| folder.path().join(name));
        let (last, others) = games.split_last().unwrap();
        take(&path, file("a", others));
        let out = "DELETE FROM played WHERE game = (SELECT max(game) FROM games);
                   DELETE FROM games WHERE game = (SELECT max(game) FROM games)";
        Connection::open(&path).unwrap().execute_batch(out).unwrap();
        let kept = "SELECT count(*) FROM play_counts";
        prop_assert_eq!(select(&path, kept), [[Value::Integer(0)]]);
        take(&path, file("b", &games));
        take(&plain, file("a", &games));
        let _ = last;
        prop_assert_eq!(anonymous(&path), anonymous(&plain));
    }
}

/// Boards get counts when they have enough games, and later games are added to them.
#[test]
fn counts_of_many_imports_are_those_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.obook", "parts.obook"].map(|name| folder.path().join(name));
    let games: Vec<Game> = Reader::open(sample(), None)
        .unwrap()
        .map(|entry| entry.unwrap().game)
        .collect();
    take(&whole, file("a", &games));
    let mut kept = Vec::new();
    for part in games.chunks(40) {
        take(&parts, file("a", part));
        kept.push(select(&parts, "SELECT DISTINCT board FROM play_counts").len());
    }
    // None at first, and more with later imports.
    assert!(kept[0] == 0 && kept[1] > 0 && kept[7] > kept[1], "{kept:?}");
    assert_eq!(anonymous(&parts), anonymous(&whole));
}

/// A game that is twice in a file is twice in the database, and another import adds none.
#[test]
fn a_file_may_have_a_game_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let game: Game = Game::new("f5d6c3".parse().unwrap());
    let twice = [game.clone(), game.clone()];
    assert_eq!(take(&path, file("a", &twice)).added, 2);
    assert_eq!(take(&path, file("b", &twice)).added, 0);
    let thrice = [game.clone(), game.clone(), game];
    assert_eq!(take(&path, file("c", &thrice)).added, 1);
}

/// The same, if it is named twice: each time it is another file.
#[test]
fn a_file_may_be_named_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let games = [Game::new("f5d6c3".parse().unwrap())];
    let named_twice = [file("a", &games), file("a", &games)].concat();
    assert_eq!(take(&path, named_twice).added, 1);
}

/// If reading fails, nothing is imported and no database is created.
#[test]
fn an_unreadable_file_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let game = entry(Game::new("f5".parse().unwrap()));
    let broken = || obook::Error::unfit(Path::new("games.wtb"), "broken off");
    let entries = || [Ok(game.clone()), Err(broken())].into_iter();
    let failed = import_at(&path, entries(), &Context::new("test"));
    assert_eq!(failed.unwrap_err().to_string(), broken().to_string());
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    take(&path, [game.clone()]);
    let before = contents(&path);
    import_at(&path, entries(), &Context::new("test")).unwrap_err();
    assert_eq!(contents(&path), before);
}

/// The games of a WTHOR file, with or without the names of its lists.
fn wthor(name: &str, bytes: &[u8], names: &Names) -> Vec<Entry> {
    let bytes = std::io::Cursor::new(bytes.to_vec());
    let reader = obook_games::wthor::Reader::new(bytes, names.clone(), Some(name.into())).unwrap();
    reader.map(Result::unwrap).collect()
}

/// The lists of the sample archive.
fn lists() -> Names {
    let list = |kind, extension| {
        let file = std::fs::File::open(sample().with_extension(extension)).unwrap();
        Some(List::read(kind, file).unwrap())
    };
    Names {
        players: list(ListKind::Players, "jou"),
        tournaments: list(ListKind::Tournaments, "trn"),
    }
}

/// All that the database has, with names instead of their numbers.
fn named(path: &Path) -> [Vec<Vec<Value>>; 5] {
    [
        "SELECT game, date, tournament, black, white, score, moves FROM readable_games ORDER BY game",
        "SELECT name FROM players ORDER BY name",
        "SELECT name FROM tournaments ORDER BY name",
        "SELECT * FROM played",
        "SELECT * FROM play_counts",
    ]
    .map(|sql| select(path, sql))
}

/// Importing a WTHOR file without its lists, and again with them, in any order and any number of times, is importing it with them.
///
/// Law (Game records): Importing a WTHOR file with and without its lists, in any order, equals one import with them.
/// Also: `a_name_found_once_holds_for_all_years` `other_numbers_are_another_game`
#[test]
fn names_that_come_later_are_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let all = std::fs::read(sample()).unwrap();
    let (none, lists) = (Names::default(), lists());
    let only_players = Names {
        tournaments: None,
        ..lists.clone()
    };
    let alone = folder.path().join("alone.obook");
    let once = take(&alone, wthor("a", &all, &lists));
    let expected = named(&alone);
    let orders: [&[&Names]; 5] = [
        &[&none, &lists],
        &[&lists, &none],
        &[&none, &none, &lists, &lists, &none],
        &[&none, &only_players, &lists],
        &[&only_players, &none, &lists],
    ];
    for (number, order) in orders.iter().enumerate() {
        let [steps, together] =
            ["steps", "together"].map(|name| folder.path().join(format!("{name} {number}")));
        let first = take(&steps, wthor("a", &all, order[0]));
        assert_eq!((first.added, first.named_games), (300, 0));
        for names in &order[1..] {
            let before = contents(&steps);
            let more = take(&steps, wthor("b", &all, names));
            assert_eq!(
                (more.added, more.players, more.tournaments),
                (0, 0, 0),
                "{number}"
            );
            assert_eq!(
                more.named_games == 0,
                contents(&steps) == before,
                "{number}"
            );
        }
        assert_eq!(named(&steps), expected, "{number}");
        // Several files in one import.
        let files = order.iter().enumerate();
        let entries = files.flat_map(|(at, names)| wthor(&at.to_string(), &all, names));
        let imported = take(&together, entries.collect::<Vec<_>>());
        assert_eq!(
            (imported.added, imported.players, imported.tournaments),
            (once.added, once.players, once.tournaments),
            "{number}"
        );
        assert_eq!(named(&together), expected, "{number}");
    }
}

/// A name that comes with the games of one year is filled in in the games of every year; undo takes it out again.
#[test]
fn a_name_found_once_holds_for_all_years() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let (none, lists) = (Names::default(), lists());
    let [old, new] = [1999, 2000].map(eight_games);
    let both = wthor("old", &old, &none)
        .into_iter()
        .chain(wthor("new", &new, &none));
    take(&path, both.collect::<Vec<_>>());
    let numbers = contents(&path);
    let filled = take(&path, wthor("new", &new, &lists));
    assert_eq!((filled.added, filled.named_games), (0, 16));
    assert!(filled.named_players > 1);
    let of_numbers = "SELECT name FROM players WHERE name LIKE 'player %'";
    assert_eq!(select(&path, of_numbers).len(), 0);
    let filled = contents(&path);
    assert_eq!(take(&path, wthor("old", &old, &lists)).added, 0);
    assert_eq!(contents(&path), filled);
    let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
    store.undo().unwrap();
    assert_eq!(contents(&path), numbers);
    store.redo().unwrap();
    assert_eq!(contents(&path), filled);
}

/// The same moves by players of other numbers are another game.
#[test]
fn other_numbers_are_another_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let bytes = eight_games(2000);
    let mut other = bytes.clone();
    for game in other[16..].chunks_exact_mut(68) {
        game[2..6].copy_from_slice(&[5, 0, 6, 0]);
    }
    take(&path, wthor("a", &other, &Names::default()));
    let of_others = take(&path, wthor("b", &bytes, &lists()));
    let mut different = wthor("", &bytes, &Names::default());
    different.retain(|entry| {
        entry
            .numbers
            .is_some_and(|all| (all.black, all.white) != (5, 6))
    });
    assert!(!different.is_empty());
    assert_eq!(of_others.added, different.len() as u64);
    // Without names, they are those of either.
    assert_eq!(take(&path, wthor("c", &bytes, &Names::default())).added, 0);
}
