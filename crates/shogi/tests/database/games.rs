//! Games in databases: what goes in comes out, and positions are counted as by hand.

use obook_base::ratings::{Method, Rating, Settings};
use obook_shogi::database::SHOGI;
use obook_shogi::database::export::open;
use obook_shogi::database::extract::{ExtractOptions, extract};
use obook_shogi::database::games::{
    Condition, Exported, ImportOptions, ImportedGames, Kind, Order, each_game, each_record, export,
    game, import, is_record, list, plays, remove, stats,
};
use obook_shogi::database::ratings::store_ratings;
use obook_shogi::games::{End, Format, Game, Outcome, csa, encode};
use obook_shogi::{Board, Colour, Packed};
use obook_store::{Context, IfExists, Output, Store};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Short games from the start, so that many of their positions are the same.
fn any_games() -> impl Strategy<Value = Vec<Game>> {
    let end = prop::sample::select(vec![
        End::Resigned,
        End::TimeOut,
        End::Foul(Colour::White),
        End::Impasse,
        End::BrokenOff,
    ]);
    let game = (
        prop::collection::vec(0usize..3, 1..6),
        end,
        "[a-c]",
        "[a-c]",
    );
    let games = prop::collection::vec(game, 1..12);
    games.prop_map(|games| {
        let games = games.into_iter().map(|(choices, end, black, white)| {
            let mut game = Game::default();
            for choice in choices {
                // A rook and back, so that positions come back.
                let names = match game.board().turn() {
                    Colour::Black => ["2h3h", "3h2h", "7g7f"],
                    Colour::White => ["8b7b", "7b8b", "3c3d"],
                };
                let mv = names[choice].parse().unwrap();
                let _ = game
                    .play(mv)
                    .or_else(|| game.play(names[0].parse().unwrap()));
            }
            game.end(end);
            let day = |year: &str| format!("{year}-05-03");
            game.date = match black.as_str() {
                "a" => Some(day("2018")),
                "b" => Some(day("2019")),
                _ => None,
            };
            game.event = (white == "b").then(|| String::from("Élite Cup"));
            let rating =
                |name: &str| Some(name.bytes().map(i32::from).sum()).filter(|_| name != "c");
            (game.black_rating, game.white_rating) = (rating(&black), rating(&white));
            (game.black, game.white) = (Some(black), Some(white));
            game
        });
        games.collect()
    })
}

fn write(folder: &TempDir, games: &[Game]) -> PathBuf {
    let texts: Vec<String> = games.iter().map(csa::write).collect();
    let file = folder.path().join("games.csa");
    fs::write(&file, texts.join("/\n")).unwrap();
    file
}

fn add(file: &Path, book: &Path) -> ImportedGames {
    let files = [file.to_owned()];
    import(
        &files,
        ImportOptions::default(),
        book,
        |_, _| {},
        &Context::default(),
    )
    .unwrap()
}

fn strictly() -> ImportOptions<'static> {
    ImportOptions {
        strict: true,
        ..ImportOptions::default()
    }
}

fn stored(book: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    let take = |game| {
        games.push(game);
        Ok(())
    };
    each_game(&[book.to_owned()], None, &Context::default(), take).unwrap();
    games
}

fn conditions() -> impl Strategy<Value = Condition> {
    let part = |parts: &'static [&'static str]| {
        let part = prop::sample::select(parts).prop_map(str::to_owned);
        prop::option::weighted(0.2, part)
    };
    let year = || prop::option::weighted(0.2, 2017u16..2020);
    let outcomes = vec![
        Outcome::Won(Colour::Black),
        Outcome::Won(Colour::White),
        Outcome::Drawn,
    ];
    let kinds = vec![
        Kind::Finished,
        Kind::Unfinished,
        Kind::Ended(End::Resigned),
        Kind::Ended(End::Foul(Colour::Black)),
        Kind::Elsewhere,
    ];
    let mut passed = Game::default();
    let _ = passed.play("2h3h".parse().unwrap());
    (
        part(&["a", "B", "d"]),
        part(&["A", "b"]),
        part(&["a", "C"]),
        part(&["É", "cup"]),
        (year(), year()),
        prop::option::weighted(0.2, prop::sample::select(outcomes)),
        prop::option::weighted(0.2, prop::sample::select(kinds)),
        prop::collection::vec(Just(*passed.board()), 0..2),
        prop::option::weighted(0.2, 96u32..100),
    )
        .prop_map(
            |(player, black, white, event, (since, until), outcome, kind, through, rated)| {
                Condition {
                    since,
                    until,
                    player,
                    black,
                    white,
                    event,
                    outcome,
                    rated,
                    through,
                    kind,
                }
            },
        )
}

