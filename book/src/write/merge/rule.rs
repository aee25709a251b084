//! Merging records into a position.

use obook_graph::sort::{leaf_with_level, search_of, search_of_leaf};
use obook_model::levels::{MAX_LEVEL, Strength};
use obook_model::{Bounds, Engine, Leaf, Outcomes, PERSON_LEVEL, Position, Proof, RuleSet};
use obook_othello::Move;
use obook_store::Lost;

/// The effect of an incoming record, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Its position or leaf comes from a better search, or it proves more.
    Raised,
    /// Its search is equal, says something else, and counts.
    Equal,
    /// The book's own is as good or better.
    Kept,
}

/// A position of the book that others are merged into.
pub struct Target {
    position: Position,
    /// Whether its value follows from children or a leaf, and so is recomputed. Only a search's own value must be
    /// carried over.
    derived: bool,
    /// The search of the leaf that was dropped because its move became a link. A weaker leaf doesn't replace it, so that the order
    /// of merges makes no difference. A position with a leaf has lost none.
    lost: Option<Lost>,
    /// Whether the later of two equal searches counts. Otherwise the numbers decide, whichever comes first.
    later_counts: bool,
}

/// How good a search is. Those of two engines are never equal unless the later one counts.
type Rank<S> = (S, Option<Engine>);

impl Target {
    /// A position whose numbers follow these rules, with the search of the leaf that it lost.
    pub fn new(position: Position, lost: Option<Lost>, rules: RuleSet) -> Target {
        let by_leaf = position.leaf.is_some() && rules != RuleSet::Egaroucid;
        Target {
            derived: by_leaf || !position.links.is_empty(),
            lost: lost.filter(|_| position.leaf.is_none()),
            position,
            later_counts: false,
        }
    }

    /// A position for which a search was asked: its answer also replaces an equal one, and may be weaker than a leaf that was lost.
    pub fn asked(own: &Position, rules: RuleSet) -> Target {
        Target {
            later_counts: true,
            ..Target::new(own.clone(), None, rules)
        }
    }

    /// The position as merged so far.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The merged position, and the search of the leaf that it lost.
    pub fn into_parts(self) -> (Position, Option<Lost>) {
        (self.position, self.lost)
    }

    /// Merges an incoming record by the rule of [`Combined`](obook_graph::sort::Combined): position and leaf are each
    /// judged by their own search, and the better one wins. Links are ignored, since they are found again afterwards. `lost` is the
    /// search of the leaf that the record lost to a link in its own book.
    pub fn add(&mut self, new: &Position, lost: Option<Lost>) -> Verdict {
        // If two books disagree about a missing leaf, the moves decide, whichever book comes first.
        if self.position.no_leaf != new.no_leaf {
            self.position.no_leaf = None;
        }
        // The leaf goes first: without a level of its own it has the position's current one.
        let leaf = match new.leaf {
            Some(leaf) => self.add_leaf(leaf, new),
            None => self.add_lost(lost),
        };
        let proof = self.add_proof(new);
        leaf.min(proof).min(self.add_numbers(new))
    }

    fn rank<S>(&self, search: S, engine: Engine) -> Rank<S> {
        (search, (!self.later_counts).then_some(engine))
    }

