//! The differences between two books: positions in only one of them, and different data for the same position.
//!
//! Both books are read side by side in key order, so memory does not grow with a database. Files are sorted first, on disk
//! if they are large.

use crate::read::book::errors_first;
use crate::{Book, Context, Result};
use itertools::{EitherOrBoth, Itertools};
use obook_converters::Holds;
use obook_othello::{CanonicalBoard, Move, Position};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

obook_base::named! {
    /// The data that a book can hold about a position.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Field {
        /// Score of the best move
        Value = "value",
        /// Range of the value, given the errors of the searches below
        Bounds = "bounds",
        /// Level and engine of the search, also of leaves
        Level = "level",
        /// Wins, draws and losses
        Outcomes = "outcomes",
        /// Lines below
        Lines = "lines",
        /// The moves that are links
        Links = "links",
        /// The scores of links that both books have
        LinkScores = "link-scores",
        /// The leaf
        Leaf = "leaf",
        /// The proven bounds of the value
        Proof = "proof",
    }
}

impl Field {
    /// Whether books in a format have this field. Links can be found.
    fn is_in(self, holds: &Holds) -> bool {
        match self {
            Field::Links => true,
            Field::Value | Field::LinkScores => holds.values,
            Field::Bounds => holds.bounds,
            Field::Level => holds.levels,
            Field::Outcomes => holds.outcomes,
            Field::Lines => holds.lines,
            Field::Leaf => holds.leaves,
            // With bounds but without proofs, as in Edax's book, nothing is proven.
            Field::Proof => holds.proofs || holds.bounds,
        }
    }

    /// Compares this field of two records. Without `levels`, only the moves and scores of leaves are compared.
    fn compare(self, a: &Position, b: &Position, levels: bool) -> Option<FieldDifference> {
        let link_moves = |position: &Position| -> BTreeSet<Move> {
            position.links.iter().map(|link| link.mv).collect()
        };
        let equal = match self {
            Field::Value => a.value == b.value,
            Field::Bounds => a.bounds == b.bounds,
            Field::Proof => a.proof == b.proof,
            Field::Level => (a.level, a.engine) == (b.level, b.engine),
            Field::Outcomes => a.outcomes == b.outcomes,
            Field::Lines => a.lines == b.lines,
            Field::Links => link_moves(a) == link_moves(b),
            Field::LinkScores => a.links.iter().all(|link| {
                let mut others = b.links.iter().filter(|other| other.mv == link.mv);
                others.all(|other| other.score == link.score)
            }),
            // Most books don't say why a leaf is missing. That is no difference.
            Field::Leaf => {
                let leaf = |position: &Position| {
                    let leaf = position.leaf?;
                    let search = levels.then_some((leaf.level, leaf.engine));
                    Some((leaf.mv, leaf.score, search))
                };
                leaf(a) == leaf(b)
                    && (a.no_leaf == b.no_leaf || a.no_leaf.is_none() || b.no_leaf.is_none())
            }
        };
        (!equal).then(|| FieldDifference {
            field: self,
            a: self.of(a, b, levels),
            b: self.of(b, a, levels),
        })
    }

    /// This field as JSON, which is also shown to people. A leaf's engine is named only if the `other` leaf has another one.
    fn of(self, position: &Position, other: &Position, levels: bool) -> Value {
        match self {
            Field::Value => json!(position.value),
            Field::Bounds => json!(position.bounds.map(|bounds| [bounds.lower, bounds.upper])),
            Field::Proof => json!(position.proof.map(|proof| proof.to_string())),
            Field::Level => json!(match position.level {
                Some(level) => Some(format!("{} {level}", position.engine.name())),
                None => (position.engine != other.engine).then(|| position.engine.name().into()),
            }),
            Field::Outcomes => json!(position.outcomes.map(|it| [it.wins, it.draws, it.losses])),
            Field::Lines => json!(position.lines),
            Field::Links => {
                let moves: BTreeSet<Move> = position.links.iter().map(|link| link.mv).collect();
                json!(moves.iter().map(Move::to_string).collect::<Vec<_>>())
            }
            Field::LinkScores => {
                let scores = position.links.iter();
                let scores = scores.map(|link| (link.mv.to_string(), link.score));
                json!(scores.collect::<BTreeMap<_, _>>())
            }
            Field::Leaf => match position.leaf {
                Some(leaf) => {
                    let mut shown = json!({
                        "move": leaf.mv.map(|mv| mv.to_string()),
                        "score": leaf.score,
                    });
                    if levels {
                        shown["level"] = json!(leaf.level);
                        if other.leaf.is_some_and(|other| other.engine != leaf.engine) {
                            shown["engine"] = json!(leaf.engine.name());
                        }
                    }
                    shown
                }
                None => json!(position.no_leaf.map(|no_leaf| no_leaf.to_string())),
            },
        }
    }
}

/// A field that differs. Moves are in the orientation of the canonical board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FieldDifference {
    /// The field.
    pub field: Field,
    /// Its content in the first book.
    pub a: Value,
    /// Its content in the second book.
    pub b: Value,
}

/// A position in which two books differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The canonical board: 64 squares and the side to move.
    #[serde(serialize_with = "as_text")]
    pub board: CanonicalBoard,
    /// The kind of difference.
    #[serde(flatten)]
    pub kind: DifferenceKind,
}

