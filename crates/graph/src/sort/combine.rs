//! The rule of merging: several records of a board become one.
//!
//! The better search wins. Numbers and leaves are compared separately: a record can have the better value and another one the better
//! leaf. An unknown value never replaces a known one. [`Ties`] says which of two equal searches counts. Links are facts of the board,
//! so all are kept, and proofs hold whatever the levels.

use obook_othello::levels::{self, Strength};
use obook_othello::{
    Bounds, Engine, Leaf, Links, Lost, Move, Outcomes, Position, Proof, is_entered,
};

/// How good the search behind a record's level is. Egaroucid's level is that of the value, so a record without a value is worse
/// than any with one. The level of other engines is that of the position, whose value follows from other positions.
type Quality = (bool, Strength);

/// The search behind a record's level.
fn search_of(position: &Position) -> Quality {
    let found = position.value.is_some() || position.engine != Engine::Egaroucid;
    let strength = Strength::new(position.engine, position.level, empties(position));
    (found, strength)
}

/// The search behind a record's leaf.
fn search_of_leaf(leaf: Leaf, position: &Position) -> Strength {
    let level = levels::of_leaf(leaf, position.level, position.engine);
    Strength::new(leaf.engine, level, empties(position))
}

fn empties(position: &Position) -> u8 {
    position.board.board().empties() as u8
}

/// Which of two equally good searches counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The later one, as in the engines that read book files.
    Later,
    /// The engines decide, then the contents, so that the order of the records makes no difference.
    Contents,
}

/// How good a search is. Those of two engines are never equal unless the later one counts.
type Rank<S> = (S, Option<Engine>);

impl Ties {
    fn rank<S>(self, search: S, engine: Engine) -> Rank<S> {
        (search, (self == Ties::Contents).then_some(engine))
    }
}

/// The effect of a record, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Its position or leaf comes from a better search, or it proves more.
    Raised,
    /// Its search is equal, says something else, and counts.
    Equal,
    /// The record that was there is as good or better.
    Kept,
}

/// Several records of a board, combined so far.
pub struct Combined {
    position: Position,
    ties: Ties,
    /// Whether its value follows from children or a leaf, and so is recomputed. Only a search's own value must be carried over.
    derived: bool,
    search: Rank<Quality>,
    /// The search that gave the value.
    value: Option<Rank<Quality>>,
    /// The engine and level in the record of that search.
    value_level: (Engine, Option<u8>),
    /// The search that gave the leaf. The leaf in `position` has its own level.
    leaf: Option<Rank<Strength>>,
    /// The leaf as in its record.
    given: Option<Leaf>,
    /// The engine and level in the record of that leaf.
    leaf_level: (Engine, Option<u8>),
    /// Whether that leaf was lost: its move is a link. A weaker leaf doesn't replace it.
    is_lost: bool,
}

impl Combined {
    /// Starts with a record.
    #[must_use]
    pub fn new(first: Position, ties: Ties) -> Combined {
        Combined::with_lost(first, None, ties)
    }

    /// Starts with a record, and with the leaf that it lost to a link, if it has no other.
    #[must_use]
    pub fn with_lost(mut first: Position, lost: Option<Lost>, ties: Ties) -> Combined {
        let lost = lost.filter(|_| first.leaf.is_none());
        first.leaf = first.leaf.or(lost.map(Leaf::from));
        let leaf = first.leaf;
        let leaf = leaf.map(|leaf| ties.rank(search_of_leaf(leaf, &first), leaf.engine));
        let search = ties.rank(search_of(&first), first.engine);
        let given = first.leaf;
        first.leaf = leaf_with_level(&first);
        Combined {
            ties,
            derived: false,
            search,
            value: first.value.map(|_| search),
            value_level: (first.engine, first.level),
            leaf,
            given,
            leaf_level: (first.engine, first.level),
            is_lost: lost.is_some(),
            position: first,
        }
    }

    /// The same, if the value of what it holds so far will be recomputed: then no equal search replaces it, unless a person made it.
    #[must_use]
    pub fn recomputed(self, derived: bool) -> Combined {
        Combined { derived, ..self }
    }

    /// The record as combined so far. Its leaf may be lost.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The value, within what is proven unless a person entered it.
    #[must_use]
    pub fn value(&self) -> Option<i16> {
        let proof = self.position.proof;
        let proof = proof.filter(|_| !is_entered(self.position.level));
        let value = self.position.value;
        value.map(|value| proof.map_or(value, |proof| proof.clamp(value)))
    }

    /// Adds a later record of the same board, and the leaf that it lost to a link, if it has no other.
    pub fn add(&mut self, mut later: Position, lost: Option<Lost>) -> Verdict {
        // Different remarks about a missing leaf: the moves will decide.
        if self.position.no_leaf != later.no_leaf {
            self.position.no_leaf = None;
        }
        let is_lost = later.leaf.is_none() && lost.is_some();
        later.leaf = later.leaf.or(lost.map(Leaf::from));
        let proof = self.add_proof(later.proof);
        // The leaf goes first: without a level of its own it has the position's current one.
        let leaf = self.add_leaf(&later, is_lost);
        let links = std::mem::take(&mut later.links);
        let is_better = self.ties.rank(search_of(&later), later.engine) >= self.search;
        let numbers = self.add_numbers(&later);
        self.add_links(links, is_better);
        proof.min(leaf).min(numbers)
    }

