//! USI, the protocol of engines for shogi.

use super::dialogue::{Spoken, no_answer};
use super::process::Exchange;
use super::talk::Talk;
use super::{Failed, Outside, Trouble};
use crate::{Limits, SearchError};
use obook_shogi::{Board, LONGEST_MATE, MATE, Move};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::num::NonZeroU16;
use std::str::FromStr;

/// The greatest depth that a search for shogi can have, in plies.
pub const DEEPEST: u32 = 1_000;
/// The most options that an engine has.
const MOST_OPTIONS: usize = 10_000;
/// The most characters of a list of options in an error.
const OPTIONS_QUOTED: usize = 400;

/// How long an engine searches, in words of USI: `depth 12`, `nodes 1000000` or `movetime 500`.
///
/// ```
/// use obook_engine::Go;
/// assert_eq!("nodes 1000".parse(), Ok(Go::Nodes(1000)));
/// assert_eq!(Go::Depth(12).to_string(), "depth 12");
/// assert!("depth 0".parse::<Go>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To this depth.
    Depth(u64),
    /// About as many positions.
    Nodes(u64),
    /// This many milliseconds.
    Time(u64),
}

/// Words are no [`Go`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” doesn't say how long to search; expected depth, nodes or movetime with a number, such as nodes 1000000"
)]
pub struct ParseGoError(String);

impl FromStr for Go {
    type Err = ParseGoError;

    fn from_str(text: &str) -> Result<Go, ParseGoError> {
        let parse = || {
            let (word, number) = text.trim().split_once(' ')?;
            let number: u64 = number.trim().parse().ok().filter(|number| *number > 0)?;
            match word {
                "depth" if number <= DEEPEST.into() => Some(Go::Depth(number)),
                "nodes" => Some(Go::Nodes(number)),
                "movetime" => Some(Go::Time(number)),
                _ => None,
            }
        };
        parse().ok_or_else(|| ParseGoError(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Go::Depth(plies) => write!(f, "depth {plies}"),
            Go::Nodes(nodes) => write!(f, "nodes {nodes}"),
            Go::Time(milliseconds) => write!(f, "movetime {milliseconds}"),
        }
    }
}

/// A move of an answer. It is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShogiAnswer {
    /// The move.
    pub mv: Move,
    /// The expected answer.
    pub ponder: Option<Move>,
    /// Its score in centipawns for the side that makes it; a mate in *n* plies is [`MATE`] − *n*.
    pub score: i32,
    /// The depth of the search, if the engine says it.
    pub depth: Option<u32>,
}

impl ShogiAnswer {
    /// Whether it can be an answer about a position: moves are legal, and no score is beyond a mate, no depth beyond [`DEEPEST`].
    ///
    /// # Errors
    /// Returns [`Trouble::Illegal`], [`Trouble::Score`] or [`Trouble::Depth`].
    pub fn check(&self, board: &Board) -> Result<(), Trouble> {
        let illegal = |mv: Move| Trouble::Illegal(mv.to_string());
        let after = board.play(self.mv).ok_or_else(|| illegal(self.mv))?;
        if let Some(ponder) = self.ponder.filter(|ponder| after.play(*ponder).is_none()) {
            return Err(illegal(ponder));
        }
        if !(-MATE..=MATE).contains(&self.score) {
            return Err(Trouble::Score(self.score));
        }
        match self.depth {
            Some(depth) if depth > DEEPEST => Err(Trouble::Depth(depth)),
            _ => Ok(()),
        }
    }
}

/// An engine for shogi, as a process. It fails and is begun again as engines for Othello are ([`Outside`]).
pub struct ShogiSearcher(Talk<Usi>);

impl ShogiSearcher {
    /// Starts the process, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// Returns [`SearchError::NotStarted`] if the process can't be started, or [`SearchError::NotSpeaking`] if it doesn't speak USI
    /// or lacks an option.
    pub fn start(outside: &Outside) -> Result<ShogiSearcher, SearchError> {
        let mut talk = Talk::start(outside, Usi::start)?;
        // Each question sets its own limits, so a long silence is normal.
        talk.has_answered = true;
        Ok(ShogiSearcher(talk))
    }