/// How two books differ in a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// Only one book has the position.
    Only(BookSide),
    /// Both books have the position, with these differences.
    Changes(Vec<FieldDifference>),
}

/// One of two books.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BookSide {
    /// The first.
    A,
    /// The second.
    B,
}

fn as_text<S: Serializer>(board: &CanonicalBoard, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&board.board().to_text())
}

/// The counts of [`diff`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Diff {
    /// Positions that only the first book has.
    pub only_a: u64,
    /// Positions that only the second book has.
    pub only_b: u64,
    /// Positions that are equal in both books.
    pub equal: u64,
    /// Positions that differ.
    pub differing: u64,
    /// The number of differing positions in which only the names of engines differ.
    pub engine_only: u64,
    /// The number of positions in which each field differs.
    pub fields: BTreeMap<Field, u64>,
    /// Fields that were not compared, because they were ignored or one of the books can't store them.
    pub not_compared: Vec<Field>,
}

impl Diff {
    /// Whether the books are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.only_a + self.only_b + self.differing == 0
    }

    /// Counts a position that only one book has.
    fn only(&mut self, position: Position, side: BookSide) -> Difference {
        match side {
            BookSide::A => self.only_a += 1,
            BookSide::B => self.only_b += 1,
        }
        Difference {
            board: position.board,
            kind: DifferenceKind::Only(side),
        }
    }

    /// Counts a position that both books have and returns any difference.
    fn compare(&mut self, a: Position, b: Position, fields: &[Field]) -> Option<Difference> {
        let levels = fields.contains(&Field::Level);
        let change = |field: &Field| field.compare(&a, &b, levels);
        let changes: Vec<_> = fields.iter().filter_map(change).collect();
        if changes.is_empty() {
            self.equal += 1;
            return None;
        }
        self.differing += 1;
        let renamed = with_engines_of(b, &a);
        let is_same = |field: &Field| field.compare(&a, &renamed, levels).is_none();
        self.engine_only += u64::from(fields.iter().all(is_same));
        for change in &changes {
            *self.fields.entry(change.field).or_default() += 1;
        }
        Some(Difference {
            board: a.board,
            kind: DifferenceKind::Changes(changes),
        })
    }
}

/// Compares two books except for the fields in `ignored`, and passes each difference to `visit` in key order.
///
/// Fields that a file's format can't store are not compared. Lines are not compared between books with different rules,
/// which count them differently. The order of links does not matter. Files are sorted first, in temporary files if the context's memory
/// is too small.
///
/// ```
/// use obook::{Context, Book, read::diff::diff};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// let context = Context::default();
/// let open = || Book::open(path, &context);
/// let counts = diff(open()?, open()?, &[], &context, |_| Ok(()))?;
/// assert!(counts.is_empty());
/// assert_eq!(counts.equal, 2247);
/// # Ok::<(), obook::Error>(())
/// ```
///
/// # Errors
/// Returns an error if a book can't be read, or the error of `visit`.
pub fn diff(
    a: Book,
    b: Book,
    ignored: &[Field],
    context: &Context,
    mut visit: impl FnMut(Difference) -> Result<()>,
) -> Result<Diff> {
    let (compared, not_compared) = compared([&a, &b], ignored)?;
    let mut counts = Diff {
        not_compared,
        ..Diff::default()
    };
    let progress = context.progress();
    let half = context.memory().map(|all| all / 2);
    let half = context.clone().with_memory(half);
    let (a, b) = (a.sorted(&half)?, b.sorted(&half)?);
    // Each board is one step, so this estimate is too low if the books have different boards.
    let most = a.estimated_positions()?.max(b.estimated_positions()?);
    progress.step("comparing", Some(most));
    let joined = a.positions()?.merge_join_by(b.positions()?, |a, b| {
        errors_first(a, b, |a, b| a.board.cmp(&b.board))
    });
    for positions in joined {
        progress.advance(1);
        let difference = match positions {
            EitherOrBoth::Both(a, b) => counts.compare(a?, b?, &compared),
            EitherOrBoth::Left(a) => Some(counts.only(a?, BookSide::A)),
            EitherOrBoth::Right(b) => Some(counts.only(b?, BookSide::B)),
        };
        if let Some(difference) = difference {
            visit(difference)?;
        }
    }
    Ok(counts)
}

/// A position with the engines' names of another record of it.
fn with_engines_of(mut position: Position, other: &Position) -> Position {
    position.engine = other.engine;
    if let (Some(leaf), Some(other)) = (&mut position.leaf, other.leaf) {
        leaf.engine = other.engine;
    }
    position
}

/// The fields that both books store and that are not ignored, and the others.
fn compared(books: [&Book; 2], ignored: &[Field]) -> Result<(Vec<Field>, Vec<Field>)> {
    let known = |book: &Book, field: &Field| match book {
        Book::Database(_) => true,
        Book::File(file) => field.is_in(file.format().holds()),
    };
    let same_rules = books[0].header()?.rules == books[1].header()?.rules;
    Ok(Field::ALL.into_iter().partition(|field| {
        !ignored.contains(field)
            && books.iter().all(|book| known(book, field))
            && (*field != Field::Lines || same_rules)
    }))
}