/// Whether a game meets a condition, by the definition of [`Condition`].
fn is_meant(game: &Game, condition: &Condition) -> bool {
    let has = |names: &[&Option<String>], part: &Option<String>| {
        part.as_ref().is_none_or(|part| {
            let mut names = names.iter().copied().flatten();
            names.any(|name| name.to_lowercase().contains(&part.to_lowercase()))
        })
    };
    let year: Option<u16> = game.date.as_ref().map(|date| date[..4].parse().unwrap());
    has(&[&game.black, &game.white], &condition.player)
        && has(&[&game.black], &condition.black)
        && has(&[&game.white], &condition.white)
        && has(&[&game.event], &condition.event)
        && condition.since.is_none_or(|since| year >= Some(since))
        && (condition.until).is_none_or(|until| year.is_some_and(|year| year <= until))
        && (condition.outcome).is_none_or(|outcome| game.outcome == Some(outcome))
        && condition.rated.is_none_or(|rated| {
            let mut ratings = [game.black_rating, game.white_rating].into_iter();
            ratings.all(|rating| rating.is_some_and(|rating| rating >= rated as i32))
        })
        && condition.through.iter().all(|board| {
            let key = board.key();
            game.positions().any(|it| it.key() == key)
        })
        && condition.kind.is_none_or(|kind| match kind {
            Kind::Finished => game.outcome.is_some(),
            Kind::Unfinished => game.outcome.is_none(),
            Kind::Ended(end) => game.end.map(End::name) == Some(end.name()),
            Kind::Elsewhere => *game.start() != Board::start(),
        })
}

