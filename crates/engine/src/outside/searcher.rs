//! An engine outside as a searcher for Othello: checks every answer.

use super::dialogue::{Claim, Dialogue};
use super::edax_book::EdaxBook;
use super::egaroucid::Egaroucid;
use super::nboard::NBoard;
use super::talk::Talk;
use super::{Outside, Protocol, Trouble};
use crate::{Answer, Request, SearchError, Searcher};
use obook_othello::levels::{Effort, MAX_LEVEL};
use obook_othello::{Engine, Move};
use std::io;
use std::time::{Duration, Instant};

/// A process that searches.
pub(crate) struct Talking(Talk<dyn Dialogue>);

impl Talking {
    /// Starts the process and checks that it speaks its protocol.
    pub(crate) fn start(outside: &Outside) -> Result<Talking, SearchError> {
        Talk::start(outside, begin).map(Talking)
    }

    /// Asks for the best `count` moves and checks them.
    fn answers(&mut self, request: &Request, count: usize) -> Result<Vec<Answer>, SearchError> {
        let outside = &self.0.outside;
        let scale = outside.engine;
        let lowest = match outside.protocol {
            Protocol::Egaroucid => 1,
            Protocol::NBoard | Protocol::EdaxBook | Protocol::Usi => 0,
        };
        // Engines may misread anything above.
        let level = request.level();
        if !(lowest..=MAX_LEVEL).contains(&level) {
            return Err(SearchError::Level(format!(
                "engine {}: level {level}: its levels are {lowest} to {MAX_LEVEL}",
                outside.name
            )));
        }
        let position = || request.board().to_text();
        self.0.ask(request.limits(), position, |dialogue, engine| {
            let asked = Instant::now();
            let claims = dialogue.ask(request, count, engine)?;
            let time = asked.elapsed();
            let check = |claim| checked(request, scale, claim, time);
            Ok(claims.into_iter().map(check).collect::<Result<_, _>>()?)
        })
    }
}

impl Searcher for Talking {
    fn name(&self) -> &str {
        &self.0.outside.name
    }

    fn engine(&self) -> Engine {
        self.0.outside.engine
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let mut answers = self.hint(request, 1)?;
        answers.pop().ok_or(SearchError::Stopped)
    }

    /// Asks the engine itself for its best moves. This is cheaper than one search per move; the scores may differ slightly.
    fn hint(&mut self, request: &Request, count: usize) -> Result<Vec<Answer>, SearchError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let board = request.board();
        if !board.must_pass() {
            return self.answers(request, count);
        }
        // Some engines say nothing at all about a forced pass, so ask about the position after it.
        let after = Request::new(board.passed(), request.level());
        let after = after.expect("the other side has a move");
        let after = after.within(request.limits().clone());
        let mut answers = self.answers(&after, 1)?;
        for answer in &mut answers {
            answer.mv = Move::Pass;
            answer.score = -answer.score;
            answer.variation.insert(0, Move::Pass);
        }
        Ok(answers)
    }
}

/// The protocol that is spoken.
fn begin(outside: &Outside) -> io::Result<Box<dyn Dialogue>> {
    Ok(match outside.protocol {
        Protocol::NBoard => Box::new(NBoard::default()),
        Protocol::Egaroucid => Box::new(Egaroucid),
        Protocol::EdaxBook => Box::new(EdaxBook::start(outside)?),
        Protocol::Usi => return Err(io::Error::other("usi is a protocol for shogi")),
    })
}

/// Turns a claim into an answer, if it's possible.
fn checked(
    request: &Request,
    engine: Engine,
    claim: Claim,
    time: Duration,
) -> Result<Answer, Trouble> {
    let board = request.board();
    if board.play(claim.mv).is_none() {
        return Err(Trouble::Illegal(claim.mv.to_string()));
    }
    if !request.moves().any(|mv| mv == claim.mv) {
        return Err(Trouble::LeftOut(claim.mv));
    }
    let score = i8::try_from(claim.score).ok();
    let score = score.filter(|it| (-64..=64).contains(it));
    let score = score.ok_or(Trouble::Score(claim.score))?;
    let empties = board.empties() as u8;
    let depth = match claim.depth {
        Some(depth @ 0..=64) => empties.min(depth as u8),
        Some(depth) => return Err(Trouble::Depth(depth)),
        None => empties,
    };
    let level = Effort::new(engine, request.level(), empties);
    let by_level = (level.depth == depth).then_some(level.probability);
    let probability = claim.probability.or(by_level);
    Ok(Answer {
        probability,
        proven: depth == empties && probability == Some(100),
        variation: claim.variation,
        nodes: claim.nodes,
        time,
        ..Answer::new(engine, request, claim.mv, score, depth)
    })
}
