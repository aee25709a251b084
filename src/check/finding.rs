//! Kinds of problems in a book, and the list of findings.

use obook_graph::{Graph, LinesFromStart, NodeId, slabs};
use obook_othello::{Board, CanonicalBoard};
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

use Severity::{Error, Inconsistent, Note};

obook_base::named! {
    /// How bad a finding is.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Severity {
        /// Readers, engines or queries stumble over it.
        Error = "error",
        /// The book contradicts itself; the engine's own `fix` would change it.
        Inconsistent = "inconsistent",
        /// Worth knowing, but not wrong.
        Note = "note",
    }
}

obook_base::table! {
    /// The kinds of problems, in the order of reports.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum FindingKind {
        /// The file ends too early or can't be parsed any further; the rest was not read.
        Damaged = ("damaged", Error, "the file can't be read to its end"),
        /// The header's count doesn't match the contents.
        Count = ("count", Error, "the header gives another number of positions"),
        /// SQLite's own check of the file fails.
        Sqlite = ("sqlite", Error, "SQLite finds the database damaged"),
        /// The row of table `book` is missing or invalid.
        Header = ("header", Error, "the book's settings can't be read"),
        /// A key that is not 16 bytes long.
        Key = ("key", Error, "rows whose key is not 16 bytes"),
        /// Both sides hold a square.
        Overlap = ("overlap", Error, "positions in which both sides hold a square"),
        /// One of the four centre squares is empty.
        EmptyCentre = ("empty-centre", Error, "positions with an empty centre square, which no game reaches"),
        /// The board is not the canonical one of its position, so no query finds it.
        NotCanonical = ("not-canonical", Error, "boards that are not canonical: no engine or query finds them"),
        /// The position is in the book more than once.
        Duplicate = ("duplicate", Error, "positions that are in the book more than once"),
        /// Rows of `links` or `leaves` without a position.
        Orphan = ("orphan", Error, "rows of links or leaves without a position"),
        /// The column `empties` is not the number of empty squares.
        Empties = ("empties", Error, "rows whose column empties is wrong"),
        /// An engine that is no number from 1 to 255.
        Engine = ("engine", Error, "rows whose engine can't be one"),
        /// A number outside its range.
        OutOfRange = ("out-of-range", Error, "numbers outside their range"),
        /// A lower bound without an upper one, or wins without losses.
        Half = ("half", Error, "incomplete bounds or outcomes"),
        /// A link or leaf whose move is not legal.
        IllegalMove = ("illegal-move", Error, "links and leaves whose move is not legal"),
        /// A move that occurs twice among links and leaf.
        DuplicateMove = ("duplicate-move", Error, "moves that occur twice in a position"),
        /// A leaf without a move although the game is not over.
        ScoreWithoutMove = ("score-without-move", Error, "leaves without a move although the game is not over"),
        /// A link whose child is not in the book; Edax follows it without checking.
        NoChild = ("no-child", Error, "links to positions that are not in the book"),
        /// A leaf whose move leads to a position of the book.
        LeafInBook = ("leaf-in-book", Error, "leaves whose move leads to a position of the book"),
        /// No leaf, although a legal move is not a link; Edax searches such positions one by one.
        MissingLeaf = ("missing-leaf", Error, "positions without the leaf that Edax demands"),
        /// A finished game without its score.
        NoFinalScore = ("no-final-score", Error, "finished games without a score"),
        /// A level that no engine has, or none in a book made by Edax.
        Level = ("level", Error, "levels that are missing or that no engine has"),
        /// A proof and those of the children can't all be true.
        Contradiction = ("contradiction", Error, "proofs that contradict those of the moves"),
        /// A legal move to a position of the book that is not a link.
        MissingLink = ("missing-link", Inconsistent, "moves to positions of the book that are not links"),
        /// A link's score is not the negated value of its child.
        LinkScore = ("link-score", Inconsistent, "links whose score is not the negated value of their child"),
        /// Links that are not best first.
        LinkOrder = ("link-order", Inconsistent, "positions whose links are not best first"),
        /// The leaf of a finished game is not the final score, or its value by Egaroucid's rules.
        FinalScore = ("final-score", Inconsistent, "finished games with a wrong score"),
        /// The value doesn't follow from leaf and links.
        Value = ("value", Inconsistent, "values that don't follow from leaf and links"),
        /// The bounds don't follow from leaf and children.
        Bounds = ("bounds", Inconsistent, "bounds that don't follow from leaf and links"),
        /// The children prove more.
        Proof = ("proof", Inconsistent, "positions whose moves prove more"),
        /// Wins, draws and losses don't follow from leaf and children.
        Outcomes = ("outcomes", Inconsistent, "wins, draws or losses that don't follow from leaf and links"),
        /// The lines don't follow from leaf and children.
        Lines = ("lines", Inconsistent, "lines that don't follow from leaf and links"),
        /// No leaf, although a legal move is not a link, in a book not made by Edax.
        NoLeaf = ("no-leaf", Note, "positions without a leaf that an Edax book would need"),
        /// An engine that obook doesn't know, and that table `engines` doesn't name either.
        Unnamed = ("unnamed-engine", Note, "engines that have no name in table engines"),
        /// Numbers that follow from the book's rules but were not computed yet.
        Unknown = ("unknown", Note, "positions with numbers that were not computed yet"),
        /// A leaf or link contradicts a proof. Searches may err.
        Disproved = ("disproved", Note, "scores that a proof contradicts"),
        /// A position that no line of the book reaches.
        Unreachable = ("unreachable", Note, "positions that no line from the start position reaches"),
    }
    /// The name in reports, the severity, and the meaning in a few words.
    fn facts -> (&'static str, Severity, &'static str)
}