fn distinct(games: &[Game]) -> Vec<Game> {
    let mut seen = BTreeSet::new();
    let new = |game: &&Game| seen.insert((csa::write(game).split('%').next().unwrap().to_owned(),));
    games.iter().filter(new).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): A database reproduces games, each once and whole, and counts them correctly.
    /// Also: `positions_are_counted_as_by_hand` `results_are_for_the_side_to_move` `an_import_is_whole`
    /// `moves_in_a_database_are_checked`
    #[test]
    fn games_come_back_and_none_comes_twice(games in any_games()) {
        let folder = tempfile::tempdir().unwrap();
        let (file, book) = (write(&folder, &games), folder.path().join("games.obook"));
        prop_assert!(is_record(&file));
        let imported = add(&file, &book);
        let expected = distinct(&games);
        prop_assert_eq!(imported.read, games.len() as u64);
        prop_assert_eq!(imported.added, expected.len() as u64);
        let positions: usize = expected.iter().map(|game| game.moves().len() + 1).sum();
        prop_assert_eq!(imported.positions, positions as u64);
        prop_assert_eq!(&stored(&book), &expected);
        prop_assert_eq!(add(&file, &book).added, 0);
        let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
        prop_assert_eq!(list(&store, &Condition::default(), Order::Latest, 100).unwrap().len(), expected.len());
        for (number, expected) in (1..).zip(&expected) {
            let (found, faults) = game(&store, number).unwrap().unwrap();
            prop_assert_eq!((&found, faults), (expected, None));
        }
        prop_assert!(game(&store, 0).unwrap().is_none());
    }

    #[test]
    fn exported_games_come_back_and_are_counted(games in any_games(), condition in conditions()) {
        let folder = tempfile::tempdir().unwrap();
        let (file, book) = (write(&folder, &games), folder.path().join("games.obook"));
        add(&file, &book);
        let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
        let kept = distinct(&games);
        let expected: Vec<Game> = kept.iter().filter(|game| is_meant(game, &condition)).cloned().collect();
        let mut earliest: Vec<usize> = (0..kept.len()).filter(|&at| is_meant(&kept[at], &condition)).collect();
        earliest.sort_by_key(|&at| (kept[at].date.is_none(), kept[at].date.clone()));
        let listed = list(&store, &condition, Order::Earliest, 100).unwrap();
        let numbers: Vec<usize> = listed.iter().map(|game| game.game as usize - 1).collect();
        prop_assert_eq!(numbers, earliest);
        let longest = list(&store, &condition, Order::Longest, 100).unwrap();
        prop_assert!(longest.iter().map(|game| game.moves).rev().is_sorted());
        let latest = list(&store, &condition, Order::Latest, 100).unwrap();
        prop_assert!(latest.iter().map(|game| (&game.date, game.game)).rev().is_sorted());
        prop_assert_eq!((longest.len(), latest.len()), (listed.len(), listed.len()));
        let all = Condition::default();
        for (format, name) in [(Format::Csa, "out.csa"), (Format::Kif, "out.kif"), (Format::Kif, "out.kifu"), (Format::Ki2, "out.ki2")] {
            let out = folder.path().join(name);
            let exported = export(&store, &condition, &Output::File(out.clone(), IfExists::Refuse), format);
            let text: String = expected.iter().map(|game| format.write(game, false)).collect();
            if encode(&text, name.split_once('.').unwrap().1).is_err() {
                prop_assert!(exported.unwrap_err().to_string().contains("which Shift_JIS lacks"));
                prop_assert!(!out.exists());
                continue;
            }
            let whole = Exported { written: expected.len() as u64, results_left_out: 0 };
            prop_assert_eq!(exported.unwrap(), whole);
            if expected.is_empty() { continue }
            let mut found = Vec::new();
            each_record(std::slice::from_ref(&out), None, |_, record| {
                found.push(record?.game);
                Ok(())
            }).unwrap();
            // KIF has no ratings.
            let unrated = |game: &Game| {
                let mut game = game.clone();
                (game.black_rating, game.white_rating) = (None, None);
                game
            };
            let expected: Vec<Game> = match format {
                Format::Csa => expected.clone(),
                _ => expected.iter().map(unrated).collect(),
            };
            prop_assert_eq!(&found, &expected);
            prop_assert!(export(&store, &all, &Output::File(out.clone(), IfExists::Refuse), format).is_err());
            export(&store, &condition, &Output::File(out.clone(), IfExists::Replace), format).unwrap();
            prop_assert!(export(&store, &all, &Output::File(book.clone(), IfExists::Replace), format).is_err());
        }
        let counted = stats(&store, &condition).unwrap();
        let count = |what: &dyn Fn(&Game) -> bool| expected.iter().filter(|game| what(game)).count() as u64;
        let won = |side| count(&|game| game.outcome == Some(Outcome::Won(side)));
        prop_assert_eq!(counted.games, expected.len() as u64);
        prop_assert_eq!((counted.black, counted.white), (won(Colour::Black), won(Colour::White)));
        prop_assert_eq!(counted.draws, count(&|game| game.outcome == Some(Outcome::Drawn)));
        prop_assert_eq!(counted.years.get(&2018).copied().unwrap_or(0), count(&|game| game.date.as_deref() == Some("2018-05-03")));
        for (ending, games) in counted.endings {
            prop_assert_eq!(games, count(&|game| game.end.map(End::name) == ending));
        }
        let names: BTreeSet<&String> = expected.iter().flat_map(|game| [&game.black, &game.white]).flatten().collect();
        prop_assert_eq!(counted.players.len(), names.len());
        for (name, games) in counted.players {
            let seats = expected.iter().flat_map(|game| [&game.black, &game.white]).flatten();
            prop_assert_eq!(games, seats.filter(|it| **it == name).count() as u64);
        }
    }

    #[test]
    fn positions_are_counted_as_by_hand(games in any_games(), condition in conditions()) {
        let folder = tempfile::tempdir().unwrap();
        let (file, book) = (write(&folder, &games), folder.path().join("games.obook"));
        add(&file, &book);
        let games = distinct(&games);
        let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
        // Of each position, for each game the moves played.
        let mut moves: BTreeMap<Packed, BTreeSet<(usize, Option<String>)>> = BTreeMap::new();
        let mut boards: BTreeMap<Packed, Board> = BTreeMap::new();
        for (at, game) in games.iter().enumerate().filter(|(_, game)| is_meant(game, &condition)) {
            let names = game.moves().iter().map(|mv| Some(*mv)).chain([None]);
            for (board, mv) in game.positions().zip(names) {
                let mv = mv.map(|mv| mv.seen_by(board.turn()).to_string());
                moves.entry(board.key()).or_default().insert((at, mv));
                boards.insert(board.key(), board.canonical());
            }
        }
        for (key, moves) in moves {
            let mut counts: BTreeMap<Option<String>, u64> = BTreeMap::new();
            moves.iter().for_each(|(_, mv)| *counts.entry(mv.clone()).or_default() += 1);
            let board = boards[&key];
            let found = plays(&store, &board, &condition).unwrap();
            let found: BTreeMap<_, _> = found.into_iter().map(|play| (play.mv, play.games)).collect();
            prop_assert_eq!(&found, &counts, "{}", board);
            // From the other side it is the same position.
            let turned = plays(&store, &board.turned(), &condition).unwrap();
            prop_assert_eq!(turned.len(), counts.len());
            let games: BTreeSet<usize> = moves.iter().map(|(game, _)| *game).collect();
            let mut through = condition.clone();
            through.through.push(board);
            let through = list(&store, &through, Order::Latest, 100).unwrap();
            prop_assert_eq!(through.len(), games.len());
        }
    }
}

