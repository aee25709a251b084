//! Questions and replies exchanged between machines: one line of JSON each.
//!
//! A reader trusts nothing: the length of a line is limited, and its contents are checked.

use crate::{Answer, NothingToSearch, Request};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Board, Engine, Move, Square, TextError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Not;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// The maximum length of a line in bytes, without its end.
pub const MAX_LINE: usize = 4096;

/// Parses a line as a value of this type, if it's short enough.
fn read<T: DeserializeOwned>(line: &[u8]) -> Result<T, WireError> {
    if line.len() > MAX_LINE {
        return Err(WireError::Long(line.len()));
    }
    serde_json::from_slice(line).map_err(WireError::from)
}

/// Formats a line.
fn write(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("it is text and numbers")
}

/// Removes users and passwords from server addresses, which are separated by commas. For messages and for the history of a
/// book.
///
/// ```
/// use obook_engine::wire::without_credentials;
/// assert_eq!(without_credentials("nats://me:secret@host:4222"), "nats://host:4222");
/// assert_eq!(without_credentials("me:secret@host:4222,token@other"), "host:4222,other");
/// // Text that is no address is hidden.
/// assert_eq!(without_credentials("me:secret"), "...");
/// ```
#[must_use]
pub fn without_credentials(addresses: &str) -> String {
    let shown = |address: &str| {
        let (scheme, rest) = match address.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), address),
        };
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let port = host.rsplit_once(':').map_or("", |(_, port)| port);
        let port = port.trim_end_matches('/');
        // An IPv6 address ends in a bracket. Any other text after a colon may be part of a password.
        match port.ends_with(']') || port.chars().all(|c| c.is_ascii_digit()) {
            true => format!("{scheme}{host}"),
            false => format!("{scheme}..."),
        }
    };
    let addresses: Vec<String> = addresses.split(',').map(shown).collect();
    addresses.join(",")
}

/// The version of the protocol.
const VERSION: u64 = 1;

/// A question that other machines may answer, of whichever game.
pub trait Sent: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    /// The answer to it.
    type Answer: Clone + fmt::Debug + Send + Sync;
    /// The fields of its line.
    type Fields: Serialize + DeserializeOwned;
    /// The fields of an answer in a reply's line. Without an answer, all are absent.
    type Said: Serialize + DeserializeOwned + Default;

    /// A unique name for this question, in letters, digits and hyphens.
    fn id(&self) -> String;

    /// Its fields.
    fn fields(&self) -> Self::Fields;

    /// Checks the fields of a line.
    ///
    /// # Errors
    /// Returns [`WireError`] if they don't make a question.
    fn from_fields(fields: Self::Fields) -> Result<Self, WireError>;

    /// The fields of an answer.
    fn say(answer: &Self::Answer) -> Self::Said;

    /// Reads the fields of an answer. This doesn't check whether it makes sense, for example whether a move is legal.
    ///
    /// # Errors
    /// Returns [`WireError`] if they don't make an answer.
    fn hear(&self, said: Self::Said) -> Result<Self::Answer, WireError>;

    /// Formats it as a line, without its end.
    #[must_use]
    fn to_line(&self) -> String {
        write(&QuestionLine {
            question: VERSION,
            fields: self.fields(),
        })
    }

    /// Parses a line.
    ///
    /// # Errors
    /// Returns [`WireError`] if it isn't a valid question.
    fn from_line(line: &[u8]) -> Result<Self, WireError> {
        let QuestionLine { question, fields } = read(line)?;
        check_version(question)?;
        Self::from_fields(fields)
    }
}

/// The line of a question.
#[derive(Serialize, Deserialize)]
struct QuestionLine<F> {
    question: u64,
    #[serde(flatten)]
    fields: F,
}

/// A request, with the engine whose scale its level is on.
///
/// ```
/// use obook_othello::{Board, Engine, Move};
/// use obook_engine::wire::{Question, Sent};
/// use obook_engine::Request;
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
    /// The request, without limits.
    pub request: Request,
    /// The engine whose scale its level is on.
    pub engine: Engine,
}

/// The fields of a question for Othello.
#[derive(Debug, Serialize, Deserialize)]
pub struct Fields {
    board: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    level: u8,
    engine: String,
    /// Of an engine that obook doesn't know: whose scale its levels are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl Sent for Question {
    type Answer = Answer;
    type Fields = Fields;
    type Said = Said;

