//! Moves played in a position, and the games that reached it.

use super::random::{entry, games};
use obook::games::{Condition, GameId, Kind, Order, Winner, list, plays, through};
use obook::{Context, Store};
use obook_games::{Game, Score};
use obook_othello::{Board, CanonicalBoard, Move, Side};
use obook_testing::imported::import_at;
use obook_testing::samples::samples;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a game meets a condition, by the definition of [`Condition`].
fn is_meant(game: &Game, condition: &Condition) -> bool {
    let has = |name: &Option<String>, part: &Option<String>| {
        part.as_ref().is_none_or(|part| {
            name.as_ref()
                .is_some_and(|name| name.to_lowercase().contains(&part.to_lowercase()))
        })
    };
    let year = game.date.year();
    let score = game.score.map(Score::get);
    (has(&game.black.name, &condition.player) || has(&game.white.name, &condition.player))
        && has(&game.black.name, &condition.black)
        && has(&game.white.name, &condition.white)
        && has(&game.tournament, &condition.tournament)
        && condition.since.is_none_or(|since| year >= Some(since))
        && condition
            .until
            .is_none_or(|until| year.is_some_and(|year| year <= until))
        && condition.winner.is_none_or(|winner| {
            score.is_some_and(|score| match winner {
                Winner::Black => score > 0,
                Winner::White => score < 0,
                Winner::None => score == 0,
            })
        })
}

/// The side to move in a position of a game, and the positions after its moves. Symmetric moves lead to the same position.
fn visits(game: &Game) -> Vec<(CanonicalBoard, Side, Option<CanonicalBoard>)> {
    let boards: Vec<(Board, Side)> = game.line().positions().collect();
    let next = |at: usize| boards.get(at + 1).map(|(board, _)| board.canonical());
    let visit = |(at, (board, side)): (usize, &(Board, Side))| (board.canonical(), *side, next(at));
    boards.iter().enumerate().map(visit).collect()
}

/// Games, wins, draws, losses, sum of scores, first year, last year.
type Count = (u64, u64, u64, u64, i64, Option<u16>, Option<u16>);

/// The moves played in a position, by the position after them.
fn counted(
    games: &[&Game],
    board: CanonicalBoard,
    condition: &Condition,
) -> BTreeMap<CanonicalBoard, Count> {
    let mut counts = BTreeMap::new();
    for game in games.iter().filter(|game| is_meant(game, condition)) {
        for (at, side, next) in visits(game) {
            let Some(next) = next.filter(|_| at == board) else {
                continue;
            };
            let count: &mut Count = counts.entry(next).or_default();
            count.0 += 1;
            let score = game.score.map(|score| match side {
                Side::Black => i64::from(score.get()),
                Side::White => -i64::from(score.get()),
            });
            match score {
                Some(score) if score > 0 => count.1 += 1,
                Some(0) => count.2 += 1,
                Some(_) => count.3 += 1,
                None => {}
            }
            count.4 += score.unwrap_or(0);
            let year = game.date.year();
            count.5 = [count.5, year].into_iter().flatten().min();
            count.6 = [count.6, year].into_iter().flatten().max();
        }
    }
    counts
}

/// The same, from the database.
fn answered(
    store: &Store,
    board: CanonicalBoard,
    condition: &Condition,
) -> BTreeMap<CanonicalBoard, Count> {
    let plays = plays(store.connection(), None, board, condition).unwrap();
    let numbers: Vec<u64> = plays.iter().map(|play| play.games).collect();
    assert!(numbers.is_sorted_by_key(|games| Reverse(*games)));
    let mut counts = BTreeMap::new();
    for play in plays {
        let child = board.board().play(play.mv).unwrap().canonical();
        let ended = play.wins + play.draws + play.losses;
        let sum = play.mean.map_or(0.0, |mean| mean * ended as f64).round() as i64;
        assert_eq!(play.mean.is_some(), ended > 0);
        let count = (
            play.games,
            play.wins,
            play.draws,
            play.losses,
            sum,
            play.first_year,
            play.last_year,
        );
        assert_eq!(counts.insert(child, count), None, "{} twice", play.mv);
    }
    counts
}

fn conditions() -> impl Strategy<Value = Condition> {
    let part = |parts: &'static [&'static str]| {
        proptest::option::weighted(0.3, proptest::sample::select(parts))
            .prop_map(|part| part.map(str::to_owned))
    };
    let year = || proptest::option::weighted(0.3, 1997u16..2004);
    let winners = vec![Winner::Black, Winner::White, Winner::None];
    (
        part(&["noir", "É", "ITO", "nobody"]),
        part(&["anna", "weiss"]),
        part(&["bo", "o"]),
        part(&["paris", "k"]),
        (year(), year()),
        proptest::option::weighted(0.3, proptest::sample::select(winners)),
    )
        .prop_map(
            |(player, black, white, tournament, (since, until), winner)| Condition {
                since,
                until,
                player,
                black,
                white,
                tournament,
                winner,
                ..Condition::default()
            },
        )
}