#[test]
fn results_are_for_the_side_to_move() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    let mut game = Game::default();
    game.play("7g7f".parse().unwrap()).unwrap();
    // White, who is to move, loses.
    game.end(End::Resigned);
    add(&write(&folder, &[game.clone()]), &book);
    let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
    let start = &plays(&store, &Board::start(), &Condition::default()).unwrap()[0];
    assert_eq!(
        (start.mv.as_deref(), start.wins, start.losses),
        (Some("7g7f"), 1, 0)
    );
    let end = &plays(&store, game.board(), &Condition::default()).unwrap()[0];
    assert_eq!((end.mv.as_deref(), end.wins, end.losses), (None, 0, 1));
}

#[test]
fn a_bad_file_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.csa", "b.csa", "c.kif", "deep/d.kif"]
        .map(|name| folder.path().join("games").join(name));
    fs::create_dir_all(folder.path().join("games/deep")).unwrap();
    let moves = "1 ７六歩(77)\n2 投了\n";
    let texts = ["", "V2.2\nPI\n+\n+2726FU\n%TORYO\n", "no games", moves];
    for (file, text) in files.iter().zip(texts) {
        fs::write(file, text).unwrap();
    }
    let turned: Vec<PathBuf> = files.iter().rev().cloned().collect();
    let whole = vec![folder.path().join("games")];
    for (number, files) in [files.to_vec(), turned, whole].iter().enumerate() {
        let book = folder.path().join(format!("{number}.obook"));
        let mut told = Vec::new();
        let tell = |file: &Path, found: Result<&_, &_>| {
            assert!(found.is_err());
            told.push(file.file_name().unwrap().to_owned());
        };
        let imported = import(files, strictly(), &book, tell, &Context::default()).unwrap();
        assert_eq!((imported.read, imported.added, imported.unread), (2, 2, 2));
        told.sort();
        assert_eq!(told, ["a.csa", "c.kif"]);
        assert_eq!(stored(&book).len(), 2);
    }
}

