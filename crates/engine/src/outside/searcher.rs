//! An engine outside as a searcher: checks every answer and restarts an engine that fails.

use super::dialogue::{Claim, Dialogue};
use super::edax_book::EdaxBook;
use super::egaroucid::Egaroucid;
use super::nboard::NBoard;
use super::process::Wait;
use super::{Failed, Outside, Protocol, Trouble};
use crate::{Answer, Request, SearchError, Searcher};
use obook_othello::levels::Effort;
use obook_othello::{Board, Engine, Move};
use std::time::{Duration, Instant};

/// How long to wait for a process to respond after it starts. It may have to read large files on a busy machine.
const GREETING: Duration = Duration::from_secs(300);
/// The number of tries for a position.
const TRIES: u32 = 2;
/// The highest level on both scales. Engines may misread anything above it.
const HIGHEST_LEVEL: u8 = 60;

/// A process that searches.
pub(crate) struct Talking {
    outside: Outside,
    /// `None` after a failure, until the next question.
    dialogue: Option<Box<dyn Dialogue>>,
}

impl Talking {
    /// Starts the process and checks that it speaks its protocol.
    pub(crate) fn start(outside: &Outside) -> Result<Talking, SearchError> {
        let dialogue = greeted(outside)?;
        Ok(Talking {
            outside: outside.clone(),
            dialogue: Some(dialogue),
        })
    }

    /// Asks for the best `count` moves and checks them. If the process fails, restarts it and tries once more.
    fn answers(&mut self, request: &Request, count: usize) -> Result<Vec<Answer>, SearchError> {
        let Outside { name, engine, .. } = &self.outside;
        let lowest = match self.outside.protocol {
            Protocol::Egaroucid => 1,
            Protocol::NBoard | Protocol::EdaxBook => 0,
        };
        if !(lowest..=HIGHEST_LEVEL).contains(&request.level()) {
            return Err(SearchError::Level {
                engine: name.clone(),
                level: request.level(),
                levels: lowest..=HIGHEST_LEVEL,
            });
        }
        let began = Instant::now();
        let mut tries = 1;
        loop {
            let mut wait = Wait::new(request.limits(), began, self.outside.patience);
            let dialogue = match &mut self.dialogue {
                Some(dialogue) => dialogue,
                none => none.insert(greeted(&self.outside)?),
            };
            let asked = Instant::now();
            let answers = dialogue.ask(request, count, &mut wait).and_then(|claims| {
                let time = asked.elapsed();
                let check = |claim| checked(request, *engine, claim, time);
                Ok(claims.into_iter().map(check).collect::<Result<_, _>>()?)
            });
            let trouble = match answers {
                Ok(answers) => return Ok(answers),
                Err(Failed::Stopped) => {
                    self.dialogue = None;
                    return Err(SearchError::Stopped);
                }
                Err(Failed::Trouble(trouble)) => trouble,
            };
            let said = dialogue.process().last_words();
            self.dialogue = None;
            if tries == TRIES {
                return Err(SearchError::Failed {
                    engine: name.clone(),
                    board: request.board(),
                    trouble,
                    said,
                });
            }
            tries += 1;
        }
    }
}

impl Searcher for Talking {
    fn name(&self) -> &str {
        &self.outside.name
    }

    fn engine(&self) -> Engine {
        self.outside.engine
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
        let Some(after) = after_pass(request) else {
            return self.answers(request, count);
        };
        // Some engines say nothing at all about a forced pass, so ask about the position after it.
        let mut answers = self.answers(&after, 1)?;
        for answer in &mut answers {
            answer.mv = Move::Pass;
            answer.score = -answer.score;
            answer.variation.insert(0, Move::Pass);
        }
        Ok(answers)
    }
}

/// The request to send instead if the side to move must pass.
fn after_pass(request: &Request) -> Option<Request> {
    let board: Board = request.board();
    let passed = board.must_pass().then(|| board.passed())?;
    let request = Request::new(passed, request.level())
        .expect("the other side has a move")
        .within(request.limits().clone());
    Some(request)
}

/// Starts the process and waits until it has responded in its protocol.
fn greeted(outside: &Outside) -> Result<Box<dyn Dialogue>, SearchError> {
    let mut wait = Wait::greeting(outside.patience.min(GREETING));
    let not_started = |source| SearchError::NotStarted {
        engine: outside.name.clone(),
        program: outside.executable().into(),
        source,
    };
    let (dialogue, greeted): (Box<dyn Dialogue>, _) = match outside.protocol {
        Protocol::NBoard => {
            let mut engine = NBoard::start(outside).map_err(not_started)?;
            let greeted = engine.greet(&mut wait);
            (Box::new(engine), greeted)
        }
        Protocol::Egaroucid => {
            let mut engine = Egaroucid::start(outside).map_err(not_started)?;
            let greeted = engine.greet(&mut wait);
            (Box::new(engine), greeted)
        }
        Protocol::EdaxBook => {
            let mut engine = EdaxBook::start(outside).map_err(not_started)?;
            let greeted = engine.greet(&mut wait);
            (Box::new(engine), greeted)
        }
    };
    match greeted {
        Ok(()) => Ok(dialogue),
        Err(Failed::Stopped) => Err(SearchError::Stopped),
        Err(Failed::Trouble(trouble)) => Err(SearchError::NotSpeaking {
            engine: outside.name.clone(),
            program: outside.executable().into(),
            protocol: outside.protocol,
            trouble,
            said: dialogue.process().last_words(),
        }),
    }
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
        return Err(Trouble::Illegal(claim.mv));
    }
    if !request.moves().any(|mv| mv == claim.mv) {
        return Err(Trouble::LeftOut(claim.mv));
    }
    let score = i8::try_from(claim.score)
        .ok()
        .filter(|it| (-64..=64).contains(it));
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
        mv: claim.mv,
        score,
        depth,
        probability,
        proven: depth == empties && probability == Some(100),
        complete: true,
        variation: claim.variation,
        nodes: claim.nodes,
        time,
        engine,
        level: request.level(),
    })
}