/// Filters by the course of a game and by ratings, and the orders of lists.
#[test]
fn games_are_found_by_opening_and_rating_and_sorted() {
    let game = |moves: &str, ratings: [Option<&str>; 2], score: Option<i8>| {
        let mut game = Game::new(moves.parse().unwrap());
        game.black.name = Some("]RB[9999]".to_owned());
        let players = [&mut game.black, &mut game.white];
        for (player, rating) in players.into_iter().zip(ratings) {
            player.rating = rating.map(|rating| rating.parse().unwrap());
        }
        game.score = score.map(|score| obook_games::Score::new(score).unwrap());
        game
    };
    let games = [
        game("f5d6c3", [Some("1800.5"), Some("2100")], Some(-4)),
        game("d3c5f6", [Some("2000"), Some("2000")], None),
        game("f5f6e6", [None, Some("2500")], Some(10)),
        game("f5f6", [None, None], Some(2)),
    ];
    let (_folder, store) = database(&games);
    let found = |condition: Condition, order: Order| -> Vec<i64> {
        let found = list(store.connection(), &condition, order, None, 9).unwrap();
        found.iter().map(|game| game.id.number()).collect()
    };
    let rated = |rated: u32| {
        let condition = Condition {
            rated: Some(rated),
            ..Condition::default()
        };
        let matching = (1..)
            .zip(&games)
            .filter(|(_, game)| condition.matches(game));
        let matching: Vec<i64> = matching.map(|(number, _)| number).collect();
        assert_eq!(found(condition, Order::Earliest), matching);
        matching
    };
    assert_eq!(
        [rated(1), rated(1801), rated(2001)],
        [vec![1, 2], vec![2], vec![]]
    );
    let through = |moves: &str| {
        let line: obook_othello::Line = moves.parse().unwrap();
        let condition = Condition {
            through: Some(line.board().canonical()),
            ..Condition::default()
        };
        let without_database = (1..)
            .zip(&games)
            .filter(|(_, game)| condition.matches(game));
        let without_database: Vec<i64> = without_database.map(|(number, _)| number).collect();
        assert_eq!(found(condition.clone(), Order::Earliest), without_database);
        without_database
    };
    assert_eq!(
        [through("f5d6"), through("c4c3"), through("f5f6e6")],
        [vec![1, 2], vec![3, 4], vec![3]]
    );
    assert_eq!(found(Condition::default(), Order::Latest), [4, 3, 2, 1]);
    assert_eq!(found(Condition::default(), Order::Score), [3, 4, 1, 2]);
}

/// A game is finished or not, or has another end, whatever its texts contain; it began at the start or elsewhere.
#[test]
fn games_are_found_by_kind() {
    use obook_games::Ending::{Agreed, Resigned, TimeOut};
    let score = obook_games::Score::new;
    let elsewhere = "OXO-XXXOOXOOOOOOOXO-OOX-OXOOOOXOXXOOOOXOXXOXXXOOOOOOOO-OOOOOOOO- X";
    let games = [
        ("f5", None, None, Kind::Unfinished),
        ("f5d6", score(4), None, Kind::Finished),
        ("f5d6c3", score(-64), Some(Resigned), Kind::Resigned),
        ("f5d6c5", None, Some(Resigned), Kind::Resigned),
        ("f5f6", score(0), Some(TimeOut), Kind::TimeOut),
        ("f5f6e6", score(10), Some(Agreed), Kind::Agreed),
        (elsewhere, None, None, Kind::Unfinished),
    ];
    // As they are, and with texts that look like results.
    let games: Vec<_> = games
        .iter()
        .flat_map(|game| [(game, None), (game, Some("]RE[+4:r]:t"))])
        .collect();
    let made = games.iter().map(|((moves, score, ending, _), text)| {
        let mut game = Game::new(moves.parse().unwrap());
        (game.score, game.ending) = (*score, *ending);
        game.comment = text.map(str::to_owned);
        game.black.name = text.map(str::to_owned);
        game
    });
    let made: Vec<Game> = made.collect();
    let (_folder, store) = database(&made);
    let found = |kind| {
        let condition = Condition {
            kind: Some(kind),
            ..Condition::default()
        };
        let without_database = (0..made.len()).filter(|at| condition.matches(&made[*at]));
        let without_database: Vec<usize> = without_database.collect();
        let found = list(store.connection(), &condition, Order::Earliest, None, 99).unwrap();
        let found = found
            .iter()
            .map(|game| game.id.number() as usize - 1)
            .collect::<Vec<_>>();
        assert_eq!(found, without_database);
        found
    };
    for kind in Kind::ALL
        .into_iter()
        .filter(|kind| *kind != Kind::Elsewhere)
    {
        let expected = (0..games.len()).filter(|at| games[*at].0.3 == kind);
        assert_eq!(found(kind), expected.collect::<Vec<_>>(), "{kind:?}");
    }
    assert_eq!(found(Kind::Elsewhere), [12, 13]);
}

