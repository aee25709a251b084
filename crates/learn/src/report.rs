//! Reports of a run: during it, at the end and in the history.

use crate::intake::Taken;
use crate::search::{Asked, NoAnswer, Reply, Trusted};
use obook::{Result, Store};
use obook_othello::{Board, CanonicalBoard, Line};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::time::Instant;

/// The results of searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Answers.
    pub searches: u64,
    /// Positions that they added.
    pub added: u64,
    /// Leaves that they found or replaced, including those of the added positions.
    pub leaves: u64,
    /// Leaves with proven scores for which another proof has found another score.
    pub corrected: u64,
    /// Searches without an answer, counted each time.
    pub failed: u64,
}

obook_base::sums! { Totals { searches, added, leaves, corrected, failed } }

/// Counts of positions by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SearchCounts {
    /// Positions that have the leaf that was found.
    pub searched: u64,
    /// Positions whose own leaf is as good, and stays.
    pub kept: u64,
    /// Positions that need no search: their game is over, or all moves lead to positions of the book.
    pub not_needed: u64,
    /// Positions that gave no answer.
    pub failed: u64,
}

obook_base::sums! { SearchCounts { searched, kept, not_needed, failed } }

impl SearchCounts {
    /// All positions that were dealt with.
    #[must_use]
    pub fn done(self) -> u64 {
        self.searched + self.kept + self.not_needed + self.failed
    }
}

/// A leaf with a proven score for which another proof has found another score: one of the searches was wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Correction {
    /// The position: 64 squares and the side to move.
    pub board: String,
    /// The score before, in discs for the side to move,
    pub before: i8,
    /// and after.
    pub after: i8,
}

/// The number of failures, and of corrections, that a report names.
pub(crate) const NAMED: usize = 20;

/// A search without an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failed {
    /// The position: 64 squares and the side to move.
    pub board: String,
    /// Why.
    pub reason: String,
}

impl Failed {
    /// Adds a search without an answer, unless enough are named already. Returns the reason.
    pub(crate) fn add<Q: Asked>(all: &mut Vec<Failed>, reply: &Reply<Q>, why: &NoAnswer) -> String {
        let reason = reply.reason(why);
        if all.len() < NAMED {
            all.push(Failed {
                board: reply.question.position(),
                reason: reason.clone(),
            });
        }
        reason
    }
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The current stage of the recipe; 1 is the first.
    pub stage: usize,
    /// The number of stages.
    pub stages: usize,
    /// Its rule.
    pub rule: &'static str,
    /// The counts of this run so far.
    #[serde(flatten)]
    pub totals: Totals,
    /// Searches left in this wave: a million at most.
    pub left: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Seconds since the start of the run.
    pub seconds: f64,
    /// The value of the root, in discs for its side to move.
    pub root: Option<i16>,
}

/// The value of a position.
pub(crate) fn value(book: &Store, board: CanonicalBoard) -> Result<Option<i16>> {
    Ok(book.numbers(board)?.and_then(|position| position.value))
}

/// How far a run is, for a terminal.
pub(crate) fn note(done: u64, seconds: f64, positions: Option<u64>, root: Option<i32>) -> String {
    let rate = done as f64 / seconds.max(f64::MIN_POSITIVE);
    let positions = positions.map_or_else(String::new, |it| format!(", {it} positions"));
    let root = root.map_or_else(String::new, |root| format!(", root {root:+}"));
    format!("{rate:.1} a second{positions}{root}")
}

/// The counts of a stage in this run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct StageTotals {
    /// The stage; 1 is the first.
    pub stage: usize,
    /// Its rule.
    pub rule: &'static str,
    /// The name of the engine.
    pub engine: String,
    /// The level of the searches.
    pub level: u8,
    /// The results of its searches.
    #[serde(flatten)]
    pub totals: Totals,
    /// The seconds that it took,
    pub seconds: f64,
    /// how many of them rules took to choose,
    pub choosing: f64,
    /// and how many answers took to go into the book.
    pub writing: f64,
    /// Whether the stage is over.
    pub done: bool,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Learned {
    /// The number of the change in the book's history; `None`: nothing changed.
    pub change: Option<i64>,
    /// The results of its searches.
    #[serde(flatten)]
    pub totals: Totals,
    /// The same by stages.
    pub stages: Vec<StageTotals>,
    /// The number of positions of the book before
    pub positions_before: u64,
    /// and after.
    pub positions: u64,
    /// Positions that lack a leaf at the end: the engines refuse such a book.
    pub lacking: u64,
    /// Positions whose search failed and had no answer later.
    pub unanswered: u64,
    /// The value of the root, in discs for its side to move, before
    pub root_before: Option<i16>,
    /// and after.
    pub root: Option<i16>,
    /// The lines whose value changed most.
    pub lines: Vec<LineChange>,
    /// The first leaves with another proven score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// The first searches without an answer, with the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failed>,
    /// The workers that were refused, but not before answers of theirs had counted because they were the only ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<Trusted>,
    /// Seconds since the start.
    pub seconds: f64,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
}

