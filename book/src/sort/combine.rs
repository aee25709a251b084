//! Several records of one board combined into one.
//!
//! The better search wins, of equal ones the later; value and leaf are judged apart, and what is not known never takes the
//! place of what is.

use obook_converters::levels::{self, Strength};
use obook_converters::{Engine, Leaf, Position};

/// The search behind a record's level. Egaroucid's level is that of the value and says little without one, so whether there is
/// one comes first; Edax's is that of the position, whose value follows from others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Search {
    found: bool,
    strength: Strength,
}

/// The search behind a record's level.
pub(crate) fn search_of(position: &Position) -> Search {
    Search {
        found: position.value.is_some() || position.engine == Engine::Edax,
        strength: strength(position),
    }
}

/// The search behind a record's leaf.
pub(crate) fn search_of_leaf(leaf: Leaf, position: &Position) -> Strength {
    let level = levels::of_leaf(leaf, position.level, position.engine);
    Strength::new(leaf.engine, level, empties(position))
}

fn strength(position: &Position) -> Strength {
    Strength::new(position.engine, position.level, empties(position))
}

fn empties(position: &Position) -> u8 {
    position.board.board().empties() as u8
}

/// Records of one board, on their way to becoming one.
pub(crate) struct Combined {
    position: Position,
    search: Search,
    /// The search that gave the value.
    value: Option<Search>,
    /// The search that gave the leaf, whose level is spelled out in the position.
    leaf: Option<Strength>,
    /// The leaf as its record has it.
    given: Option<Leaf>,
}

impl Combined {
    pub(crate) fn new(mut first: Position) -> Combined {
        let leaf = first.leaf.map(|leaf| search_of_leaf(leaf, &first));
        let search = search_of(&first);
        let given = first.leaf;
        first.leaf = leaf_with_level(&first);
        Combined {
            given,
            search,
            value: first.value.map(|_| search),
            leaf,
            position: first,
        }
    }

    /// Takes another record of the board, which came later.
    pub(crate) fn add(&mut self, later: Position) {
        let merged = &mut self.position;
        // Records that say different things of a missing leaf leave it to the moves.
        if merged.no_leaf != later.no_leaf {
            merged.no_leaf = None;
        }
        if let Some(leaf) = later.leaf {
            let search = Some(search_of_leaf(leaf, &later));
            if search >= self.leaf {
                merged.leaf = leaf_with_level(&later);
                self.given = later.leaf;
                self.leaf = search;
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
        }
        let mut links = later.links;
        if search >= self.search {
            merged.level = later.level;
            merged.engine = later.engine;
            self.search = search;
            std::mem::swap(&mut merged.links, &mut links);
        }
        // Links are facts of the board; of those that both have, the better search knows the score.
        for link in links {
            if merged.links.iter().all(|own| own.mv != link.mv) {
                merged.links.push(link);
            }
        }
    }

    /// The record. Where one says that a move is a link and another that it is a leaf, both stay until links are found: only
    /// then it is known whether the book has the child.
    pub(crate) fn finish(self) -> Position {
        let mut spelled_out = self.position;
        spelled_out.no_leaf = spelled_out.no_leaf.filter(|_| spelled_out.leaf.is_none());
        let position = Position {
            leaf: self.given,
            ..spelled_out.clone()
        };
        // The level of the position may be another record's.
        if leaf_with_level(&position) == spelled_out.leaf {
            position
        } else {
            spelled_out
        }
    }
}

/// The leaf with its level spelled out, whatever level the position gets.
pub(crate) fn leaf_with_level(position: &Position) -> Option<Leaf> {
    position.leaf.map(|leaf| Leaf {
        level: levels::of_leaf(leaf, position.level, position.engine),
        ..leaf
    })
}
