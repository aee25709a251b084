//! Knowledge about a game that machines need: how its questions travel, and whether two answers agree.

use crate::search::Asked;
use crate::shogi::{self, MOST_MOVES, Usi};
use obook_engine::{Answer, Request, ShogiAnswer, wire};
use obook_othello::Engine;
use obook_othello::levels::is_solved;
use obook_shogi::{LONGEST_MATE, MATE};

/// A question that other machines may answer.
pub trait Remote: Asked {
    /// The question in the form in which it travels.
    type Wire: wire::Sent<Answer = Self::Answer>;

    /// The question, ready to travel, with the engine that it is for.
    fn to_wire(&self, engine: Self::Engine) -> Self::Wire;

    /// A question that has arrived, and the engine that it is for.
    fn from_wire(wire: Self::Wire) -> (Self, Self::Engine);

    /// The engine in the names of a server: letters, digits and hyphens.
    fn token(engine: Self::Engine) -> String;

    /// How much is searched, in letters, digits and hyphens.
    fn effort(&self) -> String;

    /// Whether both answers may be right.
    fn agree(&self, one: &Self::Answer, other: &Self::Answer) -> bool;
}

/// How far two inexact scores of an outside engine may differ, in discs. Machines may have different builds, with different
/// evaluations.
const TOLERANCE: i16 = 4;

impl Remote for Request {
    type Wire = wire::Question;

    fn to_wire(&self, engine: Engine) -> wire::Question {
        wire::Question {
            request: self.clone(),
            engine,
        }
    }

    fn from_wire(wire: wire::Question) -> (Request, Engine) {
        (wire.request, wire.engine)
    }

    fn token(engine: Engine) -> String {
        engine.token()
    }

    fn effort(&self) -> String {
        self.level().to_string()
    }

    /// Exact scores must be equal. Answers of the built-in engine must have the same score and move, since it finds the same on all
    /// machines.
    fn agree(&self, one: &Answer, other: &Answer) -> bool {
        let difference = (i16::from(one.score) - i16::from(other.score)).abs();
        let empties = self.board().empties() as u8;
        match one.engine {
            Engine::Obook => difference == 0 && one.mv == other.mv,
            engine if is_solved(engine, self.level(), empties) => difference == 0,
            _ => difference <= TOLERANCE,
        }
    }
}

/// From here on, scores are mates.
const MATED: i32 = MATE - LONGEST_MATE;

impl Remote for shogi::Question {
    type Wire = shogi::Question;

    /// Asks for no more moves than fit into an answer.
    fn to_wire(&self, _: Usi) -> shogi::Question {
        let mut wire = *self;
        wire.search.moves = wire.search.moves.min(MOST_MOVES);
        wire
    }

    fn from_wire(wire: shogi::Question) -> (shogi::Question, Usi) {
        (wire, Usi)
    }

    fn token(engine: Usi) -> String {
        engine.to_string()
    }

    fn effort(&self) -> String {
        self.go.to_string().replace(' ', "-")
    }

    /// Engines for shogi give another score each time. But it can't be that each side mates the other.
    fn agree(&self, one: &Vec<ShogiAnswer>, other: &Vec<ShogiAnswer>) -> bool {
        let best = |answers: &[ShogiAnswer]| answers.iter().map(|it| it.score).max();
        let scores = [best(one), best(other)];
        let is_won = |score: &Option<i32>| score.is_some_and(|it| it >= MATED);
        let is_lost = |score: &Option<i32>| score.is_some_and(|it| it <= -MATED);
        !(scores.iter().any(is_won) && scores.iter().any(is_lost))
    }
}
