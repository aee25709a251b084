//! Combines several records of a board into one.
//!
//! The better search wins, or the later one if they are equally good. Values and leaves are compared separately. An unknown
//! value never replaces a known one.

use obook_model::levels::{self, Strength};
use obook_model::{Engine, Leaf, Position, Proof};

/// How good the search behind a record's level is. Egaroucid's level is that of the value, so a record without a value is worse
/// than any with one. The level of other engines is that of the position, whose value follows from other positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Quality {
    found: bool,
    strength: Strength,
}

/// The search behind a record's level.
#[must_use]
pub fn search_of(position: &Position) -> Quality {
    Quality {
        found: position.value.is_some() || position.engine != Engine::Egaroucid,
        strength: strength(position),
    }
}

/// The search behind a record's leaf.
#[must_use]
pub fn search_of_leaf(leaf: Leaf, position: &Position) -> Strength {
    let level = levels::of_leaf(leaf, position.level, position.engine);
    Strength::new(leaf.engine, level, empties(position))
}

fn strength(position: &Position) -> Strength {
    Strength::new(position.engine, position.level, empties(position))
}

fn empties(position: &Position) -> u8 {
    position.board.board().empties() as u8
}

/// Several records of a board, combined so far.
pub struct Combined {
    position: Position,
    search: Quality,
    /// The search that gave the value.
    value: Option<Quality>,
    /// The engine and level in the record of that search.
    value_level: (Engine, Option<u8>),
    /// The search that gave the leaf. The leaf in `position` has its own level.
    leaf: Option<Strength>,
    /// The leaf as in its record.
    given: Option<Leaf>,
    /// The engine and level in the record of that leaf.
    leaf_level: (Engine, Option<u8>),
}

impl Combined {
    /// Starts with a record.
    #[must_use]
    pub fn new(mut first: Position) -> Combined {
        let leaf = first.leaf.map(|leaf| search_of_leaf(leaf, &first));
        let search = search_of(&first);
        let given = first.leaf;
        first.leaf = leaf_with_level(&first);
        Combined {
            given,
            search,
            value: first.value.map(|_| search),
            value_level: (first.engine, first.level),
            leaf,
            leaf_level: (first.engine, first.level),
            position: first,
        }
    }

    /// Adds a later record of the same board.
    pub fn add(&mut self, later: Position) {
        let merged = &mut self.position;
        // Different remarks about a missing leaf: the moves will decide.
        if merged.no_leaf != later.no_leaf {
            merged.no_leaf = None;
        }
        // Proofs hold whatever the levels.
        merged.proof = Proof::together(merged.proof, later.proof);
        if let Some(leaf) = later.leaf {
            let search = Some(search_of_leaf(leaf, &later));
            if search >= self.leaf {
                merged.leaf = leaf_with_level(&later);
                self.given = later.leaf;
                self.leaf = search;
                self.leaf_level = (later.engine, later.level);
            }
        }
        let search = search_of(&later);
        let value = later.value.map(|_| search);
        if value >= self.value {
            merged.value = later.value;
            merged.bounds = later.bounds;
            merged.outcomes = later.outcomes;
            merged.lines = later.lines;
            self.value = value;
            self.value_level = (later.engine, later.level);
        }
        let mut links = later.links;
        if search >= self.search {
            merged.level = later.level;
            merged.engine = later.engine;
            self.search = search;
            std::mem::swap(&mut merged.links, &mut links);
        }
        // Links are facts of the board, so all are kept. If both records have a link, the better search has its score.
        for link in links {
            if merged.links.iter().all(|own| own.mv != link.mv) {
                merged.links.push(link);
            }
        }
    }

    /// As few records as possible that can replace those added so far, whatever comes later. There are several if the value is
    /// not that of the best search, or if the leaf's level came from a record that another one has replaced.
    pub(crate) fn condense(self) -> impl Iterator<Item = Position> {
        let apart = self.value.is_some_and(|value| value != self.search);
        let (engine, level) = self.value_level;
        let (leaf_engine, leaf_level) = self.leaf_level;
        let (found_by, given) = (self.leaf, self.given);
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
        let mut with_level = self.position;
        with_level.no_leaf = with_level.no_leaf.filter(|_| with_level.leaf.is_none());
        let position = Position {
            leaf: self.given,
            ..with_level.clone()
        };
        // The position's level may come from another record.
        if leaf_with_level(&position) == with_level.leaf {
            position
        } else {
            with_level
        }
    }
}

/// A record's leaf with a level of its own, even if the record gives one level for both.
#[must_use]
pub fn leaf_with_level(position: &Position) -> Option<Leaf> {
    position.leaf.map(|leaf| Leaf {
        level: levels::of_leaf(leaf, position.level, position.engine),
        ..leaf
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_model::{Bounds, Link, NoLeaf};
    use obook_othello::Board;
    use proptest::prelude::*;

    /// A record of the start position, by any engine.
    fn record() -> impl Strategy<Value = Position> {
        let level = || proptest::option::of(0u8..4);
        let numbers = (proptest::option::of(-3i16..4), level(), any::<[bool; 4]>());
        let leaf = proptest::option::of((0usize..4, -3i8..4, level()));
        (numbers, leaf, 0u32..9).prop_map(|((value, level, flags), leaf, lines)| {
            let board = Board::START.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            let engine = Engine::ALL[usize::from(flags[0])];
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
        let mut combined = Combined::new(records.next().unwrap());
        records.for_each(|record| combined.add(record));
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
