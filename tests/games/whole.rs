//! Games read back from the database, and books and statistics made of them.

use super::random::{entry, games};
use obook::games::{Condition, GamesFormat, export, game, games as stored_games, remove, stats};
use obook::write::extract::{ExtractOptions, extract};
use obook::{Context, IfExists, NewBook, Store};
use obook_games::names::of_line;
use obook_games::{Clock, Decimal, Game, Note, Reader, Score};
use obook_othello::{Board, CanonicalBoard, Line, Side};
use obook_store::Output;
use obook_testing::imported::import_at;
use obook_testing::samples::samples;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

fn database(path: &Path, games: &[Game]) -> Store {
    let entries = games.iter().cloned().map(|game| Ok(entry(game)));
    import_at(path, entries, &Context::new("test")).unwrap();
    Store::open(path, &Context::default()).unwrap()
}

/// All games, sorted by their texts.
fn sorted<'g>(games: impl IntoIterator<Item = &'g Game>) -> Vec<String> {
    let mut texts: Vec<String> = games.into_iter().map(|game| format!("{game:?}")).collect();
    texts.sort();
    texts
}

fn all_of(store: &Store) -> Vec<Game> {
    let all = Condition::default();
    let games = stored_games(store, &all);
    games.map(|game| game.unwrap().1).collect()
}

/// Games with fields that only GGF has.
fn annotated(mut game: Game, number: usize) -> Game {
    if number.is_multiple_of(3) {
        game.black.rating = "1873.5".parse::<Decimal>().ok();
        game.white.clock = "15:00//02:00".parse::<Clock>().ok();
        game.comment = Some("a fine ] game".to_owned());
        if !game.line().moves().is_empty() {
            let time = Some(Duration::from_millis(1500));
            game.annotate(0, Note { time, ..Note::NONE });
        }
    }
    game
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Every game comes back unchanged, from the database and from an exported file.
    ///
    /// Law (Game records): A stored game is reproduced, an extracted book has what was played, and counts are right.
    /// Also: `a_start_of_its_own_comes_back` `an_extracted_book_is_what_is_played` `stats_are_counted`
    /// `some_openings_have_names` `a_row_that_is_no_game_is_reported`
    #[test]
    fn games_come_back(games in games()) {
        let games: Vec<Game> = games.into_iter().enumerate().map(|(number, game)| annotated(game, number)).collect();
        let folder = tempfile::tempdir().unwrap();
        let store = database(&folder.path().join("games.obook"), &games);
        let found = all_of(&store);
        prop_assert_eq!(sorted(&found), sorted(&games));
        let file = folder.path().join("games.ggf");
        let all = Condition::default();
        let written = export(&store, &all, &Output::File(file.clone(), IfExists::Refuse), GamesFormat::Ggf, |_, _| ()).unwrap();
        prop_assert_eq!(written.written, games.len() as u64);
        let read: Vec<Game> = Reader::open(&file, None).unwrap().map(|entry| entry.unwrap().game).collect();
        prop_assert_eq!(read, found);
    }

    /// An extracted book has the moves played often enough, and the positions they lead to.
    #[test]
    fn an_extracted_book_is_what_is_played(games in games(), min_games in 1u64..12, depth in 1u8..12) {
        let folder = tempfile::tempdir().unwrap();
        let store = database(&folder.path().join("games.obook"), &games);
        let book = folder.path().join("book.obook");
        let options = ExtractOptions { min_games, depth, level: 5, condition: Condition::default() };
        let new = NewBook::create(&book, IfExists::Refuse, &Context::new("test")).unwrap();
        let extracted = extract(&store, &options, new).unwrap();
        // By the definition: the number of times each position followed each other one.
        let mut played: BTreeMap<(CanonicalBoard, CanonicalBoard), u64> = BTreeMap::new();
        for game in &games {
            let boards: Vec<CanonicalBoard> = game.line().positions().map(|(board, _)| board.canonical()).collect();
            for pair in boards.windows(2) {
                *played.entry((pair[0], pair[1])).or_default() += 1;
            }
        }
        let is_near = |board: &CanonicalBoard| board.board().ply() <= usize::from(depth);
        played.retain(|(_, to), games| *games >= min_games && is_near(to));
        let mut reached = BTreeSet::from([Board::START.canonical()]);
        loop {
            let next = played.keys().filter(|(from, _)| reached.contains(from)).map(|(_, to)| *to);
            let more: Vec<CanonicalBoard> = next.filter(|to| !reached.contains(to)).collect();
            if more.is_empty() {
                break;
            }
            reached.extend(more);
        }
        let found = Store::open(&book, &Context::default()).unwrap();
        let boards: BTreeSet<CanonicalBoard> = found.positions().unwrap().map(|position| position.unwrap().board).collect();
        prop_assert_eq!(&boards, &reached);
        let links = played.keys().filter(|(from, _)| reached.contains(from)).count();
        prop_assert!(extracted.links >= links as u64, "what is played is linked");
        prop_assert_eq!(extracted.positions, reached.len() as u64);
    }

    /// Openings, results, years and players match the games, counted one by one.
    #[test]
    fn stats_are_counted(games in games()) {
        let folder = tempfile::tempdir().unwrap();
        let store = database(&folder.path().join("games.obook"), &games);
        let stats = stats(store.connection(), &Condition::default()).unwrap();
        let won = |winner: fn(i8) -> bool| games.iter().filter(|game| game.score.is_some_and(|score| winner(score.get()))).count() as u64;
        prop_assert_eq!(stats.results.games, games.len() as u64);
        prop_assert_eq!(stats.results.black, won(|score| score > 0));
        prop_assert_eq!(stats.results.draws, won(|score| score == 0));
        prop_assert_eq!(stats.results.white, won(|score| score < 0));
        let scores: Vec<f64> = games.iter().filter_map(|game| game.score.map(Score::get)).map(f64::from).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        prop_assert!((stats.mean.unwrap() - mean).abs() < 1e-9);
        let mut named: BTreeMap<&str, u64> = BTreeMap::new();
        for opening in games.iter().filter_map(|game| of_line(game.line())) {
            *named.entry(opening.name()).or_default() += 1;
        }
        let mut told: BTreeMap<&str, u64> = BTreeMap::new();
        for opening in &stats.openings {
            *told.entry(opening.opening.name()).or_default() += opening.results.games;
        }
        prop_assert_eq!(told, named);
        prop_assert!(stats.openings.is_sorted_by_key(|opening| std::cmp::Reverse(opening.results.games)));
        let seats = games.iter().flat_map(|game| [&game.black.name, &game.white.name]).flatten().count() as u64;
        prop_assert_eq!(stats.players.iter().map(|(_, games)| games).sum::<u64>(), seats);
    }
}

