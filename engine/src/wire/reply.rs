//! What another machine has found.

use super::question::{Asked, Question, check_version};
use super::{Name, WireError, read, write};
use crate::Answer;
use obook_othello::Move;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

/// The version of the lines.
const VERSION: u64 = 1;
/// No reason is longer, in characters.
const MAX_REASON: usize = 400;

/// A question, what came of it, and who says so.
///
/// ```
/// use obook_model::Engine;
/// use obook_engine::wire::{Question, Reply};
/// use obook_engine::{Inside, Request, Searcher};
/// use obook_othello::Board;
/// let request = Request::new(Board::START, 2)?;
/// let answer = Inside::new().search(&request)?;
/// let reply = Reply {
///     question: Question { request, engine: Engine::Obook },
///     answer: Ok(answer),
///     worker: "attic".parse()?,
/// };
/// let same = Reply::from_line(reply.to_line().as_bytes())?;
/// assert_eq!(same.answer.unwrap().score, reply.answer.unwrap().score);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reply {
    /// What was asked.
    pub question: Question,
    /// What was found, or why nothing was. The line of best play does not go over the wire, nor do the nodes.
    pub answer: Result<Answer, Failure>,
    /// Who searched.
    pub worker: Name,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The engine gave none, for this reason.
    #[error("{0}")]
    Engine(String),
    /// The question was handed out so often, and who took it never said anything.
    #[error("{0} workers took it, and none of them ended it")]
    Lost(u32),
}

/// The line.
#[derive(Serialize, Deserialize)]
struct Line {
    reply: u64,
    #[serde(flatten)]
    asked: Asked,
    worker: String,
    #[serde(flatten)]
    said: Said,
}

/// An answer, or the reason why there is none.
#[derive(Default, Serialize, Deserialize)]
struct Said {
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<u8>,
    #[serde(default, skip_serializing_if = "is_false")]
    proven: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    complete: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    milliseconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Reply {
    /// The line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let said = match &self.answer {
            Ok(answer) => Said {
                mv: Some(answer.mv.to_string()),
                score: Some(answer.score),
                depth: Some(answer.depth),
                probability: answer.probability,
                proven: answer.proven,
                complete: answer.complete,
                milliseconds: u64::try_from(answer.time.as_millis()).unwrap_or(u64::MAX),
                failed: None,
                lost: None,
            },
            Err(Failure::Lost(times)) => Said {
                lost: Some(*times),
                ..Said::default()
            },
            Err(Failure::Engine(reason)) => Said {
                failed: Some(reason.chars().take(MAX_REASON).collect()),
                ..Said::default()
            },
        };
        write(&Line {
            reply: VERSION,
            asked: Asked::from(&self.question),
            worker: self.worker.as_str().to_owned(),
            said,
        })
    }

    /// Reads a line. Whether the answer is one to the question, such as a legal move, is another matter.
    ///
    /// # Errors
    /// [`WireError`] where it is none.
    pub fn from_line(line: &[u8]) -> Result<Reply, WireError> {
        let line: Line = read(line)?;
        check_version(line.reply, VERSION)?;
        let question = line.asked.check()?;
        Ok(Reply {
            answer: line.said.check(&question)?,
            worker: line.worker.parse()?,
            question,
        })
    }
}

impl Said {
    fn check(self, question: &Question) -> Result<Result<Answer, Failure>, WireError> {
        if let Some(times) = self.lost {
            return Ok(Err(Failure::Lost(times)));
        }
        if let Some(reason) = self.failed {
            let is_plain = |c: &char| !c.is_control();
            let reason = reason.chars().filter(is_plain).take(MAX_REASON);
            return Ok(Err(Failure::Engine(reason.collect())));
        }
        let mv = self.mv.ok_or(WireError::Missing("move"))?;
        let parsed: Result<Move, _> = mv.parse();
        let mv = parsed.map_err(|_| WireError::Field {
            field: "move",
            found: mv,
            expected: "a square such as d3, or a pass",
        })?;
        Ok(Ok(Answer {
            mv,
            score: self.score.ok_or(WireError::Missing("score"))?,
            depth: self.depth.ok_or(WireError::Missing("depth"))?,
            probability: self.probability,
            proven: self.proven,
            complete: self.complete,
            variation: Vec::new(),
            nodes: None,
            time: Duration::from_millis(self.milliseconds),
            engine: question.engine,
            level: question.request.level(),
        }))
    }
}
