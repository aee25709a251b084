//! The real engines, if they are installed.

use obook_engine::{Answer, EngineChoice, Protocol, Request, Searcher};
use obook_needs::needs;
use obook_othello::{Board, Line, Move};
use obook_testing::engines::{positions, real};
use obook_testing::exhaustive::{exhaustive, exhaustive_moves};

fn searcher(protocol: Protocol) -> Box<dyn Searcher> {
    EngineChoice::Outside(real(protocol)).start().unwrap()
}

/// The result of a search without the time.
fn found(answer: &Answer) -> (Move, i8, u8, Option<u8>) {
    (answer.mv, answer.score, answer.depth, answer.probability)
}

#[needs(engine_kit)]
/// Law (Other engines): Real engines solve positions as exhaustive search does, also with moves excluded.
/// Also: `the_best_of_what_is_not_left_out_is_found`
#[test]
fn solved_positions_have_the_scores_of_exhaustive_search() {
    for protocol in Protocol::ALL {
        let mut searcher = searcher(protocol);
        for empties in 1..=8 {
            for board in positions(u64::from(empties), empties, 4) {
                let answer = searcher.search(&Request::new(board, 20).unwrap()).unwrap();
                let text = board.to_text();
                assert_eq!(answer.score, exhaustive(board), "{protocol}: {text}");
                assert!(answer.proven, "{protocol}: {text}: {answer:?}");
                let child = board.play(answer.mv).unwrap();
                assert_eq!(answer.score, -exhaustive(child), "{protocol}: {text}");
            }
        }
    }
}

#[needs(engine_kit)]
#[test]
fn the_best_of_what_is_not_left_out_is_found() {
    for protocol in Protocol::ALL {
        let mut searcher = searcher(protocol);
        let mut left_out = 0;
        for board in positions(7, 8, 8) {
            let mut moves = exhaustive_moves(board);
            let mut request = Request::new(board, 20).unwrap();
            let all = searcher.hint(&request, 64).unwrap();
            let mut scores: Vec<i8> = moves.iter().map(|(_, score)| *score).collect();
            scores.sort_by(|a, b| b.cmp(a));
            let hinted: Vec<i8> = all.iter().map(|answer| answer.score).collect();
            assert_eq!(hinted, scores, "{protocol}: {}", board.to_text());
            loop {
                let answer = searcher.search(&request).unwrap();
                let best = moves.iter().map(|(_, score)| *score).max().unwrap();
                assert_eq!(answer.score, best, "{protocol}: {}", board.to_text());
                let of_this = moves.iter().position(|(mv, _)| *mv == answer.mv).unwrap();
                assert_eq!(moves.swap_remove(of_this).1, best);
                match request.without(answer.mv) {
                    Ok(rest) => request = rest,
                    Err(_) => break,
                }
                left_out += 1;
            }
        }
        assert!(left_out > 8, "{left_out}");
    }
}

#[needs(engine_kit)]
#[test]
fn a_pass_is_answered_with_a_pass() {
    let line: Line = "f5f6d3g5h5h4f7h6".parse().unwrap();
    let board = line.board();
    assert!(board.must_pass());
    for protocol in Protocol::ALL {
        let mut searcher = searcher(protocol);
        let pass = searcher.search(&Request::new(board, 4).unwrap()).unwrap();
        assert_eq!(pass.mv, Move::Pass);
        let after = Request::new(board.passed(), 4).unwrap();
        let after = searcher.search(&after).unwrap();
        assert_eq!((pass.score, pass.variation[1]), (-after.score, after.mv));
    }
}

/// Consoles remember what they have searched, and would answer the same question another way later.
#[needs(engine_kit)]
/// Law (Other engines): A real engine's answer depends on no earlier question; a pass is answered with a pass.
/// Also: `a_pass_is_answered_with_a_pass`
#[test]
fn an_answer_depends_on_its_request_alone() {
    for protocol in Protocol::ALL {
        let mut old = searcher(protocol);
        for board in positions(3, 44, 3) {
            let request = Request::new(board, 6).unwrap();
            let first = old.search(&request).unwrap();
            // Searches that share most with it: its children, deeper.
            for (_, child) in board.children().filter(|(_, child)| !child.must_pass()) {
                old.search(&Request::new(child, 7).unwrap()).unwrap();
            }
            let again = old.search(&request).unwrap();
            let fresh = searcher(protocol).search(&request).unwrap();
            assert_eq!(
                found(&first),
                found(&again),
                "{protocol}: {}",
                board.to_text()
            );
            assert_eq!(
                found(&first),
                found(&fresh),
                "{protocol}: {}",
                board.to_text()
            );
        }
    }
}

/// Both ways to ask Edax give the answer of the same search.
#[needs(engine_kit)]
#[test]
fn depths_are_those_of_the_levels() {
    for protocol in Protocol::ALL {
        let mut searcher = searcher(protocol);
        let mut of = |board: Board, level| {
            let answer = searcher
                .search(&Request::new(board, level).unwrap())
                .unwrap();
            (answer.depth, answer.probability, answer.proven)
        };
        let [midgame] = positions(5, 40, 1)[..] else {
            panic!()
        };
        assert_eq!(of(midgame, 5), (5, Some(100), false), "{protocol}");
        let [endgame] = positions(5, 12, 1)[..] else {
            panic!()
        };
        assert_eq!(of(endgame, 6), (12, Some(100), true), "{protocol}");
        assert_eq!(of(endgame, 3), (3, Some(100), false), "{protocol}");
    }
}
