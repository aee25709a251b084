//! A book as files have it, before anything is computed from it.

use crate::{Board, Move, Packed};
use obook_base::in_number;
use rayon::prelude::*;
use std::fmt;

/// Positions with their moves, in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// The file's records. A position may have several, with different plies, or with either side to move.
    pub entries: Vec<Entry>,
}

/// A position of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position, as the file has it.
    pub board: Board,
    /// The number of the next move in the game it comes from.
    pub ply: Option<u32>,
    /// Its moves, in the file's order. They aren't always legal.
    pub moves: Vec<BookMove>,
    /// Comments beside it, in the file's order.
    pub comments: Vec<Comment>,
}

impl Entry {
    /// Puts comments on moves that are gone below the position, before those on moves, as they stand in a file.
    fn keep_comments(&mut self) {
        for comment in &mut self.comments {
            if let At::Move(mv) = comment.at
                && self.moves.iter().all(|listed| listed.mv != mv)
            {
                comment.at = At::Below;
            }
        }
        self.comments
            .sort_by_key(|comment| matches!(comment.at, At::Move(_)));
    }

    /// A position without comments.
    #[must_use]
    pub const fn new(board: Board, ply: Option<u32>, moves: Vec<BookMove>) -> Self {
        Self {
            board,
            ply,
            moves,
            comments: Vec::new(),
        }
    }
}

/// A comment in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The line beside which it stands.
    pub at: At,
    /// A line with its mark, `#` or `//`.
    pub text: String,
}

impl Comment {
    /// A comment of one line. If it has no mark, it gets one, and another one if it would be a header of `.db` files.
    #[must_use]
    pub fn new(at: At, line: &str) -> Self {
        let line = line.trim();
        let mark = if Self::is_marked(line) { "" } else { "# " };
        let text = format!("{mark}{line}");
        let mark = if Self::is_header(&text) { "// " } else { "" };
        let text = format!("{mark}{text}");
        Self { at, text }
    }

    /// Whether a line is a header, which is no comment wherever it stands: such as in several files one after another.
    pub(crate) fn is_header(line: &str) -> bool {
        line.starts_with("#YANEURAOU") || line.starts_with("# NOE:")
    }

    /// Whether a line has the mark of a comment.
    pub(crate) fn is_marked(line: &str) -> bool {
        line.starts_with('#') || line.starts_with("//")
    }
}

/// The place of a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// Above the position.
    Above,
    /// Below the position, and above its moves.
    #[default]
    Below,
    /// Below this move.
    Move(Move),
}

/// A move in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// The expected answer.
    pub ponder: Option<Move>,
    /// The position's score after this move, for the side that makes it, in centipawns.
    pub score: Option<i32>,
    /// The depth of the search, or the distance to the end of the line that carries the score.
    pub depth: Option<u32>,
    /// How often it was played.
    pub count: Option<u32>,
}

impl BookMove {
    /// A move about which nothing else is known.
    #[must_use]
    pub const fn new(mv: Move) -> Self {
        Self {
            mv,
            ponder: None,
            score: None,
            depth: None,
            count: None,
        }
    }
}

/// The result of reading a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Everything that could be read.
    pub book: Book,
    /// The faults of the rest.
    pub faults: Vec<Fault>,
    /// Contents that have no place in a [`Book`].
    pub dropped: Dropped,
    /// How many of its positions are hashes whose position was not found.
    pub missed: u64,
}

impl Read {
    /// Adds what was read after this.
    pub(crate) fn add(&mut self, mut more: Self) {
        self.book.entries.append(&mut more.book.entries);
        self.faults.append(&mut more.faults);
        self.dropped += more.dropped;
        self.missed += more.missed;
    }
}

/// Something wrong with a record of a file. It doesn't end the reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place.
    pub place: FilePlace,
    /// The fault.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// A line of a text, from 1.
    Line(usize),
    /// A record of a binary file, from 1.
    Record(usize),
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Record(record) => write!(f, "record {record}"),
        }
    }
}

/// Counts of what another format can't hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Comments.
    pub comments: u64,
    /// Expected answers.
    pub ponders: u64,
    /// Counts of games.
    pub counts: u64,
    /// Scores.
    pub scores: u64,
    /// Depths.
    pub depths: u64,
    /// Plies of positions.
    pub plies: u64,
    /// Positions without moves.
    pub positions: u64,
    /// Second records of a position.
    pub records: u64,
    /// Numbers that were too large, and were replaced by the largest that fits.
    pub clipped: u64,
}

obook_base::sums! {
    Dropped { comments, ponders, counts, scores, depths, plies, positions, records, clipped }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.comments, "comment[|s]"),
            (self.ponders, "expected answer[|s]"),
            (self.counts, "count[|s]"),
            (self.scores, "score[|s]"),
            (self.depths, "depth[|s]"),
            (self.plies, "pl[y|ies]"),
            (self.positions, "position[|s] without moves"),
            (self.records, "further record[ of a|s of] position[|s]"),
            (self.clipped, "number[|s] too large (clipped)"),
        ];
        let named = counts.into_iter().filter(|&(count, _)| count > 0);
        let named = named.map(|(count, words)| format!("{count} {}", in_number(words, count)));
        let named: Vec<String> = named.collect();
        f.write_str(if named.is_empty() { "nothing" } else { "" })?;
        f.write_str(&named.join(", "))
    }
}

/// Why a text is no position and no line, or why a file can't be read at all: it begins as no file of this format does, a game is too
/// long to be one, its length is wrong, it has a feature that isn't known, or it is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub(crate) String);

impl ReadError {
    /// The contents are not of this format, because something is missing.
    pub(crate) fn unfit(format: &str, reason: &str) -> Self {
        Self(format!("this is not {format}: {reason}"))
    }

    /// The file is shorter than it says, or longer.
    pub(crate) fn length(file: &[u8], expected: &str) -> Self {
        let found = file.len();
        Self(format!("the file has {found} bytes; expected {expected}"))
    }
}

impl Book {
    /// Its records by position, in the order of the keys; those of one position in their order.
    pub fn by_position(&self) -> impl Iterator<Item = (Packed, Vec<&Entry>)> {
        let entries = self.entries.par_iter().enumerate();
        let keyed = entries.map(|(number, entry)| (entry.board.key(), number));
        let mut order: Vec<(Packed, usize)> = keyed.collect();
        order.par_sort_unstable();
        let mut begin = 0;
        std::iter::from_fn(move || {
            let &(key, _) = order.get(begin)?;
            let same = order[begin..].iter().take_while(|&&(next, _)| next == key);
            let entries: Vec<&Entry> = same.map(|&(_, number)| &self.entries[number]).collect();
            begin += entries.len();
            Some((key, entries))
        })
    }

    /// Removes moves that aren't legal, and returns how many there were of each position that had some.
    pub fn drop_illegal_moves(&mut self) -> Vec<(Board, usize)> {
        let entries = self.entries.par_iter_mut();
        let dropped = entries.map(|entry| {
            let (board, before) = (entry.board, entry.moves.len());
            entry.moves.retain(|it| board.play(it.mv).is_some());
            if entry.moves.len() < before {
                entry.keep_comments();
            }
            (board, before - entry.moves.len())
        });
        dropped.filter(|&(_, moves)| moves > 0).collect()
    }
}
