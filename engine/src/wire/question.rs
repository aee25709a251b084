//! A search that another machine is to make.

use super::{WireError, read, write};
use crate::Request;
use obook_model::Engine;
use obook_othello::{Board, Move, Square};
use serde::{Deserialize, Serialize};

/// The version of the lines.
const VERSION: u64 = 1;

/// A request, and whose level it names.
///
/// ```
/// use obook_model::Engine;
/// use obook_engine::wire::Question;
/// use obook_engine::Request;
/// use obook_othello::{Board, Move};
/// let request = Request::new(Board::START, 10)?.without(Move::Place("d3".parse()?))?;
/// let question = Question { request, engine: Engine::Edax };
/// let line = question.to_line();
/// let board = "---------------------------OX------XO--------------------------- X";
/// assert_eq!(
///     line,
///     format!(r#"{{"question":1,"board":"{board}","without":["d3"],"level":10,"engine":"edax"}}"#)
/// );
/// assert_eq!(Question::from_line(line.as_bytes())?.id(), question.id());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked for, without limits.
    pub request: Request,
    /// On whose scale its level is.
    pub engine: Engine,
}

/// The line.
#[derive(Serialize, Deserialize)]
struct Line {
    question: u64,
    #[serde(flatten)]
    asked: Asked,
}

/// What question and reply say alike.
#[derive(Serialize, Deserialize)]
pub(super) struct Asked {
    board: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    level: u8,
    engine: String,
}

impl Question {
    /// The line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        write(&Line {
            question: VERSION,
            asked: Asked::from(self),
        })
    }

    /// Reads a line.
    ///
    /// # Errors
    /// [`WireError`] where it is none.
    pub fn from_line(line: &[u8]) -> Result<Question, WireError> {
        let Line { question, asked } = read(line)?;
        check_version(question, VERSION)?;
        asked.check()
    }

    /// What tells this question from all others: board, squares to leave out, level and engine, in letters, digits and hyphens.
    #[must_use]
    pub fn id(&self) -> String {
        let board = self.request.board();
        let (player, opponent) = (board.player(), board.opponent());
        let without = self.request.excluded().0;
        let (level, engine) = (self.request.level(), self.engine);
        format!("{player:016x}{opponent:016x}-{without:x}-{level}-{engine}")
    }
}

/// Two are equal where the same is asked for.
impl PartialEq for Question {
    fn eq(&self, other: &Question) -> bool {
        let asked = |it: &Question| {
            let request = &it.request;
            (request.board(), request.excluded(), request.level())
        };
        self.engine == other.engine && asked(self) == asked(other)
    }
}

impl Eq for Question {}

impl From<&Question> for Asked {
    fn from(question: &Question) -> Asked {
        let request = &question.request;
        let squares = request.excluded().iter();
        Asked {
            board: request.board().to_text(),
            without: squares.map(|square| square.to_string()).collect(),
            level: request.level(),
            engine: question.engine.name().to_owned(),
        }
    }
}

impl Asked {
    pub(super) fn check(self) -> Result<Question, WireError> {
        let board: Board = self.board.parse()?;
        let mut request = Request::new(board, self.level)?;
        for square in self.without {
            let place: Square = square.parse().map_err(|_| WireError::Field {
                field: "without",
                found: square,
                expected: "squares such as d3",
            })?;
            request = request.without(Move::Place(place))?;
        }
        let named = |engine: &Engine| engine.name() == self.engine;
        let engine = Engine::ALL.into_iter().find(named);
        let engine = engine.ok_or(WireError::Field {
            field: "engine",
            found: self.engine,
            expected: "edax, egaroucid or obook",
        })?;
        Ok(Question { request, engine })
    }
}

pub(super) fn check_version(found: u64, known: u64) -> Result<(), WireError> {
    match found == known {
        true => Ok(()),
        false => Err(WireError::Version { found, known }),
    }
}