/// A database of these games.
fn database(games: &[Game]) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let entries = games.iter().cloned().map(|game| Ok(entry(game)));
    import_at(&path, entries, &Context::new("test")).unwrap();
    (folder, Store::open(&path, &Context::default()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Counts and games of any position match the games themselves, under any condition.
    ///
    /// Law (Game records): A position's counts and games match the games themselves, for any filter; one of several symmetric
    /// moves represents all.
    /// Also: `the_games_are_worth_testing` `symmetric_moves_are_one`
    #[test]
    fn positions_have_what_was_played(
        games in games(),
        conditions in proptest::collection::vec(conditions(), 4),
        chosen in proptest::collection::vec(any::<proptest::sample::Index>(), 12),
    ) {
        let (_folder, store) = database(&games);
        let all: Vec<&Game> = games.iter().collect();
        let boards: BTreeSet<CanonicalBoard> = all.iter().flat_map(|game| visits(game)).map(|visit| visit.0).collect();
        let boards: Vec<CanonicalBoard> = boards.into_iter().collect();
        // The first positions are common enough to have stored counts.
        let first = boards.iter().copied().filter(|board| board.board().ply() < 4);
        let some = chosen.iter().map(|index| *index.get(&boards));
        for board in first.chain(some) {
            for condition in conditions.iter().chain([&Condition::default()]) {
                prop_assert_eq!(answered(&store, board, condition), counted(&all, board, condition));
                let found = through(store.connection(), None, board, condition, None, 1000).unwrap();
                let ids: Vec<GameId> = found.iter().map(|passage| passage.game.id).collect();
                prop_assert!(ids.windows(2).all(|pair| pair[0] > pair[1]), "the latest first");
                let expected = all.iter().filter(|game| is_meant(game, condition) && visits(game).iter().any(|visit| visit.0 == board));
                prop_assert_eq!(found.len(), expected.count());
                if let [_, second, ..] = ids[..] {
                    let rest = through(store.connection(), None, board, condition, Some(second), 2).unwrap();
                    prop_assert_eq!(&rest[..], &found[2..found.len().min(4)]);
                }
            }
        }
        for condition in &conditions {
            let listed = list(store.connection(), condition, Order::Latest, None, 1000).unwrap();
            prop_assert_eq!(listed.len(), all.iter().filter(|game| is_meant(game, condition)).count());
            // Without the database's help, the same games meet it.
            prop_assert!(all.iter().all(|game| condition.matches(game) == is_meant(game, condition)));
        }
    }
}

/// The generator makes all cases of the law: common positions, games that ended early, unknown results.
#[test]
fn the_games_are_worth_testing() {
    for games in samples(&games(), 12) {
        let (_folder, store) = database(&games);
        let count = |sql: &str| -> i64 {
            store
                .connection()
                .query_row(sql, [], |row| row.get(0))
                .unwrap()
        };
        let kept = count("SELECT count(DISTINCT board) FROM play_counts");
        let all = count("SELECT count(DISTINCT board) FROM played");
        let is_large = games.len() >= 64;
        assert_eq!(kept > 0, is_large, "{kept} of {all} boards");
        assert!(kept < all);
        assert!(games.iter().any(|game| game.score.is_none()));
        assert!(games.iter().any(|game| !game.line().board().is_over()));
        assert!(
            games
                .iter()
                .any(|game| game.line().moves().contains(&Move::Pass))
        );
    }
}

/// Moves are in the orientation of the question: the first move is f5, whichever of the four was played.
#[test]
fn symmetric_moves_are_one() {
    let lines = ["f5d6c3", "d3c5f6", "e6f4c3", "c4e3"];
    let games: Vec<Game> = lines.map(|line| Game::new(line.parse().unwrap())).to_vec();
    let (_folder, store) = database(&games);
    let start = Board::START;
    let all = Condition::default();
    let plays_of_start = plays(store.connection(), None, start.canonical(), &all).unwrap();
    assert_eq!(plays_of_start.len(), 1);
    assert_eq!(plays_of_start[0].games, 4);
    assert_eq!(plays_of_start[0].clone().on(start).mv.to_string(), "f5");
    let after = start.play("f5".parse().unwrap()).unwrap();
    let replies = plays(store.connection(), None, after.canonical(), &all).unwrap();
    let replies: Vec<(String, u64)> = replies
        .into_iter()
        .map(|play| play.on(after))
        .map(|play| (play.mv.to_string(), play.games))
        .collect();
    assert_eq!(replies, [("d6".to_owned(), 4)]);
}