    /// The engine's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.outside.name
    }

    /// Finds so many of the best moves of a position, or fewer, best first. The position has a legal move. The answer depends on
    /// nothing but the question, provided the engine clears its hash table when it is told to.
    ///
    /// # Errors
    /// Returns [`SearchError::Stopped`] if a limit ended the search, and [`SearchError::Failed`] if the engine failed twice.
    pub fn search(
        &mut self,
        board: &Board,
        moves: NonZeroU16,
        go: Go,
        limits: &Limits,
    ) -> Result<Vec<ShogiAnswer>, SearchError> {
        let position = || board.to_string();
        self.0.ask(limits, position, |usi, engine| {
            usi.ask(board, moves, go, engine)
        })
    }
}

/// USI, with an engine that has these options.
struct Usi {
    options: BTreeMap<String, String>,
    can_list: bool,
}

impl Usi {
    fn start(outside: &Outside) -> io::Result<Box<Usi>> {
        if !outside.protocol.is_for_shogi() {
            let protocol = outside.protocol;
            let problem = format!("{protocol} is a protocol for Othello");
            return Err(io::Error::other(problem));
        }
        Ok(Box::new(Usi {
            options: outside.options.clone(),
            can_list: false,
        }))
    }

    fn ask(
        &self,
        board: &Board,
        moves: NonZeroU16,
        go: Go,
        engine: &mut Exchange<'_>,
    ) -> Result<Vec<ShogiAnswer>, Failed> {
        let rows = usize::from(moves.get()).min(board.legal_moves().len());
        if self.can_list {
            set(engine, "MultiPV", &rows.to_string())?;
        }
        // Otherwise the answer would depend on earlier questions: engines empty their hash tables at either.
        get_ready(engine)?;
        engine.say("usinewgame")?;
        engine.say(&format!("position sfen {board} 1"))?;
        engine.say(&format!("go {go}"))?;
        let mut lines: Vec<Option<ShogiAnswer>> = vec![None; rows];
        let last = loop {
            let line = engine.hear()?;
            match line.split_once(' ') {
                Some(("info", info)) => {
                    // The last line of a rank counts.
                    let (rank, answer) = read(board, info, &line)?.unzip();
                    let place = rank.and_then(|rank: usize| lines.get_mut(rank.checked_sub(1)?));
                    if let Some(place) = place {
                        *place = answer;
                    }
                }
                Some(("bestmove", best)) => {
                    legal(board, best)?;
                    break line;
                }
                _ => {}
            }
        };
        let mut answers: Vec<ShogiAnswer> = Vec::new();
        for answer in lines.into_iter().flatten() {
            // A rank may be left from a search less deep.
            if answers.iter().all(|known| known.mv != answer.mv) {
                answers.push(answer);
            }
        }
        match answers.is_empty() {
            true => Err(no_answer("info with pv and score before bestmove", &last)),
            false => Ok(answers),
        }
    }
}

