//! Tests of an engine for Othello.

use super::{Outcome, Report, SAME_ANSWERS, said};
use obook_engine::{Answer, EngineChoice, Inside, Request, Searcher};
use obook_othello::{Board, Move};
use std::time::Instant;

/// A level that searches to the end of the game from [`SOLVED`] empty squares.
const SOLVING: u8 = 20;
const SOLVED: u32 = 10;
/// The level of a search that doesn't reach the end from [`MIDGAME`] empty squares.
const SHALLOW: u8 = 6;
const MIDGAME: u32 = 40;

/// An engine under test, and the built-in engine to compare it with.
struct Bench<'a> {
    choice: &'a EngineChoice,
    searcher: Box<dyn Searcher>,
    inside: Inside,
    positions: usize,
}

pub(super) fn run(choice: &EngineChoice, level: u8, positions: u8, report: &mut Report) {
    let how = match choice {
        EngineChoice::Inside => String::from("built in"),
        EngineChoice::Outside(outside) => outside.protocol.to_string(),
    };
    let Some(searcher) = report.start(&how, || choice.start()) else {
        return;
    };
    let mut bench = Bench {
        choice,
        searcher,
        inside: Inside::new(),
        positions: positions.into(),
    };
    report.note("exact", bench.exact());
    report.note("sign", bench.sign());
    report.note("exclusions", bench.exclusions());
    report.note("pass", bench.pass());
    report.note("same answer", bench.same_answer());
    report.note("speed", bench.speed(level));
}

impl Bench<'_> {
    fn ask(&mut self, request: &Request) -> Result<Answer, String> {
        said(self.searcher.search(request))
    }

    /// The proven score of a position.
    fn proven(&mut self, request: &Request) -> Result<i8, String> {
        let answer = said(self.inside.search(request))?;
        if !answer.proven {
            return Err(String::from("the built-in engine has no proof here"));
        }
        Ok(answer.score)
    }

    /// Tests the scores of solved positions.
    fn exact(&mut self) -> Outcome {
        for board in positions(1, SOLVED, self.positions) {
            let request = request(board, SOLVING);
            let (found, proven) = (self.ask(&request)?, self.proven(&request)?);
            if found.score != proven {
                return Err(differs(board, proven, found.score));
            }
        }
        let count = self.positions;
        Ok(format!(
            "{count} positions with {SOLVED} empty squares, level {SOLVING}"
        ))
    }

    /// Tests whether scores are for the side to move.
    fn sign(&mut self) -> Outcome {
        let mut seen = 0;
        let (mut as_they_are, mut turned) = (0, 0);
        for board in positions(2, SOLVED, 4 * self.positions) {
            let request = request(board, SOLVING);
            let proven = self.proven(&request)?;
            if proven == 0 || seen == self.positions {
                continue;
            }
            let found = self.ask(&request)?.score;
            seen += 1;
            as_they_are += usize::from(found.signum() == proven.signum());
            turned += usize::from(found == -proven);
        }
        if as_they_are == seen {
            Ok(format!("for the side to move, {seen} positions"))
        } else if turned == seen {
            Err(String::from("scores are for the other side"))
        } else {
            Err(format!(
                "only {as_they_are} of {seen} positions have the right winner"
            ))
        }
    }

    /// Tests searches with excluded moves.
    fn exclusions(&mut self) -> Outcome {
        let mut asked = 0;
        for board in positions(3, SOLVED, self.positions) {
            let mut rest = request(board, SOLVING);
            for _ in 0..3 {
                let best = said(self.inside.search(&rest))?.mv;
                let Ok(without) = rest.without(best) else {
                    break;
                };
                rest = without;
                let (found, proven) = (self.ask(&rest)?, self.proven(&rest)?);
                if found.score != proven {
                    let left_out = board.moves().filter(|mv| !rest.moves().any(|it| it == *mv));
                    let left_out: Vec<String> = left_out.map(|mv| mv.to_string()).collect();
                    let difference = differs(board, proven, found.score);
                    return Err(format!("{difference}, without {}", left_out.join(" ")));
                }
                asked += 1;
            }
        }
        Ok(format!("{asked} questions with up to 3 excluded moves"))
    }

    /// Tests positions in which the side to move must pass.
    fn pass(&mut self) -> Outcome {
        let mut seen = 0;
        for seed in 0..200 {
            let passes = |board: &Board| board.must_pass();
            for board in positions(100 + seed, SOLVED, 20).into_iter().filter(passes) {
                if seen == self.positions {
                    break;
                }
                let request = request(board, SOLVING);
                let (found, proven) = (self.ask(&request)?, self.proven(&request)?);
                if found.mv != Move::Pass || found.score != proven {
                    return Err(differs(board, proven, found.score));
                }
                seen += 1;
            }
        }
        Ok(format!("{seen} positions"))
    }

    /// Tests whether an answer depends on earlier questions.
    fn same_answer(&mut self) -> Outcome {
        let what = |answer: &Answer| (answer.mv, answer.score, answer.depth, answer.probability);
        let told = |answer: &Answer| format!("{} {:+}", answer.mv, answer.score);
        for board in positions(4, MIDGAME, 3) {
            let request = request(board, SHALLOW);
            let first = self.ask(&request)?;
            for (_, child) in board.children().take(4) {
                if let Ok(request) = Request::new(child, SHALLOW + 1) {
                    self.ask(&request)?;
                }
            }
            let again = self.ask(&request)?;
            let fresh = said(said(self.choice.start())?.search(&request))?;
            for (other, when) in [(again, "after others"), (fresh, "in a new process")] {
                if what(&first) != what(&other) {
                    let (first, other) = (told(&first), told(&other));
                    let board = board.to_text();
                    return Err(format!("{board}: {first} at first, {other} {when}"));
                }
            }
        }
        Ok(SAME_ANSWERS.to_owned())
    }

    /// Measures the time per position.
    fn speed(&mut self, level: u8) -> Outcome {
        let began = Instant::now();
        let mut nodes = Some(0);
        for board in positions(5, MIDGAME, self.positions) {
            let found = self.ask(&request(board, level))?;
            nodes = nodes.zip(found.nodes).map(|(sum, nodes)| sum + nodes);
        }
        let seconds = began.elapsed().as_secs_f64();
        let each = seconds / self.positions as f64;
        let nodes = match nodes.map(|nodes| nodes as f64 / seconds / 1e6) {
            Some(millions) => format!(", {millions:.2} million nodes per second"),
            None => String::new(),
        };
        Ok(format!(
            "{each:.3} s per position with {MIDGAME} empty squares at level {level}{nodes}"
        ))
    }
}

fn request(board: Board, level: u8) -> Request {
    Request::new(board, level).expect("the game is not over")
}

fn differs(board: Board, proven: i8, found: i8) -> String {
    format!("{}: {found:+}, but {proven:+} is proven", board.to_text())
}

/// Positions from random games, always the same for a seed.
fn positions(seed: u64, empties: u32, count: usize) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = Board::START;
        while board.empties() > empties && !board.is_over() {
            let children: Vec<Board> = board.children().map(|(_, child)| child).collect();
            board = children[random.usize(..children.len())];
        }
        if !board.is_over() {
            found.push(board);
        }
    }
    found
}