/// Nothing stays of files of which none can be read.
#[test]
fn an_import_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    let mut game = Game::default();
    game.play("7g7f".parse().unwrap()).unwrap();
    let good = write(&folder, &[game]);
    let bad = folder.path().join("bad.csa");
    fs::write(&bad, "no games").unwrap();
    let files = [bad];
    let context = Context::default();
    let error = import(&files, ImportOptions::default(), &book, |_, _| {}, &context).unwrap_err();
    assert!(error.to_string().contains("bad.csa"), "{error}");
    assert!(!book.exists());
    add(&good, &book);
    assert!(import(&files, ImportOptions::default(), &book, |_, _| {}, &context).is_err());
    assert_eq!(stored(&book).len(), 1);
    // An illegal move is a fault, and a missing end is none.
    fs::write(&good, "PI\n+\n+7776FU\n/\nPI\n+\n+7775FU\n%TORYO\n").unwrap();
    let strict = folder.path().join("strict.obook");
    let mut told = 0;
    let skipped = import(
        std::slice::from_ref(&good),
        strictly(),
        &strict,
        |_, _| told += 1,
        &context,
    )
    .unwrap();
    assert_eq!(
        (skipped.read, skipped.added, skipped.faulty, told),
        (2, 1, 1, 1)
    );
    // Nor is it a game otherwise: none of its moves can be played.
    let kept = folder.path().join("kept.obook");
    let kept = import(
        &[good],
        ImportOptions::default(),
        &kept,
        |_, _| {},
        &context,
    )
    .unwrap();
    assert_eq!((kept.read, kept.added, kept.faulty), (1, 1, 1));
}

/// Results that a format can't hold are counted: CSA and JKF have none without an ending, USI has none at all.
#[test]
fn lost_results_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let [file, book] = ["games.kifu", "games.obook"].map(|name| folder.path().join(name));
    let games = [
        ("７六歩(77)", "不戦敗"),
        ("２六歩(27)", "投了"),
        ("５六歩(57)", "中断"),
    ];
    let games = games.map(|(mv, word)| format!("手合割：平手\n1 {mv}\n2 {word}\n"));
    fs::write(&file, games.concat()).unwrap();
    add(&file, &book);
    let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
    for (format, results_left_out) in [
        (Format::Csa, 1),
        (Format::Kif, 0),
        (Format::Ki2, 0),
        (Format::Usi, 2),
        (Format::Jkf, 1),
    ] {
        let output = Output::File(folder.path().join(format.name()), IfExists::Refuse);
        let exported = export(&store, &Condition::default(), &output, format).unwrap();
        let written = 3;
        assert_eq!(
            exported,
            Exported {
                written,
                results_left_out
            },
            "{format:?}"
        );
    }
}

