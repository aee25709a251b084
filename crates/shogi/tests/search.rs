//! The small search against plain negamax, mates, and a match.

use crate::positions::{any_board, board};
use obook_shogi::effects::Evaluation;
use obook_shogi::games::{End, Game, Outcome};
use obook_shogi::search::{MATE, Score, best, opening, play};
use obook_shogi::{Board, Colour};
use proptest::prelude::*;
use std::cell::Cell;

fn effects(board: &Board) -> i32 {
    Evaluation::new(board).score()
}

fn pieces(board: &Board) -> i32 {
    Evaluation::without_effects(board).score()
}

/// The definition: every move, without bounds. It means nothing if `rest`, the number of positions that may still be looked at, ends at 0.
fn plain(board: &Board, depth: u32, ply: i32, rest: &Cell<u32>) -> i32 {
    if depth == 0 {
        return quiet(board, 4, ply, rest);
    }
    let children = board.children();
    let scores = children
        .iter()
        .map(|(_, child)| -plain(child, depth - 1, ply + 1, rest));
    scores.max().unwrap_or(ply - MATE)
}

fn quiet(board: &Board, left: u32, ply: i32, rest: &Cell<u32>) -> i32 {
    rest.set(rest.get().saturating_sub(1));
    if rest.get() == 0 {
        return 0;
    }
    let check = board.is_check();
    if board.is_lost() && check {
        return ply - MATE;
    }
    if left == 0 {
        return pieces(board);
    }
    let mut children = board.children();
    if !check {
        children.retain(|(mv, _)| board.piece(mv.to()).is_some());
    }
    let scores = children
        .iter()
        .map(|(_, child)| -quiet(child, left - 1, ply + 1, rest));
    let stays = (!check).then(|| pieces(board));
    scores
        .chain(stays)
        .max()
        .expect("a position that isn't lost has a move")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): The small search equals plain negamax, finds mates, and follows the rules.
    /// Also: `mates_are_found` `mate_is_known_by_name` `games_end_by_the_rules_and_depend_on_the_seed_only`
    /// `elo_is_that_of_the_share`
    #[test]
    fn bounds_change_no_score(board in any_board(), depth in 1u32..=2) {
        let depth = if board.legal_moves().len() > 40 { 1 } else { depth };
        // Without bounds, a few positions with many captures would take minutes.
        let rest = Cell::new(20_000);
        let expected = (!board.is_lost()).then(|| plain(&board, depth, 0, &rest));
        prop_assume!(rest.get() > 0);
        let found = best(&board, board.children(), depth, pieces).map(|(_, score)| score);
        prop_assert_eq!(found, expected, "{} {}", board, depth);
    }
}

/// Whether the side to move can force mate within this many plies, by trying everything.
fn forces_mate(board: &Board, plies: u32) -> bool {
    board.children().iter().any(|(_, child)| {
        let answers = child.children();
        match answers.is_empty() {
            true => true,
            false => plies > 2 && answers.iter().all(|(_, next)| forces_mate(next, plies - 2)),
        }
    })
}

/// A king in a corner, near pieces of Black. White's pawn can always move, so White never loses for want of a move without check, which
/// the search finds only before its last ply.
fn any_problem() -> impl Strategy<Value = Board> {
    let piece = (
        prop::sample::select(vec!["G", "S", "N", "+P", "R"]),
        0usize..4,
        1usize..4,
    );
    let hand = prop::sample::select(vec!["G", "S", "GS", "GN", "R"]);
    (prop::collection::vec(piece, 1..3), hand).prop_filter_map("a position", |(pieces, hand)| {
        let mut ranks = vec![vec!["1"; 9]; 9];
        (ranks[0][8], ranks[3][0], ranks[8][0]) = ("k", "p", "K");
        for (piece, file, rank) in pieces {
            ranks[rank][8 - file] = piece;
        }
        let rows: Vec<String> = ranks.iter().map(|rank| rank.concat()).collect();
        let sfen = format!("{} b {hand}", rows.join("/"));
        sfen.parse::<obook_shogi::Sfen>()
            .ok()
            .map(|sfen| sfen.board)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Mates in 1 and in 3 are those that trying everything finds.
    #[test]
    fn mates_are_found(problem in any_problem()) {
        let score = |plies| best(&problem, problem.children(), plies, pieces).map(|(_, score)| score);
        let in_one = forces_mate(&problem, 1);
        prop_assert_eq!(score(1) == Some(MATE - 1), in_one, "{}", problem);
        let in_three = !in_one && forces_mate(&problem, 3);
        prop_assert_eq!(score(3) == Some(MATE - 3), in_three, "{}", problem);
    }
}

#[test]
fn mate_is_known_by_name() {
    for (sfen, plies, first) in [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1, "G*5b"),
        ("8k/9/7G1/9/9/9/9/9/K8 b G 1", 1, "G*1b"),
    ] {
        let start = board(sfen);
        for evaluate in [pieces, effects] {
            let (mv, score) = best(&start, start.children(), plies, evaluate).unwrap();
            assert_eq!(
                (mv.to_string().as_str(), score),
                (first, MATE - plies as i32),
                "{sfen}"
            );
        }
    }
    let mated = board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    assert_eq!(best(&mated, mated.children(), 2, pieces), None);
}

#[test]
fn games_end_by_the_rules_and_depend_on_the_seed_only() {
    let game = |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        play(&opening(&mut random), 1, [effects, pieces], &mut random)
    };
    for seed in 0..4 {
        let played = game(seed);
        assert_eq!(played, game(seed));
        match played.end {
            Some(End::Mate) => assert!(played.board().is_lost()),
            Some(End::Repetition | End::Foul(_)) => {
                let last = played.positions().filter(|board| board == played.board());
                assert_eq!(last.count(), 4);
            }
            end => assert_eq!((end, played.moves().len()), (Some(End::BrokenOff), 256)),
        }
    }
}

#[test]
fn elo_is_that_of_the_share() {
    let won = |winner| {
        let mut game = Game::default();
        game.outcome = Some(Outcome::Won(winner));
        game
    };
    let (black, white) = (won(Colour::Black), won(Colour::White));
    let mut score = Score::default();
    // Three wins and a loss: 75 % is 191 Elo.
    score.add([&black, &white]);
    score.add([&black, &black]);
    assert_eq!((score.wins, score.draws, score.losses), (3, 0, 1));
    let [low, elo, high] = score.elo();
    assert!(
        (elo - 190.85).abs() < 0.01 && low < elo && elo < high,
        "{low} {elo} {high}"
    );
    // Equal results leave no doubt that pairs differ.
    let mut even = Score::default();
    (0..8).for_each(|_| even.add([&black, &black]));
    assert_eq!(even.elo(), [0.0; 3]);
}
