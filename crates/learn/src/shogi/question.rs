//! Questions for engines, on this machine and others, and which answers count.

use crate::search::{Asked, NoAnswer, Searching};
use obook_base::hex;
use obook_engine::wire::{self, WireError};
use obook_engine::{Go, Limits, SearchError, ShogiAnswer, ShogiSearcher};
use obook_shogi::database::grow::Search;
use obook_shogi::{LONGEST_MATE, MATE, Move, Sfen};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::num::NonZeroU16;
use std::str::FromStr;

/// A search and how long it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The search.
    pub search: Search,
    /// How long it lasts.
    pub go: Go,
}

/// Engines for shogi, which have no levels that could be told apart.
pub const USI: &str = "shogi";

/// From here on, scores are mates.
const MATED: i32 = MATE - LONGEST_MATE;

impl Asked for Question {
    type Answer = Vec<ShogiAnswer>;
    type Engine = &'static str;
    type Wire = Question;

    fn position(&self) -> String {
        self.search.board.to_string()
    }

    fn check(&self, answers: &Vec<ShogiAnswer>) -> Result<(), NoAnswer> {
        let most = usize::from(self.search.moves.get());
        let wrong = |why| Err(NoAnswer::Wrong(why));
        if answers.is_empty() || answers.len() > most {
            return wrong(format!("the answer has {} moves", answers.len()));
        }
        let mut seen = HashSet::new();
        for answer in answers {
            if let Err(trouble) = answer.check(&self.search.board) {
                return wrong(format!("the engine failed: {trouble}"));
            }
            if !seen.insert(answer.mv) {
                return wrong(format!("the answer {} comes twice", answer.mv));
            }
        }
        Ok(())
    }

    /// Asks for no more moves than fit into an answer.
    fn to_wire(&self, _: &str) -> Question {
        let mut wire = *self;
        wire.search.moves = wire.search.moves.min(MOST_MOVES);
        wire
    }

    fn from_wire(wire: Question) -> (Question, &'static str) {
        (wire, USI)
    }

    fn token(engine: &'static str) -> String {
        engine.to_owned()
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

impl Searching<Question> for ShogiSearcher {
    fn name(&self) -> &str {
        self.name()
    }

    fn engine(&self) -> &'static str {
        USI
    }

    fn answer(
        &mut self,
        asked: &Question,
        limits: &Limits,
    ) -> Result<Vec<ShogiAnswer>, SearchError> {
        let Question { search, go } = asked;
        self.search(&search.board, search.moves, *go, limits)
    }
}

/// The most moves that a line asks for: so many fit into the line of an answer.
const MOST_MOVES: NonZeroU16 = NonZeroU16::new(128).expect("it isn't 0");

/// The fields of a question's line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Fields {
    /// The position of the book, in SFEN.
    sfen: String,
    /// The move after which to search.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    moves: NonZeroU16,
    go: String,
}

/// The fields of an answer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Said {
    /// A move, the expected answer, the score and the depth of each: `7g7f 3c3d 35 20`. A hyphen is what isn't known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answers: Vec<String>,
}

impl wire::Sent for Question {
    type Answer = Vec<ShogiAnswer>;
    type Fields = Fields;
    type Said = Said;

    /// Made of position, move, number of moves and length of the search.
    fn id(&self) -> String {
        let Question { search, go } = self;
        let key = hex(&search.key.0);
        let mv = search.mv.map_or(0, Move::bits);
        let go = go.to_string().replace(' ', "-");
        format!("{key}-{mv:x}-{}-{go}", search.moves)
    }

    fn fields(&self) -> Fields {
        let Question { search, go } = self;
        let board = search.key.board().expect("a book has positions only");
        Fields {
            sfen: board.to_string(),
            mv: search.mv.map(|mv| mv.to_string()),
            moves: search.moves,
            go: go.to_string(),
        }
    }

    fn from_fields(fields: Fields) -> Result<Question, WireError> {
        let wrong = |field, found: &str, expected| WireError::Field {
            field,
            found: found.to_owned(),
            expected,
        };
        let sfen: Result<Sfen, _> = fields.sfen.parse();
        let sfen = sfen.map_err(|_| wrong("sfen", &fields.sfen, "a position"))?;
        let at = sfen.board.canonical();
        let (mv, board) = match &fields.mv {
            None => (None, at),
            Some(text) => {
                let not_legal = || wrong("move", text, "a legal move");
                let mv: Move = text.parse().map_err(|_| not_legal())?;
                let after = at.play(mv).ok_or_else(not_legal)?;
                (Some(mv), after.canonical())
            }
        };
        if board.is_lost() {
            return Err(wrong("sfen", &fields.sfen, "a position with a legal move"));
        }
        if fields.moves > MOST_MOVES {
            let found = fields.moves.to_string();
            return Err(wrong("moves", &found, "at most 128"));
        }
        let go = fields.go.parse();
        Ok(Question {
            search: Search {
                key: at.key(),
                mv,
                board,
                moves: fields.moves,
                links: 0,
            },
            go: go.map_err(|_| wrong("go", &fields.go, "depth N, nodes N or movetime N"))?,
        })
    }

    fn say(answers: &Vec<ShogiAnswer>) -> Said {
        let said = |it: &ShogiAnswer| {
            let ponder = it.ponder.map_or("-".to_owned(), |mv| mv.to_string());
            let depth = it.depth.map_or("-".to_owned(), |depth| depth.to_string());
            format!("{} {ponder} {} {depth}", it.mv, it.score)
        };
        Said {
            answers: answers.iter().map(said).collect(),
        }
    }

    fn hear(&self, said: Said) -> Result<Vec<ShogiAnswer>, WireError> {
        let heard = |text: String| {
            heard(&text).ok_or(WireError::Field {
                field: "answers",
                found: text,
                expected: "a move, the answer to it, a score and a depth",
            })
        };
        let answers = said.answers.into_iter().map(heard);
        let answers: Vec<ShogiAnswer> = answers.collect::<Result<_, _>>()?;
        match answers.is_empty() {
            true => Err(WireError::Missing("answers")),
            false => Ok(answers),
        }
    }
}

/// A move of an answer.
fn heard(text: &str) -> Option<ShogiAnswer> {
    let words: Vec<&str> = text.split(' ').collect();
    let [mv, ponder, score, depth] = words[..] else {
        return None;
    };
    Some(ShogiAnswer {
        mv: mv.parse().ok()?,
        ponder: if_known(ponder)?,
        score: score.parse().ok()?,
        depth: if_known(depth)?,
    })
}

/// Reads a word. A hyphen stands for an unknown value.
fn if_known<T: FromStr>(word: &str) -> Option<Option<T>> {
    match word {
        "-" => Some(None),
        known => known.parse().ok().map(Some),
    }
}
