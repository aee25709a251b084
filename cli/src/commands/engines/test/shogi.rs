//! Tests of an engine for shogi.

use super::{Outcome, Report, SAME_ANSWERS, said};
use obook_engine::{Go, Limits, Outside, ShogiAnswer, ShogiSearcher};
use obook_shogi::{Board, LONGEST_MATE, MATE, Move, Sfen};
use std::num::NonZeroU16;
use std::time::Instant;

/// Moves to ask for where an engine can name several.
const MOVES: NonZeroU16 = NonZeroU16::new(4).unwrap();

/// Positions in which one side lacks its large pieces, so the score is against it: White in the first three, Black in the others.
const HANDICAPS: [&str; 6] = [
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b -",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b -",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b -",
];

/// Positions with a mate in one.
const MATES: [&str; 6] = [
    "4k4/9/4P4/9/9/9/9/9/4K4 b G",
    "7k1/9/7P1/9/9/9/9/9/4K4 b G",
    "k8/9/1S7/9/9/9/9/9/4K4 b G",
    "4k4/R8/9/9/9/9/9/9/4K4 b R",
    "8k/6S2/8P/9/9/9/9/9/4K4 b G",
    "k1K6/9/9/9/9/9/9/9/9 b R",
];

/// An engine under test.
struct Bench<'a> {
    outside: &'a Outside,
    searcher: ShogiSearcher,
    go: Go,
    positions: usize,
}

pub(super) fn run(outside: &Outside, go: Go, positions: u8, report: &mut Report) {
    let protocol = outside.protocol.to_string();
    let Some(searcher) = report.start(&protocol, || ShogiSearcher::start(outside)) else {
        return;
    };
    let mut bench = Bench {
        outside,
        searcher,
        go,
        positions: positions.into(),
    };
    report.note("mate", bench.mate());
    report.note("sign", bench.sign());
    report.note("moves", bench.moves());
    report.note("same answer", bench.same_answer());
    report.note("speed", bench.speed());
}

impl Bench<'_> {
    fn ask(&mut self, board: Board, moves: NonZeroU16) -> Result<Vec<ShogiAnswer>, String> {
        let unlimited = Limits::default();
        said(self.searcher.search(&board, moves, self.go, &unlimited))
    }

    fn best(&mut self, board: Board) -> Result<ShogiAnswer, String> {
        Ok(self.ask(board, NonZeroU16::MIN)?[0])
    }

    /// Tests whether mates in one are found.
    fn mate(&mut self) -> Outcome {
        for sfen in MATES {
            let board = board(sfen);
            let ShogiAnswer { mv, score, .. } = self.best(board)?;
            if !mates(&board, mv) || score < MATE - LONGEST_MATE {
                return Err(format!("{board}: {mv} {score}, but there is a mate in one"));
            }
        }
        Ok(format!("{} mates in one", MATES.len()))
    }

    /// Tests whether scores are for the side to move.
    fn sign(&mut self) -> Outcome {
        let mut wrong = Vec::new();
        for (sfen, sign) in HANDICAPS.into_iter().zip([1, 1, 1, -1, -1, -1]) {
            let board = board(sfen);
            let ShogiAnswer { score, .. } = self.best(board)?;
            if score.signum() != sign {
                wrong.push(format!("{board}: {score}"));
            }
        }
        let (count, all) = (wrong.len(), HANDICAPS.len());
        match wrong.first() {
            None => Ok(format!("for the side to move, {all} handicaps")),
            Some(first) => Err(format!(
                "{count} of {all} handicaps are scored for the wrong side, such as {first}"
            )),
        }
    }

    /// Tests searches for several moves.
    fn moves(&mut self) -> Outcome {
        let mut fewest = usize::from(MOVES.get());
        for board in positions(2, self.positions) {
            let answers = self.ask(board, MOVES)?;
            if !answers.is_sorted_by(|one, next| one.score >= next.score) {
                let listed = answers.iter().map(|it| format!("{} {}", it.mv, it.score));
                let listed = listed.collect::<Vec<String>>().join(", ");
                return Err(format!("{board}: not the best first: {listed}"));
            }
            fewest = fewest.min(answers.len());
        }
        Ok(match fewest {
            1 => String::from("one at a time"),
            fewest => format!("{fewest} at a time, the best first"),
        })
    }

    /// Tests whether an answer depends on earlier questions.
    fn same_answer(&mut self) -> Outcome {
        if let Go::Time(_) = self.go {
            let why = "not tested: a time doesn't give the same search";
            return Ok(why.to_owned());
        }
        for board in positions(3, 3) {
            let first = self.ask(board, MOVES)?;
            for (_, child) in board.children().into_iter().take(4) {
                if !child.is_lost() {
                    self.ask(child.canonical(), MOVES)?;
                }
            }
            let again = self.ask(board, MOVES)?;
            let searcher = said(ShogiSearcher::start(self.outside))?;
            let fresh = Bench { searcher, ..*self }.ask(board, MOVES)?;
            for (other, when) in [(again, "after others"), (fresh, "in a new process")] {
                if first.len() != other.len() {
                    let (one, two) = (first.len(), other.len());
                    return Err(format!("{board}: {one} moves at first, {two} {when}"));
                }
                if let Some((one, two)) = first.iter().zip(&other).find(|(one, two)| one != two) {
                    return Err(format!(
                        "{board}: {} {} at first, {} {} {when}",
                        one.mv, one.score, two.mv, two.score
                    ));
                }
            }
        }
        Ok(SAME_ANSWERS.to_owned())
    }

    /// Measures the time per position.
    fn speed(&mut self) -> Outcome {
        let began = Instant::now();
        for board in positions(4, self.positions) {
            self.best(board)?;
        }
        let each = began.elapsed().as_secs_f64() / self.positions as f64;
        Ok(format!("{each:.3} s per position at {}", self.go))
    }
}

fn board(sfen: &str) -> Board {
    let sfen: Sfen = sfen.parse().expect("a position");
    sfen.board
}

fn mates(board: &Board, mv: Move) -> bool {
    board.play(mv).is_some_and(|child| child.is_lost())
}

/// Positions from random games, with Black to move and at least one legal move. A seed always gives the same ones.
fn positions(seed: u64, count: usize) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = Board::start();
        for _ in 0..random.usize(10..60) {
            let Some((_, child)) = random.choice(board.children()) else {
                break;
            };
            board = child;
        }
        found.extend(Some(board.canonical()).filter(|board| !board.is_lost()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_mate_in_one() {
        for sfen in MATES {
            let board = board(sfen);
            let moves = board.legal_moves();
            assert!(moves.into_iter().any(|mv| mates(&board, mv)), "{sfen}");
        }
    }
}