impl Spoken for Usi {
    fn greet(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed> {
        engine.say("usi")?;
        let mut known: Vec<String> = Vec::new();
        loop {
            let line = engine.hear()?;
            if line == "usiok" {
                break;
            }
            let option = line.strip_prefix("option name ");
            let option = option.and_then(|option| Some(option.split_once(" type ")?.0));
            known.extend(option.map(|name| name.trim().to_owned()));
            if known.len() > MOST_OPTIONS {
                return Err(Trouble::Endless.into());
            }
        }
        let has = |name: &str| known.iter().any(|option| option == name);
        self.can_list = has("MultiPV");
        // These two need not be announced.
        let standard = ["USI_Hash", "USI_Ponder"];
        let unknown = |name: &&String| !has(name) && !standard.contains(&name.as_str());
        if let Some(name) = self.options.keys().find(unknown) {
            let known: String = known.join(", ").chars().take(OPTIONS_QUOTED).collect();
            return Err(Trouble::NoOption(format!("{name}; expected {known}")).into());
        }
        let own_book = "USI_OwnBook";
        if has(own_book) && !self.options.contains_key(own_book) {
            set(engine, own_book, "false")?;
        }
        for (name, value) in &self.options {
            set(engine, name, value)?;
        }
        get_ready(engine)
    }
}

fn set(engine: &mut Exchange<'_>, name: &str, value: &str) -> Result<(), Failed> {
    engine.say(&format!("setoption name {name} value {value}"))
}

/// Waits until the engine is ready, which may take long: it reads its weights, and empties its memory.
fn get_ready(engine: &mut Exchange<'_>) -> Result<(), Failed> {
    engine.say("isready")?;
    while engine.hear()? != "readyok" {}
    Ok(())
}

/// Reads what follows `info`: the rank of a move, and what is said of it. `None` if it says nothing final about a move.
fn read(board: &Board, info: &str, line: &str) -> Result<Option<(usize, ShogiAnswer)>, Failed> {
    let wrong = |expected| move || no_answer(expected, line);
    let (mut rank, mut depth, mut score, mut pv) = (1, None, None, None);
    let mut words = info.split_whitespace();
    while let Some(word) = words.next() {
        let mut number = || words.next().unwrap_or_default();
        match word {
            // All that follows is text.
            "string" => break,
            "multipv" => {
                let read = number().parse().ok();
                rank = read.ok_or_else(wrong("multipv with a number"))?;
            }
            "depth" => {
                let read: Option<u32> = number().parse().ok();
                let read = read.ok_or_else(wrong("depth with a number"))?;
                depth = Some(read);
            }
            "score" => {
                let (kind, number) = (number(), number());
                let read = match kind {
                    "cp" => number.parse().ok(),
                    "mate" => mate(number),
                    _ => None,
                };
                score = Some(read.ok_or_else(wrong("score cp or score mate with a number"))?);
            }
            // Only a bound: the engine is still searching.
            "lowerbound" | "upperbound" => return Ok(None),
            "pv" => {
                pv = words.next().zip(Some(words.next()));
                break;
            }
            _ => {}
        }
    }
    let (Some(score), Some((first, second))) = (score, pv) else {
        return Ok(None);
    };
    let Some(mv) = legal(board, first)? else {
        return Ok(None);
    };
    let after = board.play(mv);
    let ponder = second
        .and_then(|second| second.parse().ok())
        .filter(|reply| after.is_some_and(|after| after.play(*reply).is_some()));
    let answer = ShogiAnswer {
        mv,
        ponder,
        score,
        depth,
    };
    answer.check(board)?;
    Ok(Some((rank, answer)))
}

/// The score of a mate in some plies: `7`, `-4`; `+` and `-` for one of unknown length.
fn mate(text: &str) -> Option<i32> {
    let is_lost = text.starts_with('-');
    let plies = match text {
        // Of unknown length.
        "+" | "-" => LONGEST_MATE,
        plies => plies.parse::<i32>().ok()?.saturating_abs(),
    };
    let score = MATE - plies.min(LONGEST_MATE);
    Some(if is_lost { -score } else { score })
}

/// Reads a move, perhaps with words behind it; `None` if it gives up or declares a win.
fn legal(board: &Board, text: &str) -> Result<Option<Move>, Failed> {
    let word = text.split_whitespace().next().unwrap_or_default();
    if ["resign", "win"].contains(&word) {
        return Ok(None);
    }
    let mv: Option<Move> = word.parse().ok();
    match mv.filter(|mv| board.play(*mv).is_some()) {
        Some(mv) => Ok(Some(mv)),
        None => Err(Trouble::Illegal(word.chars().take(40).collect()).into()),
    }
}