    /// Proofs hold whatever the levels.
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
        let rank = |position: &Position| self.rank(search_of(position), position.engine);
        let order = rank(new).cmp(&rank(&self.position));
        let is_recomputed = self.derived && !is_by_a_person(new);
        if order.is_lt() || order.is_eq() && is_recomputed {
            return Verdict::Kept;
        }
        self.derived = false;
        let replaces = order.is_gt() || self.later_counts;
        let is_better = search_of(new) > search_of(&self.position);
        let merged = &mut self.position;
        let before = merged.value;
        if (merged.level, merged.engine) != (new.level, new.engine) {
            merged.leaf = leaf_with_level(merged);
        }
        merged.level = new.level;
        merged.engine = new.engine;
        if new.value.is_some() {
            let proof = merged.proof.filter(|_| !is_by_a_person(new));
            let within = |value| proof.map_or(value, |proof: Proof| proof.clamp(value));
            let value = new.value.map(within);
            if replaces {
                merged.value = value;
                merged.bounds = new.bounds;
                merged.outcomes = new.outcomes;
                merged.lines = new.lines;
            } else {
                // Each number by itself, so that neither the order nor a proof makes a difference.
                merged.value = merged.value.max(value);
                merged.bounds = larger(merged.bounds, new.bounds, |one, other| Bounds {
                    lower: one.lower.max(other.lower),
                    upper: one.upper.max(other.upper),
                });
                merged.outcomes = larger(merged.outcomes, new.outcomes, |one, other| Outcomes {
                    wins: one.wins.max(other.wins),
                    draws: one.draws.max(other.draws),
                    losses: one.losses.max(other.losses),
                });
                merged.lines = merged.lines.max(new.lines);
            }
        }
        match is_better {
            true => Verdict::Raised,
            false if order.is_gt() || merged.value != before => Verdict::Equal,
            false => Verdict::Kept,
        }
    }

    /// The search behind the leaf, or behind the one that was lost.
    fn rank_of_leaf(&self) -> Option<Rank<Strength>> {
        match self.position.leaf {
            Some(leaf) => Some(self.rank(search_of_leaf(leaf, &self.position), leaf.engine)),
            None => self.lost.map(|lost| self.rank_of_lost(lost)),
        }
    }

    fn rank_of_lost(&self, lost: Lost) -> Rank<Strength> {
        let empties = self.position.board.board().empties() as u8;
        let search = Strength::new(lost.engine, Some(lost.level), empties);
        self.rank(search, lost.engine)
    }

    fn add_leaf(&mut self, leaf: Leaf, new: &Position) -> Verdict {
        let ours = self.rank_of_leaf();
        let theirs = Some(self.rank(search_of_leaf(leaf, new), leaf.engine));
        // Of equals that counts which was found with more moves in the book already, and so has the lower score.
        let content = |leaf: Leaf| (leaf.score, leaf.mv.map(Move::code));
        let stays = |own: Leaf| !self.later_counts && content(own) <= content(leaf);
        let merged = &mut self.position;
        let new_leaf = leaf_with_level(new);
        if theirs < ours
            || leaf_with_level(merged) == new_leaf
            || theirs == ours && merged.leaf.is_some_and(stays)
        {
            return Verdict::Kept;
        }
        merged.leaf = new_leaf;
        merged.no_leaf = None;
        self.lost = None;
        // A leaf whose move is a link is kept only to be remembered as lost.
        let is_link = merged.links.iter().any(|link| Some(link.mv) == leaf.mv);
        match is_link {
            true => Verdict::Kept,
            false if strength(theirs) > strength(ours) => Verdict::Raised,
            false => Verdict::Equal,
        }
    }

    /// A leaf that was lost in another book is missing in this one, too, if no search is as good.
    fn add_lost(&mut self, lost: Option<Lost>) -> Verdict {
        let theirs = lost.map(|lost| self.rank_of_lost(lost));
        if theirs > self.rank_of_leaf() {
            self.position.leaf = None;
            self.lost = lost;
        }
        Verdict::Kept
    }
}

/// A search without its engine, which is no reason to call it better.
fn strength<S>(rank: Option<Rank<S>>) -> Option<S> {
    rank.map(|(search, _)| search)
}

/// Both by `join`, or the one that there is.
fn larger<T>(one: Option<T>, other: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(join(one, other)),
        (one, other) => one.or(other),
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

/// The level, or the highest if it is impossible. As `fix` does, so that an impossible level doesn't beat the highest.
pub fn cap(level: u8) -> u8 {
    match level {
        PERSON_LEVEL => level,
        level => level.min(MAX_LEVEL),
    }
}