    /// Made of board, squares to leave out, level and engine.
    fn id(&self) -> String {
        let board = self.request.board();
        let (player, opponent) = (board.player(), board.opponent());
        let without = self.request.excluded().0;
        let (level, engine) = (self.request.level(), self.engine.token());
        format!("{player:016x}{opponent:016x}-{without:x}-{level}-{engine}")
    }

    fn fields(&self) -> Fields {
        let request = &self.request;
        let squares = request.excluded().iter();
        let place = self.engine.place();
        Fields {
            board: request.board().to_text(),
            without: squares.map(|square| square.to_string()).collect(),
            level: request.level(),
            engine: self.engine.name().to_owned(),
            scale: place.map(|_| self.engine.scale().name().to_owned()),
            place: place.map(|place| place.to_string()),
        }
    }

    fn from_fields(fields: Fields) -> Result<Question, WireError> {
        let board: Board = fields.board.parse()?;
        if fields.level > MAX_LEVEL {
            return Err(WireError::Level(fields.level));
        }
        let mut request = Request::new(board, fields.level)?;
        for square in fields.without {
            let place: Square = square.parse().map_err(|_| WireError::Field {
                field: "without",
                found: square,
                expected: "squares such as d3",
            })?;
            request = request.without(Move::Place(place))?;
        }
        let (engine, scale) = (Engine::known(&fields.engine), fields.scale.as_deref());
        let place = fields.place.as_deref().unwrap_or("unknown").parse().ok();
        let own = || Engine::own(&fields.engine, Engine::known(scale?)?, place?).ok();
        let engine = engine.filter(|_| scale.is_none()).or_else(own);
        let engine = engine.ok_or(WireError::Field {
            field: "engine",
            found: fields.engine,
            expected: "an engine that obook knows, or another one with its scale and place",
        })?;
        Ok(Question { request, engine })
    }

    /// The best line and the number of nodes aren't transmitted.
    fn say(answer: &Answer) -> Said {
        Said {
            mv: Some(answer.mv.to_string()),
            score: Some(answer.score),
            depth: Some(answer.depth),
            probability: answer.probability,
            proven: answer.proven,
            complete: answer.complete,
            milliseconds: u64::try_from(answer.time.as_millis())
                .ok()
                .filter(|it| *it > 0),
        }
    }

    fn hear(&self, said: Said) -> Result<Answer, WireError> {
        let mv = said.mv.ok_or(WireError::Missing("move"))?;
        let parsed: Result<Move, _> = mv.parse();
        let mv = parsed.map_err(|_| WireError::Field {
            field: "move",
            found: mv,
            expected: "a square such as d3, or a pass",
        })?;
        let score = said.score.ok_or(WireError::Missing("score"))?;
        let depth = said.depth.ok_or(WireError::Missing("depth"))?;
        Ok(Answer {
            probability: said.probability,
            proven: said.proven,
            complete: said.complete,
            time: Duration::from_millis(said.milliseconds.unwrap_or_default()),
            ..Answer::new(self.engine, &self.request, mv, score, depth)
        })
    }
}

fn check_version(found: u64) -> Result<(), WireError> {
    match found {
        VERSION => Ok(()),
        found => Err(WireError::Version(found)),
    }
}

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 400;

/// The reply to a question.
///
/// ```
/// use obook_othello::{Board, Engine};
/// use obook_engine::wire::{Question, Reply};
/// use obook_engine::{Inside, Request, Searcher};
/// let request = Request::new(Board::START, 2)?;
/// let answer = Inside::new().search(&request)?;
/// let reply = Reply {
///     question: Question { request, engine: Engine::Obook },
///     answer: Ok(answer),
///     worker: "attic".parse()?,
/// };
/// let same: Reply = Reply::from_line(reply.to_line().as_bytes())?;
/// assert_eq!(same.answer.unwrap().score, reply.answer.unwrap().score);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reply<Q: Sent = Question> {
    /// The question.
    pub question: Q,
    /// The answer, or why there is none.
    pub answer: Result<Q::Answer, Failure>,
    /// The worker that searched.
    pub worker: Name,
}

/// Why there's no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The engine failed, for this reason.
    #[error("{0}")]
    Engine(String),
    /// The question was handed out this many times, but no worker ever replied.
    #[error("{0} workers took it, but none replied")]
    Lost(u32),
}

/// The line.
#[derive(Serialize, Deserialize)]
struct ReplyLine<F, S> {
    reply: u64,
    #[serde(flatten)]
    fields: F,
    worker: String,
    #[serde(flatten)]
    said: S,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u32>,
}

