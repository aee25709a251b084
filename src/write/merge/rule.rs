//! What incoming records are made of before they are merged, and what a report says about them.
//!
//! The rule of merging itself is [`Combined`](obook_graph::sort::Combined).

use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Leaf, Move, PERSON_LEVEL, Position, Proof, RuleSet, final_leaf, is_entered};

/// Whether the value of a position follows from its children or its leaf, and so is recomputed.
pub fn is_derived(position: &Position, rules: RuleSet) -> bool {
    let (links, leaf) = (&position.links, position.leaf);
    // By Egaroucid's rules, children without a value leave the position's own as it is.
    let by_links = || links.iter().any(|link| link.score.is_some());
    let by_leaf = || leaf.is_some_and(|leaf| matches!(leaf.mv, Some(Move::Place(_))));
    match rules {
        RuleSet::Edax => leaf.is_some() || !links.is_empty(),
        RuleSet::Egaroucid => by_links(),
        RuleSet::EgaroucidEdax => by_links() || by_leaf(),
    }
}

/// Whether two people entered different values.
pub fn is_conflict(book: &Position, new: &Position) -> bool {
    is_entered(book.level) && is_entered(new.level) && book.value != new.value
}

/// Two proofs that can't both be true: the book's and the other.
pub fn contradiction(book: &Position, new: &Position) -> Option<(Proof, Proof)> {
    let proofs = book.proof.zip(new.proof);
    proofs.filter(|(own, other)| own.and(*other).is_none())
}

/// Prepares an incoming record: drops its links, which are found again, and a leaf that is neither a legal move nor
/// the score of a finished game, and lowers impossible levels.
pub fn sound(mut position: Position, edax: bool) -> Position {
    position.links.clear();
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
            position.set_leaf(final_leaf(board, level, engine));
        }
        // By Edax's rules the value follows from the leaf.
        if !edax && !is_entered(position.level) {
            let score = board.final_score();
            position.value = position.value.map(|_| score.into());
        }
    } else {
        let is_legal = |leaf: &Leaf| leaf.mv.is_some_and(|mv| board.play(mv).is_some());
        position.leaf = position.leaf.filter(is_legal);
    }
    position
}

/// The level, or the highest if it is impossible. As `fix` does, so that an impossible level doesn't beat the highest.
pub fn cap(level: u8) -> u8 {
    match level {
        PERSON_LEVEL => level,
        level => level.min(MAX_LEVEL),
    }
}
