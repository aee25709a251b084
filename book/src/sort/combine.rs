//! What several records of one board say together.
//!
//! The better search wins, of equal ones the later; value and leaf are judged apart, and what is not known never takes the
//! place of what is.

use obook_converters::levels::{self, Strength};
use obook_converters::{Engine, Leaf, Position};

/// The search behind a record's level. One that found nothing is worth less than any that did: a level without a value says
/// nothing, but Edax's is that of the leaf too.
pub(crate) fn search_of(position: &Position) -> (bool, Strength) {
    let of_leaf = position.engine == Engine::Edax && position.leaf.is_some();
    (position.value.is_some() || of_leaf, strength(position))
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
    search: (bool, Strength),
    /// The search that gave the value.
    value: Option<Strength>,
    /// The search that gave the leaf.
    leaf: Option<Strength>,
}

impl Combined {
    pub(crate) fn new(mut first: Position) -> Combined {
        let leaf = first.leaf.map(|leaf| search_of_leaf(leaf, &first));
        let search = search_of(&first);
        first.leaf = leaf_with_level(&first);
        Combined {
            search,
            value: first.value.map(|_| search.1),
            leaf,
            position: first,
        }
    }

    /// Takes another record of the board, which came later.
    pub(crate) fn add(&mut self, later: Position) {
        let merged = &mut self.position;
        if let Some(leaf) = later.leaf {
            let search = Some(search_of_leaf(leaf, &later));
            if search >= self.leaf {
                merged.leaf = leaf_with_level(&later);
                self.leaf = search;
            }
        }
        let search = search_of(&later);
        let value = later.value.map(|_| search.1);
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
        self.position
    }
}

/// The leaf with its level spelled out, whatever level the position gets.
pub(crate) fn leaf_with_level(position: &Position) -> Option<Leaf> {
    position.leaf.map(|leaf| Leaf {
        level: levels::of_leaf(leaf, position.level, position.engine),
        ..leaf
    })
}
