//! Merging records into a position.

use obook_graph::sort::{leaf_with_level, search_of, search_of_leaf};
use obook_model::levels::{MAX_LEVEL, Strength};
use obook_model::{Leaf, PERSON_LEVEL, Position, Proof, RuleSet};
use obook_store::Lost;

/// The effect of an incoming record, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Its position or leaf comes from a better search, or it proves more.
    Raised,
    /// It has the same level, says something else, and is newer.
    Newer,
    /// The book's own is as good or better.
    Kept,
}

/// A position of the book that others are merged into.
pub struct Target {
    position: Position,
    /// Whether its value follows from children or a leaf, and so is recomputed. Only a search's own value must be
    /// carried over.
    derived: bool,
    /// The leaf that was dropped because its move became a link. A weaker leaf doesn't replace it, so that the order
    /// of merges makes no difference.
    lost: Option<Lost>,
}

impl Target {
    /// A position of the book, whose numbers follow these rules.
    pub fn of(own: &Position, lost: Option<Lost>, rules: RuleSet) -> Target {
        Target {
            lost,
            ..Target::new(own.clone(), rules)
        }
    }

    /// A position new to the book.
    pub fn new(position: Position, rules: RuleSet) -> Target {
        let by_leaf = position.leaf.is_some() && rules != RuleSet::Egaroucid;
        Target {
            derived: by_leaf || !position.links.is_empty(),
            position,
            lost: None,
        }
    }

    /// The position as merged so far.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The merged position.
    pub fn into_position(self) -> Position {
        self.position
    }

    /// Merges an incoming record by the rule of [`Combined`](obook_graph::sort::Combined): position and leaf are each
    /// judged by their own search; the better one wins, and the newer of equals. Links are ignored, since they are
    /// found again afterwards.
    pub fn add(&mut self, new: &Position) -> Verdict {
        // If two books disagree about a missing leaf, the moves decide, whichever book comes first.
        if self.position.no_leaf != new.no_leaf {
            self.position.no_leaf = None;
        }
        // The leaf goes first: without a level of its own it has the position's current one.
        let leaf = self.add_leaf(new);
        let proof = self.add_proof(new);
        leaf.min(proof).min(self.add_numbers(new))
    }

    /// Proofs hold whatever the levels. The book's own stays if the other contradicts it.
    fn add_proof(&mut self, new: &Position) -> Verdict {
        let merged = &mut self.position;
        let bounds = |proof: Option<Proof>| proof.map(|proof| (proof.lower(), proof.upper()));
        let before = bounds(merged.proof);
        merged.proof = Proof::together(merged.proof, new.proof);
        match bounds(merged.proof) == before {
            true => Verdict::Kept,
            false => Verdict::Raised,
        }
    }

    fn add_numbers(&mut self, new: &Position) -> Verdict {
        let merged = &mut self.position;
        let (ours, theirs) = (search_of(merged), search_of(new));
        let wins = theirs > ours || theirs == ours && (!self.derived || is_by_a_person(new));
        if !wins {
            return Verdict::Kept;
        }
        self.derived = false;
        let before = merged.value;
        if (merged.level, merged.engine) != (new.level, new.engine) {
            merged.leaf = leaf_with_level(merged);
        }
        merged.level = new.level;
        merged.engine = new.engine;
        if new.value.is_some() {
            let proof = merged.proof.filter(|_| !is_by_a_person(new));
            let within = |value| proof.map_or(value, |proof: Proof| proof.clamp(value));
            merged.value = new.value.map(within);
            merged.bounds = new.bounds;
            merged.outcomes = new.outcomes;
            merged.lines = new.lines;
        }
        if theirs > ours {
            Verdict::Raised
        } else if merged.value != before {
            Verdict::Newer
        } else {
            Verdict::Kept
        }
    }

    fn add_leaf(&mut self, new: &Position) -> Verdict {
        let merged = &mut self.position;
        let Some(leaf) = new.leaf else {
            return Verdict::Kept;
        };
        let ours = match merged.leaf {
            Some(leaf) => search_of_leaf(leaf, merged),
            None => lost_search(self.lost, merged),
        };
        let theirs = search_of_leaf(leaf, new);
        let new_leaf = leaf_with_level(new);
        if theirs < ours || leaf_with_level(merged) == new_leaf {
            return Verdict::Kept;
        }
        merged.leaf = new_leaf;
        merged.no_leaf = None;
        // A leaf whose move is a link is kept only to be remembered as lost.
        let is_link = merged.links.iter().any(|link| Some(link.mv) == leaf.mv);
        match is_link {
            true => Verdict::Kept,
            false if theirs > ours => Verdict::Raised,
            false => Verdict::Newer,
        }
    }
}

/// Whether two people entered different values.
pub fn is_conflict(book: &Position, new: &Position) -> bool {
    is_by_a_person(book) && is_by_a_person(new) && book.value != new.value
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
    // As `fix` does, so that an impossible level doesn't beat the highest.
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

fn lost_search(lost: Option<Lost>, position: &Position) -> Strength {
    let empties = position.board.board().empties() as u8;
    match lost {
        Some(Lost { level, engine }) => Strength::new(engine, Some(level), empties),
        None => Strength::new(position.engine, None, 0),
    }
}