impl FindingKind {
    /// Returns the name in reports, such as `missing-link`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the severity.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.facts().1
    }

    /// Returns the meaning in a few words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.facts().2
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// 64 squares and the side to move, with `#` for squares that both sides hold; `None` if it is not about a position.
    pub board: Option<String>,
    /// Moves from the start position to it, as a person would type them; `None` if no line of the book leads there.
    pub line: Option<String>,
    /// The found and the expected content.
    pub detail: String,
}

/// All findings of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The problem.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// The number of findings.
    pub count: u64,
    /// The first few.
    pub examples: Vec<Example>,
}

/// Findings by kind, with the first few of each.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// The number of examples to keep of each kind.
    pub(super) keep: usize,
    groups: BTreeMap<FindingKind, (u64, Vec<Example>)>,
}

impl Findings {
    pub(crate) fn new(keep: usize) -> Findings {
        Findings {
            keep,
            groups: BTreeMap::new(),
        }
    }

    /// Adds a finding about the discs of this key, which need not be those of a legal board. `detail` is called only if the finding is
    /// kept as an example.
    pub(crate) fn add(
        &mut self,
        kind: FindingKind,
        key: impl Into<Option<[u8; 16]>>,
        detail: impl FnOnce() -> String,
    ) {
        let (count, examples) = self.groups.entry(kind).or_default();
        *count += 1;
        if examples.len() < self.keep {
            examples.push(Example {
                board: key.into().map(board_text),
                line: None,
                detail: detail(),
            });
        }
    }

    pub(crate) fn append(&mut self, other: Findings) {
        for (kind, (more, further)) in other.groups {
            let (count, examples) = self.groups.entry(kind).or_default();
            *count += more;
            let room = self.keep - examples.len();
            examples.extend(further.into_iter().take(room));
        }
    }

    /// Returns the number of findings of all kinds.
    pub(crate) fn total(&self) -> u64 {
        self.groups.values().map(|(count, _)| count).sum()
    }

    pub(crate) fn count(&self, kind: FindingKind) -> u64 {
        self.groups.get(&kind).map_or(0, |(count, _)| *count)
    }

    /// Puts other findings before these.
    pub(crate) fn prepend(&mut self, other: Findings) {
        let later = std::mem::replace(self, other);
        self.append(later);
    }

    /// Sets the line to each example to which one leads.
    pub(crate) fn set_lines(&mut self, lines: LinesFromStart<'_>) -> slabs::Result<()> {
        let examples = self.groups.values_mut().flat_map(|(_, examples)| examples);
        let shown = examples.filter_map(|example| {
            // This fails if both sides hold a square.
            let board: Board = example.board.as_ref()?.parse().ok()?;
            Some((example, board.canonical()))
        });
        let (examples, boards): (Vec<&mut Example>, Vec<CanonicalBoard>) = shown.unzip();
        for (example, line) in examples.into_iter().zip(lines.to(&boards)?) {
            example.line = line.map(|line| line.to_string());
        }
        Ok(())
    }

    pub(crate) fn into_groups(self) -> Vec<Group> {
        let groups = self.groups.into_iter();
        let groups = groups.map(|(kind, (count, examples))| Group {
            kind,
            severity: kind.severity(),
            count,
            examples,
        });
        groups.collect()
    }
}

/// Checks every position that is not frozen on all cores, those near the start first, because they make the better examples.
pub(crate) fn each(
    graph: &Graph,
    keep: usize,
    check: impl Fn(NodeId, &mut Findings) + Sync,
) -> Findings {
    let none = || Findings::new(keep);
    let add = |mut findings: Findings, id| {
        check(id, &mut findings);
        findings
    };
    let parts = graph.unfrozen().rev().fold(none, add);
    parts.reduce(none, |mut findings, more| {
        findings.append(more);
        findings
    })
}

/// Returns 64 squares and the side to move.
fn board_text(key: [u8; 16]) -> String {
    let both = u128::from_be_bytes(key);
    // A fault can show a board that is not legal.
    obook_converters::Fault {
        player: (both >> 64) as u64,
        opponent: both as u64,
        kind: obook_converters::FaultKind::Overlap,
    }
    .board_text()
}