/// Why a run ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time was up.
    Time,
    /// The limit was reached.
    Limit,
    /// It was told to stop.
    Told,
    /// Other machines have all searches that wait, until their leases end.
    HandedOut,
    /// The engine gave no answers.
    NoAnswer,
    /// The book could not be read or written.
    Broken,
}

/// The part of a run that is one entry of the history: it ends where another command changes the book. The history keeps its counts.
#[derive(Serialize)]
pub(crate) struct Part {
    /// The root of all lines.
    #[serde(skip)]
    pub(crate) board: CanonicalBoard,
    #[serde(skip)]
    begun: Instant,
    /// When the last answers went in.
    #[serde(skip)]
    last: Instant,
    #[serde(flatten)]
    totals: Totals,
    /// The value of the root before,
    pub(crate) root_before: Option<i16>,
    /// and now.
    root: Option<i16>,
    seconds: f64,
    /// The lines that have changed, if they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<LineChange>,
}

impl Part {
    /// Begins now, with this root, in the book as it is.
    pub(crate) fn begin(book: &Store, board: CanonicalBoard, now: Instant) -> Result<Part> {
        Ok(Part {
            board,
            begun: now,
            last: now,
            totals: Totals::default(),
            root_before: value(book, board)?,
            root: None,
            seconds: 0.0,
            lines: Vec::new(),
        })
    }

    /// Adds a batch, which goes in now. If it begins an entry, so does the part.
    pub(crate) fn add(&mut self, before: &Store, taken: &Taken, now: Instant) -> Result<()> {
        if taken.begins {
            *self = Part::begin(before, self.board, self.last)?;
        }
        self.totals += taken.totals;
        self.last = now;
        Ok(())
    }

    /// Seconds since it began.
    pub(crate) fn seconds(&self, now: Instant) -> f64 {
        now.duration_since(self.begun).as_secs_f64()
    }

    /// Its counts, with the value of the root as it is now.
    pub(crate) fn counts(&mut self, now: Instant, root: Option<i16>) -> &Part {
        self.seconds = self.seconds(now);
        self.root = root;
        self
    }
}

/// The number of lines to watch, the shortest first, no two of them to the same position.
const WATCHED: usize = 1000;
/// The number of lines to report.
const LINES: usize = 10;

/// A line whose value changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineChange {
    /// The moves.
    pub line: String,
    /// The value of the last move for the side that makes it, in discs, before
    pub before: i16,
    /// and now.
    pub after: i16,
}

/// The last moves of short lines, with their values for the side that makes them.
#[derive(Clone, Default)]
pub(crate) struct Watched(Vec<(Line, CanonicalBoard, i16)>);

impl Watched {
    /// The lines as the book has them now.
    pub(crate) fn of(book: &Store) -> Result<Watched> {
        let mut seen = HashSet::from([Board::START.canonical()]);
        let mut waiting = VecDeque::from([Line::default()]);
        let mut found = Vec::new();
        while let Some(line) = waiting.pop_front() {
            for mv in line.board().distinct_moves() {
                let child = line.board().play(mv).expect("a legal move");
                let board = child.canonical();
                if seen.insert(board)
                    && let Some(position) = book.numbers(board)?
                {
                    let mut longer = line.clone();
                    longer.push(mv).expect("a legal move");
                    if let Some(value) = position.value {
                        found.push((longer.clone(), board, -value));
                    }
                    waiting.push_back(longer);
                }
            }
            if found.len() >= WATCHED {
                break;
            }
        }
        Ok(Watched(found))
    }

    /// The lines whose value changed most; the shorter ones first if it changed equally.
    pub(crate) fn changed(&self, book: &Store) -> Result<Vec<LineChange>> {
        let mut changed = Vec::new();
        for (line, board, before) in &self.0 {
            let after = value(book, *board)?;
            if let Some(after) = after.map(|value| -value).filter(|after| after != before) {
                changed.push(LineChange {
                    line: line.to_string(),
                    before: *before,
                    after,
                });
            }
        }
        changed.sort_by_key(|it: &LineChange| Reverse(it.before.abs_diff(it.after)));
        changed.truncate(LINES);
        Ok(changed)
    }
}
