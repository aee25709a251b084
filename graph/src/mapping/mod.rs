//! Conversion of a book from one engine's form to the other's.
//!
//! A [`Graph`] has a book in Edax's form: a pass is a position and a link, and a finished game has a leaf without a move.
//! Egaroucid's books have no passes, links, bounds or outcomes, and a leaf of Edax's may be a position there. [`to_egaroucid`] and
//! [`to_edax`] convert a book such that a consistent Edax book comes back unchanged. They count as [`Losses`] what the target
//! can't hold.

pub mod demands;
mod header;
mod losses;
mod to_edax;
mod to_egaroucid;

pub use header::{HeaderOptions, complete};
pub use losses::{Loss, Losses};
pub use to_edax::{EdaxError, EdaxOptions, MissingLeaf, Refused, to_edax};
pub use to_egaroucid::{EgaroucidOptions, Leaves, Target, decide_no_leaf, to_egaroucid};

use crate::{Graph, NodeId};
use obook_model::Engine;
use rayon::prelude::*;

/// Whether a book has all numbers that Edax's rules define.
fn has_all_numbers(graph: &Graph) -> bool {
    (0..graph.len()).into_par_iter().all(|place| {
        let id = graph.id(place);
        graph.value(id).is_some()
            && graph.bounds(id).is_some()
            && graph.outcomes(id).is_some()
            && graph.lines(id).is_some()
            && graph.links(id).all(|link| link.score.is_some())
    })
}

/// Counts the positions whose level, or whose leaf's level, is not on `engine`'s scale. None are counted if all levels of the
/// book are on the scale of one engine with a format of its own, because then the levels can come back.
fn count_other_engines(graph: &Graph, engine: Engine) -> u64 {
    let others = |engine: Engine| {
        let is_other = move |id: &NodeId| {
            let of_leaf = graph.leaf(*id).map(|leaf| leaf.engine);
            graph.engine(*id) != engine || of_leaf.is_some_and(|of_leaf| of_leaf != engine)
        };
        graph.ids().filter(is_other)
    };
    let with_format = [Engine::Edax, Engine::Egaroucid];
    if with_format.iter().any(|all| others(*all).next().is_none()) {
        0
    } else {
        others(engine).count() as u64
    }
}
