//! A player's games through a book, compared with each position's view.

use obook::games::{Condition, Loss, players, repertoire};
use obook::read::view::{LinkOrLeaf, View};
use obook::{Book, Context, Error, Lookup, Store};
use obook_games::{Game, Reader};
use obook_othello::{Board, CanonicalBoard, Move, Side};
use obook_testing::games::sample;
use obook_testing::imported::import_at;
use std::collections::BTreeMap;
use std::path::Path;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");

/// Games with a move, whether it leaves the book, the loss, and the best move by the position's view.
type Departures = BTreeMap<(CanonicalBoard, CanonicalBoard), (u64, Loss, Option<Move>)>;

/// The losses of a player in a game to its first position outside, and the side that leaves.
fn followed(book: &Book, game: &Game, player: Side, departures: &mut Departures) -> Option<Side> {
    let line = game.line();
    for (at, mv) in line.moves().iter().enumerate() {
        let view = View::of(book, line.prefix(at)).unwrap();
        let board = line.prefix(at).board();
        let child = board.play(*mv).unwrap().canonical();
        let moves = view.moves();
        let leads = |mv: Move| board.play(mv).map(Board::canonical) == Some(child);
        let known = moves.iter().find(|known| leads(known.mv));
        let leaf = moves.iter().find(|known| known.kind == LinkOrLeaf::Leaf);
        let score = |score: Option<i8>| i16::from(score.unwrap());
        let loss = match (moves.first(), known, leaf) {
            (Some(best), Some(known), _) => Loss::Exactly(score(best.score) - score(known.score)),
            (Some(best), None, Some(leaf)) => Loss::AtLeast(score(best.score) - score(leaf.score)),
            _ => Loss::Unknown,
        };
        let leaves = View::of(book, line.prefix(at + 1)).is_err();
        let side = line.prefix(at).side();
        if side == player && *mv != Move::Pass && (leaves || loss.discs() > Some(0)) {
            let best = moves.first().map(|best| best.mv);
            let key = (board.canonical(), child);
            departures.entry(key).or_insert((0, loss, best)).0 += 1;
        }
        if leaves {
            return Some(side);
        }
    }
    None
}

/// Law (Game records): A player's departures, with losses and best moves, equal those found game by game.
/// Also: `cli/tests/program/games.rs` `book_and_games_are_one_view`
#[test]
fn departures_are_those_of_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let entries = || Reader::open(sample(), None).unwrap();
    let context = Context::default();
    let entry = |entry: Result<_, obook_games::Error>| entry.map_err(Error::from);
    import_at(&path, entries().map(entry), &context).unwrap();
    let games = Store::open(&path, &context).unwrap();
    let book = Book::open(Path::new(BOOK), &context).unwrap();
    let lookup = Book::open(Path::new(BOOK), &context).unwrap();
    let lookup = Lookup::new(lookup, &context).unwrap();
    let (player, side) = ("level 5", Side::White);
    let mut expected = Departures::new();
    let (mut number, mut left) = (0, [0, 0]);
    for game in entries().map(|entry| entry.unwrap().game) {
        if game.white.name.as_deref() == Some(player) {
            number += 1;
            match followed(&book, &game, side, &mut expected) {
                Some(first) if first == side => left[0] += 1,
                Some(_) => left[1] += 1,
                None => {}
            }
        }
    }
    let all = Condition::default();
    let found = repertoire(&lookup, &games, player, Some(side), all.clone()).unwrap();
    assert_eq!(found.games, number);
    assert_eq!([found.left, found.left_by_opponent], left);
    assert!(left[0] > 0 && left[1] > 0 && expected.len() > 2);
    assert_eq!(found.departures.len(), expected.len());
    for departure in &found.departures {
        let board = departure.line.board();
        let child = board.play(departure.mv).unwrap().canonical();
        let (games, loss, best) = expected[&(board.canonical(), child)];
        assert_eq!(
            (departure.games, departure.loss),
            (games, loss),
            "{departure:?}"
        );
        // Another game may have come to the position in another orientation.
        let after = |board: Board, mv: Option<Move>| mv.map(|mv| board.play(mv));
        let shown = View::of(&book, departure.line.clone()).unwrap();
        let first = shown.moves().first().map(|mv| mv.mv);
        assert_eq!(departure.best.map(|(mv, _)| mv), first, "{departure:?}");
        assert_eq!(after(board, first).is_some(), best.is_some());
        assert!(departure.line.to_string().starts_with("f5"));
    }
    let kinds = |kind: fn(&Loss) -> bool| found.departures.iter().any(|it| kind(&it.loss));
    assert!(kinds(|loss| matches!(loss, Loss::Exactly(1..))));
    assert!(kinds(|loss| matches!(loss, Loss::AtLeast(_))));
    // Both colours together; and a player is found by any part of the name.
    let both = repertoire(&lookup, &games, player, None, all).unwrap();
    assert_eq!(both.games, 100);
    assert_eq!(
        players(games.connection(), None, "EVEL 5").unwrap(),
        [player]
    );
    assert_eq!(players(games.connection(), None, "level").unwrap().len(), 6);
}
