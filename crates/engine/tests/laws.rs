//! Laws of every search.

use obook_engine::{Inside, Request, SearchError, Searcher};
use obook_othello::{Board, Move, Symmetry};
use obook_testing::engines::positions;
use proptest::prelude::*;

fn score(request: &Request) -> i8 {
    Inside::new().search(request).unwrap().score
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Leaving out one more move never raises the score, and moves left out are never the answer.
    #[test]
    fn leaving_a_move_out_never_raises_the_score(empties in 2u32..11, seed: u64) {
        let mut request = Request::new(positions(seed, empties, 1)[0], 60).unwrap();
        let mut last = i8::MAX;
        loop {
            let answer = Inside::new().search(&request).unwrap();
            prop_assert!(request.moves().any(|mv| mv == answer.mv));
            prop_assert!(answer.score <= last);
            last = answer.score;
            match request.without(answer.mv) {
                Ok(rest) => request = rest,
                Err(_) => break,
            }
        }
    }

    /// All eight images of a position get the same score and a legal move at every level.
    #[test]
    fn mirror_images_score_the_same(empties in 1u32..60, seed: u64, level in 0u8..6) {
        let board = positions(seed, empties, 1)[0];
        let answer = Inside::new().search(&Request::new(board, level).unwrap()).unwrap();
        for symmetry in Symmetry::ALL {
            let image = symmetry.board(board);
            let mirrored = Inside::new().search(&Request::new(image, level).unwrap()).unwrap();
            prop_assert_eq!(mirrored.score, answer.score);
            prop_assert_eq!(mirrored.nodes, answer.nodes);
            prop_assert!(image.play(mirrored.mv).is_some());
        }
    }

    /// An exact score is the negated least of the children's.
    ///
    /// Law (Searches): An exact score is the children's negated minimum; excluding a move never raises it; hints list all moves
    /// in order.
    /// Also: `leaving_a_move_out_never_raises_the_score` `hints_are_the_moves_in_order`
    #[test]
    fn a_score_is_the_negated_best_of_the_children(empties in 2u32..12, seed: u64) {
        let board = positions(seed, empties, 1)[0];
        let best = board
            .children()
            .map(|(_, child)| match Request::new(child, 60) {
                Ok(request) => -score(&request),
                Err(_) => -child.final_score(),
            })
            .max()
            .unwrap();
        prop_assert_eq!(score(&Request::new(board, 60).unwrap()), best);
    }

    /// Earlier requests change nothing: neither the answer, nor the line, nor the nodes.
    ///
    /// Law (Searches): An answer depends only on its request, not on the processor or the orientation.
    /// Also: `every_processor_answers_the_same` `mirror_images_score_the_same`
    #[test]
    fn answers_depend_on_the_request_alone(
        before in prop::collection::vec((4u32..56, any::<u64>(), 0u8..8), 0..4),
        (empties, seed, level) in (4u32..56, any::<u64>(), 0u8..12),
    ) {
        let mut used = Inside::new();
        for (empties, seed, level) in before {
            used.search(&Request::new(positions(seed, empties, 1)[0], level).unwrap()).unwrap();
        }
        let request = Request::new(positions(seed, empties, 1)[0], level).unwrap();
        let (mut first, mut second) = (Inside::new().search(&request).unwrap(), used.search(&request).unwrap());
        first.time = Default::default();
        second.time = Default::default();
        prop_assert_eq!(first, second);
    }

    /// Processors with and without the fast instructions give exactly the same answers.
    #[test]
    fn every_processor_answers_the_same(empties in 4u32..56, seed: u64, level in 0u8..9) {
        let request = Request::new(positions(seed, empties, 1)[0], level).unwrap();
        let mut fast = Inside::new().search(&request).unwrap();
        let mut portable = Inside::new().portable().search(&request).unwrap();
        fast.time = Default::default();
        portable.time = Default::default();
        prop_assert_eq!(fast, portable);
    }

    /// Depth and selectivity are those of Edax's levels.
    ///
    /// Law (Searches): A level of the built-in engine means the same as Edax's.
    #[test]
    fn a_level_means_what_it_means_to_edax(empties in 1u32..60, seed: u64, level in 1u8..8) {
        use obook_othello::{Engine, levels};
        let board = positions(seed, empties, 1)[0];
        let answer = Inside::new().search(&Request::new(board, level).unwrap()).unwrap();
        let edax = levels::Effort::new(Engine::Edax, level, empties as u8);
        prop_assert_eq!(answer.depth, edax.depth);
        prop_assert_eq!(answer.probability, Some(edax.probability));
        prop_assert_eq!(answer.proven, edax.is_solved());
    }

    /// Impossible positions, with any discs anywhere, are searched or refused without a crash.
    ///
    /// Law (Searches): Any two sets of discs are searched or refused.
    #[test]
    fn any_two_sets_of_discs_are_searched(player: u64, opponent: u64, thin: u64, level in 0u8..4) {
        for (player, opponent) in [(player & !opponent, opponent & !player), (player & !opponent & thin, opponent & thin)] {
            let board = Board::new(player, opponent).unwrap();
            if let Ok(request) = Request::new(board, level) {
                let answer = Inside::new().search(&request).unwrap();
                prop_assert!(board.play(answer.mv).is_some());
                prop_assert!((-64..=64).contains(&answer.score));
            }
        }
    }

    /// A list of hints is sorted, has each legal move once, and begins with the answer of a search.
    #[test]
    fn hints_are_the_moves_in_order(empties in 2u32..11, seed: u64) {
        let board = positions(seed, empties, 1)[0];
        let request = Request::new(board, 60).unwrap();
        let hints = Inside::new().hint(&request, 64).unwrap();
        prop_assert!(hints.is_sorted_by(|a, b| a.score >= b.score));
        let mut named: Vec<Move> = hints.iter().map(|hint| hint.mv).collect();
        let mut legal: Vec<Move> = board.moves().collect();
        prop_assert_eq!(hints[0].mv, Inside::new().search(&request).unwrap().mv);
        named.sort();
        legal.sort();
        prop_assert_eq!(named, legal);
    }
}

#[test]
fn a_stop_before_the_search_is_an_error() {
    use obook_engine::Limits;
    let limits = Limits::default();
    limits.stop.set();
    let request = Request::new(positions(1, 40, 1)[0], 20)
        .unwrap()
        .within(limits);
    assert!(matches!(
        Inside::new().search(&request),
        Err(SearchError::Stopped)
    ));
}