/// A damaged row is an error with its game.
#[test]
fn moves_in_a_database_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    let mut damaged = Game::default();
    damaged.play("7g7f".parse().unwrap()).unwrap();
    damaged.end(End::Resigned);
    add(&write(&folder, &[damaged]), &book);
    for (sql, expected) in [
        (
            "UPDATE games SET moves = '7g7e'",
            "game 1 in table games: 7g7e isn't legal",
        ),
        ("UPDATE games SET moves = 'x'", "“x” is not a move"),
        ("UPDATE games SET start = 'x'", "game 1 in table games"),
    ] {
        let mut store = Store::open_for_writing(&SHOGI, &book, &Context::default()).unwrap();
        let change = store.change().unwrap();
        change.connection().execute_batch(sql).unwrap();
        change.commit(&ImportedGames::default()).unwrap();
        drop(store);
        let store = Store::open(&SHOGI, &book, &Context::default()).unwrap();
        let error = game(&store, 1).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// The rating of the position that these games have after `ply` moves, by the definition.
fn rating(games: &[&Game], ply: usize, settings: &Settings) -> Option<Rating> {
    let board = games[0].positions().nth(ply).unwrap();
    let (mut after, mut ends) = (BTreeMap::<_, Vec<&Game>>::new(), Vec::new());
    for game in games {
        match game.moves().get(ply) {
            Some(mv) => after.entry(*mv).or_default().push(game),
            None => ends.extend(game.outcome.map(|outcome| outcome.for_side(board.turn()))),
        }
    }
    let ended = (!ends.is_empty()).then(|| {
        let sum: i32 = ends.iter().copied().map(i32::from).sum();
        (f64::from(sum) / ends.len() as f64 + 1.0) / 2.0
    });
    let after: Vec<Rating> = after
        .values()
        .filter_map(|games| rating(games, ply + 1, settings))
        .collect();
    Rating::of_moves(settings, ply + 1, board.legal_moves().len(), &after, ended)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Games whose positions are a tree: the ratings are those of the plain recursion.
    ///
    /// Law (Shogi): Ratings follow their definition, also in repetitions, and reproduce the paper's published row.
    /// Also: `positions_that_come_back_are_rated_by_ply` `crates/base/src/ratings/tests.rs`
    /// `the_published_moves_rate_their_position` `probability_is_extreme_and_a_mean_is_not`
    /// `the_printed_divisor_gives_no_such_ratings` `means_lie_between_the_moves`
    #[test]
    fn ratings_follow_the_definition(choices in prop::collection::vec((prop::collection::vec(0usize..3, 1..6), any::<bool>()), 1..12)) {
        let tree = [["7g7f", "2g2f", "5g5f"], ["3c3d", "8c8d", "5c5d"], ["9g9f", "9g9f", "9g9f"], ["9c9d", "1c1d", "1c1d"], ["1g1f", "1g1f", "1g1f"]];
        let games = choices.into_iter().map(|(choices, resigns)| {
            let mut game = Game::default();
            for (names, choice) in tree.iter().zip(choices) {
                game.play(names[choice].parse().unwrap()).unwrap();
            }
            game.end(if resigns { End::Resigned } else { End::Declared });
            game
        });
        let games: Vec<Game> = games.collect();
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("games.obook");
        add(&write(&folder, &games), &book);
        let games = stored(&book);
        let settings = Settings::default();
        let context = Context::default();
        let mut store = Store::open_for_writing(&SHOGI, &book, &context).unwrap();
        let done = store_ratings(&mut store, &Method::ALL, &settings, 1).unwrap();
        prop_assert_eq!((done.games, done.left_out, done.too_few), (games.len() as u64, 0, 0));
        let all: Vec<&Game> = games.iter().collect();
        let expected = rating(&all, 0, &settings).unwrap();
        let store = Store::open(&SHOGI, &book, &context).unwrap();
        for method in Method::ALL {
            let sql = "SELECT value FROM ratings WHERE board = board('') AND ply = 0 AND method = ?";
            let found: f64 = store.connection().query_row(sql, [method.name()], |row| row.get(0)).unwrap();
            prop_assert!((found - expected.of(method)).abs() < 1e-12, "{}: {} {}", method, found, expected.of(method));
        }
        let rows: i64 = store.connection().query_row("SELECT count(*) FROM ratings", [], |row| row.get(0)).unwrap();
        prop_assert_eq!(rows as u64, 3 * done.positions);
    }
}

/// A position that comes back in a game is rated at each ply, and its ratings don't follow from themselves.
#[test]
fn positions_that_come_back_are_rated_by_ply() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    let mut game = Game::default();
    for mv in ["2h3h", "8b7b", "3h2h", "7b8b", "7g7f"] {
        game.play(mv.parse().unwrap()).unwrap();
    }
    game.end(End::Resigned);
    add(&write(&folder, &[game]), &book);
    let context = Context::default();
    let open = |path: &Path| Store::open_for_writing(&SHOGI, path, &context).unwrap();
    let method = [Method::Expectation1];
    let done = store_ratings(&mut open(&book), &method, &Settings::default(), 1).unwrap();
    assert_eq!(done.positions, 6);
    let store = Store::open(&SHOGI, &book, &context).unwrap();
    let sql = "SELECT count(*) FROM ratings WHERE board = board('') AND ply IN (0, 4)";
    let rows: i64 = store
        .connection()
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 2);
    // No games with results, no ratings.
    let empty = folder.path().join("empty.obook");
    add(&write(&folder, &[Game::default()]), &empty);
    let refused = store_ratings(&mut open(&empty), &Method::ALL, &Settings::default(), 1);
    assert!(refused.is_err());
}