/// The generated games have named openings.
/// A remark is escaped in GGF, and files have games of a megabyte at most.
#[test]
fn a_game_longer_than_one_of_a_file_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut game = Game::new("f5d6".parse().unwrap());
    game.comment = Some("]".repeat(700_000));
    let store = database(&folder.path().join("games.obook"), &[game.clone()]);
    assert_eq!(all_of(&store), [game]);
}

#[test]
fn some_openings_have_names() {
    let all = samples(&games(), 8).concat();
    let named = all.iter().filter(|game| of_line(game.line()).is_some());
    assert!(named.count() > 50);
}

/// A game from another start position.
#[test]
fn a_start_of_its_own_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let line: Line = "f5d6c3".parse().unwrap();
    let mut other = Line::at(line.board(), Side::Black);
    other.push(line.board().moves().next().unwrap()).unwrap();
    let game_from = Game::new(other);
    let store = database(
        &folder.path().join("games.obook"),
        std::slice::from_ref(&game_from),
    );
    assert_eq!(all_of(&store), [game_from]);
}

/// A game that another process removes after it was listed is left out, and those after it are read.
#[test]
fn a_game_that_is_removed_meanwhile_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let lines = ["f5d6", "f5f6", "f5f4"];
    let store = database(&path, &lines.map(|line| Game::new(line.parse().unwrap())));
    let all = Condition::default();
    let mut games = stored_games(&store, &all).map(|game| game.unwrap());
    let ids: Vec<_> = stored_games(&store, &all)
        .map(|game| game.unwrap().0)
        .collect();
    assert_eq!(games.next().unwrap().0, ids[0]);
    let mut other = Store::open_for_writing(&path, &Context::new("test")).unwrap();
    remove(&mut other, &ids[1..2]).unwrap();
    let left: Vec<_> = games.map(|(id, _)| id).collect();
    assert_eq!(left, ids[2..]);
}

/// The error for a damaged row names it.
#[test]
fn a_row_that_is_no_game_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    drop(database(&path, &[Game::new("f5d6".parse().unwrap())]));
    let spoil = |sql: &str| {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(sql).unwrap();
        let store = Store::open(&path, &Context::default()).unwrap();
        let all = Condition::default();
        let mut games = stored_games(&store, &all);
        let error = games.next().unwrap().unwrap_err();
        error.to_string()
    };
    let illegal = spoil("UPDATE games SET moves = 'f5f5'");
    let damaged = format!("{}: row 1 of table games is damaged", path.display());
    let expected = format!("{damaged}: its moves are not a line");
    assert!(illegal.starts_with(&expected), "{illegal}");
    let date = spoil("UPDATE games SET moves = 'f5', date = 'yesterday'");
    assert!(date.ends_with("“yesterday” is not a date"), "{date}");
    let score = spoil("UPDATE games SET date = NULL, score = 100");
    assert!(score.ends_with("100 is not a score"), "{score}");
    let ggf = spoil("UPDATE games SET score = 2, ggf = '(;GM[Othello]B[C4];)'");
    assert!(ggf.ends_with("its GGF record has other moves"), "{ggf}");
    let store = Store::open(&path, &Context::default()).unwrap();
    let missing = obook::games::GameId::new(Some(2000), 1).unwrap();
    assert_eq!(game(&store, missing).unwrap(), None);
}
