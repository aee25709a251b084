//! What becomes of a position of which two books speak.

use crate::graph::mapping::demands::MAX_LEVEL;
use crate::store::Lost;
use obook_converters::levels::{self, Strength};
use obook_converters::{Leaf, PERSON_LEVEL, Position};

/// What a record that comes in did to the book's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Its position or its leaf comes from a better search.
    Raised,
    /// It is of the same level, says something else, and is newer.
    Newer,
    /// The book's own is as good or better.
    Kept,
}

/// Two records of one board as one.
///
/// Position and leaf are judged each by its own search, the better one wins, of equal ones the newer. `lost` is the leaf
/// that the book's position had before its move became a link: a weaker one does not take its place, so that the order
/// in which books come in makes no difference. Links and numbers that follow from others are not looked at: they are
/// found anew.
pub(super) fn combine(book: &Position, lost: Option<Lost>, new: &Position) -> (Position, Verdict) {
    let mut merged = book.clone();
    let mut verdict = Verdict::Kept;
    let (ours, theirs) = (strength(book), strength(new));
    // What follows from children or a leaf is computed anew; only a search's own value has to be carried over.
    let is_own = book.links.is_empty() && book.leaf.is_none();
    if theirs > ours || theirs == ours && (is_own || is_by_a_person(new)) {
        merged.level = new.level;
        merged.engine = new.engine;
        merged.value = new.value.or(book.value);
        if theirs > ours {
            verdict = Verdict::Raised;
        } else if merged.value != book.value {
            verdict = Verdict::Newer;
        }
    }
    // Two books that say different things of a missing leaf leave it to the moves: whichever comes first, says nothing.
    if merged.no_leaf != new.no_leaf {
        merged.no_leaf = None;
    }
    if let Some(leaf) = new.leaf {
        let ours = match book.leaf {
            Some(leaf) => leaf_strength(leaf, book),
            None => lost_strength(lost, book),
        };
        let theirs = leaf_strength(leaf, new);
        // A leaf whose move is a link is taken only to be remembered as lost.
        let is_link = book.links.iter().any(|link| Some(link.mv) == leaf.mv);
        if theirs >= ours {
            merged.set_leaf(leaf);
            if theirs > ours && !is_link {
                verdict = Verdict::Raised;
            } else if merged.leaf != book.leaf && !is_link && verdict == Verdict::Kept {
                verdict = Verdict::Newer;
            }
        }
    }
    (merged, verdict)
}

/// Whether two persons entered different values.
pub(super) fn is_conflict(book: &Position, new: &Position) -> bool {
    is_by_a_person(book) && is_by_a_person(new) && book.value != new.value
}

/// A record of a new book as it can be judged: a leaf has to be a legal move or the score of a finished game, and
/// levels those that there are. Its links
/// are found anew.
pub(super) fn sound(mut position: Position, edax: bool) -> Position {
    position.links.clear();
    // As `fix` does: no engine has a level beyond the highest, and what is beyond must not beat it.
    let cap = |level: u8| match level {
        PERSON_LEVEL => level,
        level => level.min(MAX_LEVEL),
    };
    position.level = position.level.map(cap);
    if let Some(leaf) = &mut position.leaf {
        leaf.level = leaf.level.map(cap);
    }
    let board = position.board.board();
    if board.is_over() {
        if let Some((level, engine)) = match position.leaf {
            Some(leaf) => Some((leaf.level, leaf.engine)),
            None => edax.then_some((position.level, position.engine)),
        } {
            position.set_leaf(Leaf {
                mv: None,
                score: board.final_score(),
                level,
                engine,
            });
        }
    } else {
        let is_legal = |leaf: &Leaf| leaf.mv.is_some_and(|mv| board.play(mv).is_some());
        position.leaf = position.leaf.filter(is_legal);
    }
    position
}

fn is_by_a_person(position: &Position) -> bool {
    position.level.is_some_and(|level| level >= PERSON_LEVEL)
}

fn strength(position: &Position) -> Strength {
    Strength::new(position.engine, position.level, empties(position))
}

fn leaf_strength(leaf: Leaf, position: &Position) -> Strength {
    let level = levels::of_leaf(leaf, position.level, position.engine);
    Strength::new(leaf.engine, level, empties(position))
}

fn lost_strength(lost: Option<Lost>, position: &Position) -> Strength {
    match lost {
        Some(Lost { level, engine }) => Strength::new(engine, Some(level), empties(position)),
        None => Strength::new(position.engine, None, 0),
    }
}

fn empties(position: &Position) -> u8 {
    position.board.board().empties() as u8
}