/// The fields of an answer for Othello.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Said {
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<u8>,
    #[serde(default, skip_serializing_if = "Not::not")]
    proven: bool,
    #[serde(default, skip_serializing_if = "Not::not")]
    complete: bool,
    /// Left out if it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<u64>,
}

impl<Q: Sent> Reply<Q> {
    /// Formats it as a line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let (mut failed, mut lost) = (None, None);
        match &self.answer {
            Ok(_) => {}
            Err(Failure::Lost(times)) => lost = Some(*times),
            Err(Failure::Engine(reason)) => {
                failed = Some(reason.chars().take(MAX_REASON).collect());
            }
        }
        write(&ReplyLine {
            reply: VERSION,
            fields: self.question.fields(),
            worker: self.worker.as_str().to_owned(),
            said: self.answer.as_ref().map(Q::say).unwrap_or_default(),
            failed,
            lost,
        })
    }

    /// Parses a line. This doesn't check whether the answer makes sense, for example whether the move is legal.
    ///
    /// # Errors
    /// Returns [`WireError`] if it isn't a valid reply.
    pub fn from_line(line: &[u8]) -> Result<Reply<Q>, WireError> {
        let line: ReplyLine<Q::Fields, Q::Said> = read(line)?;
        check_version(line.reply)?;
        let question = Q::from_fields(line.fields)?;
        let answer = match (line.lost, line.failed) {
            (Some(times), _) => Err(Failure::Lost(times)),
            (None, Some(reason)) => {
                let is_plain = |c: &char| !c.is_control();
                let reason = reason.chars().filter(is_plain).take(MAX_REASON);
                Err(Failure::Engine(reason.collect()))
            }
            (None, None) => Ok(question.hear(line.said)?),
        };
        Ok(Reply {
            question,
            answer,
            worker: line.worker.parse()?,
        })
    }
}

/// The maximum length of a name in characters.
const MAX_NAME: usize = 64;

/// The name of a worker or a book among machines: at most 64 letters, digits, `-` and `_`.
///
/// ```
/// use obook_engine::wire::Name;
/// assert_eq!("attic-2".parse::<Name>()?.as_str(), "attic-2");
/// assert!("two words".parse::<Name>().is_err());
/// # Ok::<(), obook_engine::wire::WireError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Turns any text into a name: invalid characters become hyphens.
    ///
    /// ```
    /// use obook_engine::wire::Name;
    /// assert_eq!(Name::like("attic.example").as_str(), "attic-example");
    /// assert_eq!(Name::like("").as_str(), "unnamed");
    /// ```
    #[must_use]
    pub fn like(text: &str) -> Name {
        let part = |c| if may_stand_in_name(c) { c } else { '-' };
        let name: String = text.chars().take(MAX_NAME).map(part).collect();
        match name.is_empty() {
            true => Name(String::from("unnamed")),
            false => Name(name),
        }
    }
}

const fn may_stand_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

impl FromStr for Name {
    type Err = WireError;

    fn from_str(text: &str) -> Result<Name, WireError> {
        let length = text.chars().count();
        match (1..=MAX_NAME).contains(&length) && text.chars().all(may_stand_in_name) {
            true => Ok(Name(text.to_owned())),
            false => Err(WireError::Field {
                field: "name",
                found: text.chars().take(MAX_NAME).collect(),
                expected: "a name of 1 to 64 letters, digits, hyphens and underscores",
            }),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a line isn't a valid question or reply.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WireError {
    /// It's too long.
    #[error("a line of {0} bytes; the maximum is {MAX_LINE}")]
    Long(usize),
    /// It isn't the expected JSON.
    #[error("not a valid line: {0}")]
    Json(#[from] serde_json::Error),
    /// It comes from another version of obook.
    #[error(
        "protocol version {0}, but this obook uses version {VERSION}: use the same obook on all machines"
    )]
    Version(u64),
    /// The board is invalid.
    #[error("board: {0}")]
    Board(#[from] TextError),
    /// No engine has such a level.
    #[error("level {0}; the maximum is {MAX_LEVEL}")]
    Level(u8),
    /// There's nothing to search.
    #[error("nothing to search: {0}")]
    Nothing(#[from] NothingToSearch),
    /// A field has an invalid value.
    #[error("{field} is {found:?}, expected {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// The value found.
        found: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A field is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
}