    fn add_proof(&mut self, later: Option<Proof>) -> Verdict {
        let bounds = |proof: Option<Proof>| proof.map(|proof| (proof.lower(), proof.upper()));
        let before = self.position.proof;
        self.position.proof = Proof::together(before, later);
        match bounds(self.position.proof) == bounds(before) {
            true => Verdict::Kept,
            false => Verdict::Raised,
        }
    }

    fn add_leaf(&mut self, later: &Position, is_lost: bool) -> Verdict {
        let Some(leaf) = later.leaf else {
            return Verdict::Kept;
        };
        let search = Some(self.ties.rank(search_of_leaf(leaf, later), leaf.engine));
        // Of equals the one counts that was found with more moves in the book already, and so has the lower score.
        let content = |leaf: Leaf| (leaf.score, leaf.mv.map(Move::code));
        let own = self.position.leaf.map(content);
        let (order, is_same) = (search.cmp(&self.leaf), own == Some(content(leaf)));
        if order.is_eq() && is_same {
            self.is_lost |= is_lost;
        }
        let counts = match self.ties {
            Ties::Later => true,
            Ties::Contents => own > Some(content(leaf)),
        };
        if order.is_lt() || order.is_eq() && !counts {
            return Verdict::Kept;
        }
        self.given = match self.ties {
            Ties::Later => later.leaf,
            Ties::Contents => leaf_with_level(later),
        };
        self.position.leaf = leaf_with_level(later);
        self.leaf_level = (later.engine, later.level);
        let before = std::mem::replace(&mut self.leaf, search);
        let was_lost = std::mem::replace(&mut self.is_lost, is_lost);
        // A leaf whose move is a link is kept only to be remembered as lost.
        let mut links = self.position.links.iter();
        let is_link = links.any(|link| Some(link.mv) == leaf.mv);
        match strength(search) > strength(before) {
            _ if is_lost || is_link => Verdict::Kept,
            true => Verdict::Raised,
            false if is_same && !was_lost => Verdict::Kept,
            false => Verdict::Equal,
        }
    }

    fn add_numbers(&mut self, later: &Position) -> Verdict {
        let search = self.ties.rank(search_of(later), later.engine);
        let order = search.cmp(&self.search);
        if order.is_le() && self.derived && !is_entered(later.level) {
            return Verdict::Kept;
        }
        let before = (self.search, self.value());
        if order.is_ge() {
            self.derived = false;
            self.search = search;
            self.set_level(later.engine, later.level);
        }
        self.add_value(later, search);
        match search.0 > before.0.0 {
            true => Verdict::Raised,
            false if order.is_gt() || self.value() != before.1 => Verdict::Equal,
            false => Verdict::Kept,
        }
    }

    /// Sets the position's level. If several merges must give the same as one, the leaf has to be what a database keeps of it in between:
    /// a leaf without a level of its own has the position's.
    fn set_level(&mut self, engine: Engine, level: Option<u8>) {
        let merged = &mut self.position;
        let changes = (merged.engine, merged.level) != (engine, level);
        let leaf = leaf_with_level(merged);
        (merged.engine, merged.level) = (engine, level);
        if changes && self.ties == Ties::Contents {
            (merged.leaf, self.given) = (leaf, leaf);
            self.leaf = leaf.map(|leaf| {
                let search = search_of_leaf(leaf, &self.position);
                self.ties.rank(search, leaf.engine)
            });
        }
    }

    /// Adds the numbers of a record whose search has this rank.
    fn add_value(&mut self, later: &Position, search: Rank<Quality>) {
        let found = later.value.map(|_| search);
        let order = found.cmp(&self.value);
        let merged = &mut self.position;
        if order.is_gt() || order.is_eq() && self.ties == Ties::Later {
            merged.value = later.value;
            merged.bounds = later.bounds;
            merged.outcomes = later.outcomes;
            merged.lines = later.lines;
            self.value = found;
            self.value_level = (later.engine, later.level);
        } else if order.is_eq() {
            // Each number by itself, so that the order makes no difference.
            merged.value = merged.value.max(later.value);
            merged.lines = merged.lines.max(later.lines);
            merged.bounds = larger(merged.bounds, later.bounds, Bounds::greater);
            merged.outcomes = larger(merged.outcomes, later.outcomes, |one, other| Outcomes {
                wins: one.wins.max(other.wins),
                draws: one.draws.max(other.draws),
                losses: one.losses.max(other.losses),
            });
        }
    }

    /// Adds links. If both records have one, the better search has its score.
    fn add_links(&mut self, mut links: Links, are_better: bool) {
        let own = &mut self.position.links;
        if are_better {
            std::mem::swap(own, &mut links);
        }
        for link in links {
            if own.iter().all(|own| own.mv != link.mv) {
                own.push(link);
            }
        }
    }

