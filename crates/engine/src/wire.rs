//! Questions and replies exchanged between machines: one line of JSON each.
//!
//! A reader trusts nothing: the length of a line is limited, and its contents are checked.

use crate::{Answer, NothingToSearch, Request};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Board, Engine, Move, Square, TextError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, Read};
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// The maximum length of a line in bytes, without its end.
pub const MAX_LINE: usize = 4096;

/// Parses a line as a value of this type, if it's short enough.
fn read<'a, T: serde::Deserialize<'a>>(line: &'a [u8]) -> Result<T, WireError> {
    if line.len() > MAX_LINE {
        return Err(WireError::Long(line.len()));
    }
    serde_json::from_slice(line).map_err(WireError::from)
}

/// Formats a line.
fn write(line: &impl serde::Serialize) -> String {
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

/// A request, with the engine whose scale its level is on.
///
/// ```
/// use obook_othello::{Board, Engine, Move};
/// use obook_engine::wire::Question;
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

/// The line.
#[derive(Serialize, Deserialize)]
struct QuestionLine {
    question: u64,
    #[serde(flatten)]
    asked: Asked,
}

/// The fields that questions and replies share.
#[derive(Serialize, Deserialize)]
struct Asked {
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

impl Question {
    /// Formats it as a line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        write(&QuestionLine {
            question: VERSION,
            asked: Asked::from(self),
        })
    }

    /// Parses a line.
    ///
    /// # Errors
    /// Returns [`WireError`] if it isn't a valid question.
    pub fn from_line(line: &[u8]) -> Result<Question, WireError> {
        let QuestionLine { question, asked } = read(line)?;
        check_version(question, VERSION)?;
        asked.check()
    }

    /// A unique name for this question, made of board, squares to leave out, level and engine, in letters, digits and hyphens.
    #[must_use]
    pub fn id(&self) -> String {
        let board = self.request.board();
        let (player, opponent) = (board.player(), board.opponent());
        let without = self.request.excluded().0;
        let (level, engine) = (self.request.level(), self.engine.token());
        format!("{player:016x}{opponent:016x}-{without:x}-{level}-{engine}")
    }
}

/// Two are equal if they ask for the same, whatever their limits.
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
        let place = question.engine.place();
        Asked {
            board: request.board().to_text(),
            without: squares.map(|square| square.to_string()).collect(),
            level: request.level(),
            engine: question.engine.name().to_owned(),
            scale: place.map(|_| question.engine.scale().name().to_owned()),
            place: place.map(|place| place.to_string()),
        }
    }
}

impl Asked {
    fn check(self) -> Result<Question, WireError> {
        let board: Board = self.board.parse()?;
        if self.level > MAX_LEVEL {
            return Err(WireError::Level(self.level));
        }
        let mut request = Request::new(board, self.level)?;
        for square in self.without {
            let place: Square = square.parse().map_err(|_| WireError::Field {
                field: "without",
                found: square,
                expected: "squares such as d3",
            })?;
            request = request.without(Move::Place(place))?;
        }
        let (engine, scale) = (Engine::known(&self.engine), self.scale.as_deref());
        let place = self.place.as_deref().unwrap_or("unknown").parse().ok();
        let own = || Engine::own(&self.engine, Engine::known(scale?)?, place?).ok();
        let engine = engine.filter(|_| scale.is_none()).or_else(own);
        let engine = engine.ok_or(WireError::Field {
            field: "engine",
            found: self.engine,
            expected: "an engine that obook knows, or another one with its scale and place",
        })?;
        Ok(Question { request, engine })
    }
}

fn check_version(found: u64, known: u64) -> Result<(), WireError> {
    match found == known {
        true => Ok(()),
        false => Err(WireError::Version { found, known }),
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
/// let same = Reply::from_line(reply.to_line().as_bytes())?;
/// assert_eq!(same.answer.unwrap().score, reply.answer.unwrap().score);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reply {
    /// The question.
    pub question: Question,
    /// The answer, or why there is none. The best line and the number of nodes aren't transmitted.
    pub answer: Result<Answer, Failure>,
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
struct ReplyLine {
    reply: u64,
    #[serde(flatten)]
    asked: Asked,
    worker: String,
    #[serde(flatten)]
    said: Said,
}

/// An answer, or the reason for its absence.
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
    /// Formats it as a line, without its end.
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
        write(&ReplyLine {
            reply: VERSION,
            asked: Asked::from(&self.question),
            worker: self.worker.as_str().to_owned(),
            said,
        })
    }

    /// Parses a line. This doesn't check whether the answer makes sense, for example whether the move is legal.
    ///
    /// # Errors
    /// Returns [`WireError`] if it isn't a valid reply.
    pub fn from_line(line: &[u8]) -> Result<Reply, WireError> {
        let line: ReplyLine = read(line)?;
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

/// Reads the lines of a file with their offsets, using no more memory than a line may take.
///
/// ```
/// use obook_engine::wire::Lines;
/// let mut lines = Lines::new(&b"one\ntwo"[..]);
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"one\n"[..]));
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"two"[..]));
/// assert_eq!((lines.at(), lines.next_line()?), (4, None));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    at: u64,
    end: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines from here.
    pub fn new(reader: R) -> Lines<R> {
        Lines {
            reader,
            at: 0,
            end: 0,
        }
    }

    /// Returns the next line with its end, cut off slightly above the maximum length; `None` if there are no more.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut bounded = (&mut self.reader).take(MAX_LINE as u64 + 2);
        let read = bounded.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        (self.at, self.end) = (self.end, self.end + read as u64);
        Ok(Some(line))
    }

    /// The offset of the last line read.
    pub fn at(&self) -> u64 {
        self.at
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
        "protocol version {found}, but this obook uses version {known}: use the same obook on all machines"
    )]
    Version {
        /// The version of the line.
        found: u64,
        /// The supported version.
        known: u64,
    },
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