/// A database of games without a game is one that never had it, and undo brings it back.
#[test]
fn a_removed_game_was_never_there() {
    let folder = tempfile::tempdir().unwrap();
    let [both, one] = ["both.obook", "one.obook"].map(|name| folder.path().join(name));
    let game_of = |moves: &[&str]| {
        let mut game = Game::default();
        for mv in moves {
            game.play(mv.parse().unwrap()).unwrap();
        }
        game
    };
    let games = [
        game_of(&["7g7f", "3c3d"]),
        game_of(&["7g7f", "8c8d", "2g2f"]),
    ];
    add(&write(&folder, &games), &both);
    add(&write(&folder, &games[..1]), &one);
    let rows = |book: &Path| {
        let store = Store::open(&SHOGI, book, &Context::default()).unwrap();
        let sql = "SELECT group_concat(text, char(10)) FROM (SELECT hex(board) || game || ply || ifnull(move, '') AS text FROM played
                   UNION ALL SELECT game || moves FROM games ORDER BY 1)";
        let rows: String = store
            .connection()
            .query_row(sql, [], |row| row.get(0))
            .unwrap();
        rows
    };
    let before = rows(&both);
    let mut store = Store::open_for_writing(&SHOGI, &both, &Context::default()).unwrap();
    remove(&mut store, &[2, 3]).unwrap_err();
    assert_eq!(rows(&both), before);
    let removed = remove(&mut store, &[2, 2]).unwrap();
    assert_eq!((removed.games, removed.positions), (1, 4));
    assert_eq!(rows(&both), rows(&one));
    store.undo().unwrap();
    drop(store);
    assert_eq!(rows(&both), before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law (Shogi): An extracted book has the moves played often enough, along such moves, with their numbers of games.
    #[test]
    fn an_extracted_book_is_what_is_played(
        games in any_games(),
        min_games in 1u64..4,
        depth in 1u32..6,
        side in prop::option::of(prop::sample::select(vec![Colour::Black, Colour::White])),
        condition in conditions(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, &games);
        let [book, other, database] = ["book.obook", "other.obook", "games.obook"].map(|name| folder.path().join(name));
        let options = ExtractOptions {
            min_games,
            depth,
            side,
            condition: condition.clone(),
        };
        let context = Context::default();
        add(&file, &database);
        let extracted = extract(&[file], None, &options, &book, IfExists::Refuse, &context).unwrap();
        let again = extract(std::slice::from_ref(&database), None, &options, &other, IfExists::Refuse, &context).unwrap();
        prop_assert_eq!(extracted, again);
        // The same by hand, from the games that the database kept.
        let mut counts: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
        let kept = stored(&database);
        for (number, game) in kept.iter().enumerate().filter(|(_, game)| is_meant(game, &condition)) {
            for (board, mv) in game.positions().zip(game.moves()) {
                counts.entry((board.to_string(), mv.to_string())).or_default().insert(number);
            }
        }
        let mut expected = BTreeMap::new();
        let (mut layer, mut seen) = (vec![Board::start()], BTreeSet::from([Board::start().to_string()]));
        for _ in 0..depth {
            let mut next = Vec::new();
            for board in layer {
                for mv in board.legal_moves() {
                    let games = counts.get(&(board.to_string(), mv.to_string())).map_or(0, BTreeSet::len);
                    if (games as u64) < min_games {
                        continue;
                    }
                    if side.is_none_or(|side| side == board.turn()) {
                        expected.insert((board.to_string(), mv.to_string()), games as u32);
                    }
                    let child = board.play(mv).unwrap();
                    if seen.insert(child.to_string()) {
                        next.push(child);
                    }
                }
            }
            layer = next;
        }
        prop_assert_eq!(extracted.moves, expected.len() as u64);
        let store = open(&book, &context).unwrap();
        for ((board, mv), games) in expected {
            let line = board.parse::<obook_shogi::games::Game>().unwrap();
            let view = obook_shogi::database::view::View::new(&store, &line).unwrap();
            let found = view.moves.iter().find(|shown| shown.usi == mv).unwrap();
            prop_assert_eq!((found.count, found.score, found.listed_score), (Some(games), None, None));
        }
    }
}