    /// As few records as possible that can replace those added so far, whatever comes later. There are several if the value is
    /// not that of the best search, or if the leaf's level came from a record that another one has replaced.
    pub(crate) fn condense(self) -> impl Iterator<Item = Position> {
        let apart = self.value.is_some_and(|value| value != self.search);
        let (engine, level) = self.value_level;
        let (leaf_engine, leaf_level) = self.leaf_level;
        let (found_by, given) = (strength(self.leaf), self.given);
        let mut best = self.finish();
        let strength = best.leaf.map(|leaf| search_of_leaf(leaf, &best));
        let leaf = (strength != found_by || best.leaf != given).then(|| {
            best.leaf = None;
            Position {
                leaf: given,
                level: leaf_level,
                ..Position::new(best.board, leaf_engine)
            }
        });
        let value = apart.then(|| Position {
            value: best.value.take(),
            bounds: best.bounds.take(),
            outcomes: best.outcomes.take(),
            lines: best.lines.take(),
            level,
            no_leaf: best.no_leaf,
            ..Position::new(best.board, engine)
        });
        leaf.into_iter().chain(value).chain([best])
    }

    /// Returns the combined record. A move may then be both a link and the leaf, until linking shows whether the book has the
    /// child.
    #[must_use]
    pub fn finish(self) -> Position {
        self.into_parts().0
    }

    /// The same, and the leaf that it lost: a position with a leaf has lost none.
    #[must_use]
    pub fn into_parts(self) -> (Position, Option<Lost>) {
        let mut with_level = self.position;
        if self.is_lost {
            let leaf = with_level.leaf.take();
            let lost = leaf.and_then(|leaf| Lost::of(leaf, &with_level));
            return (with_level, lost);
        }
        with_level.no_leaf = with_level.no_leaf.filter(|_| with_level.leaf.is_none());
        let position = Position {
            leaf: self.given,
            ..with_level.clone()
        };
        // The position's level may come from another record.
        let is_told = leaf_with_level(&position) == with_level.leaf;
        (if is_told { position } else { with_level }, None)
    }
}

/// A record's leaf with a level of its own, even if the record gives one level for both.
fn leaf_with_level(position: &Position) -> Option<Leaf> {
    position.leaf.map(|leaf| Leaf {
        level: levels::of_leaf(leaf, position.level, position.engine),
        ..leaf
    })
}

/// A search without its engine, which is no reason to call it better.
fn strength<S>(rank: Option<Rank<S>>) -> Option<S> {
    rank.map(|(search, _)| search)
}

/// Both by `join`, or the one that there is.
fn larger<T>(one: Option<T>, other: Option<T>, join: impl FnMut(T, T) -> T) -> Option<T> {
    one.into_iter().chain(other).reduce(join)
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::{Board, Link, NoLeaf, Place};
    use proptest::prelude::*;

    /// A record of the start position, by any engine.
    fn record() -> impl Strategy<Value = Position> {
        let level = || proptest::option::of(0u8..4);
        let numbers = (proptest::option::of(-3i16..4), level(), any::<[bool; 4]>());
        let leaf = proptest::option::of((0usize..4, -3i8..4, level()));
        (numbers, leaf, 0u32..9).prop_map(|((value, level, flags), leaf, lines)| {
            let board = Board::START.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            let own = Engine::own("tiny", Engine::Edax, Place::UNKNOWN).expect("a name");
            let engine = match flags[0] {
                false => Engine::Edax,
                true => [Engine::Egaroucid, own][lines as usize % 2],
            };
            let mut position = Position::new(board, engine);
            position.value = value;
            position.level = level;
            position.lines = value.map(|_| lines);
            position.bounds = value.map(|value| Bounds {
                lower: value - 1,
                upper: value + 1,
            });
            position.proof = Proof::new(level.map_or(-64, |level| level as i8), 64, engine);
            position.no_leaf = flags[1].then_some(NoLeaf::ALL[usize::from(flags[2])]);
            let score = value.map(|value| value as i8);
            position.links.extend(flags[3].then_some(Link {
                mv: moves[lines as usize % 4],
                score,
            }));
            if let Some((mv, score, level)) = leaf {
                position.set_leaf(Leaf {
                    mv: Some(moves[mv]),
                    score,
                    level,
                    engine,
                });
            }
            position
        })
    }

    fn combined(records: impl IntoIterator<Item = Position>) -> Combined {
        let mut records = records.into_iter();
        let mut combined = Combined::new(records.next().unwrap(), Ties::Later);
        for record in records {
            combined.add(record, None);
        }
        combined
    }

    proptest! {
        #[test]
        fn condensing_changes_nothing(
            before in proptest::collection::vec(record(), 1..6),
            later in proptest::collection::vec(record(), 0..6),
        ) {
            let condensed: Vec<Position> = combined(before.clone()).condense().collect();
            prop_assert!(condensed.len() <= 3);
            let all = combined(before.into_iter().chain(later.clone())).finish();
            let again = combined(condensed.into_iter().chain(later)).finish();
            prop_assert_eq!(again, all);
        }
    }
}
