//! The header that an Edax book needs.

use super::{Loss, Losses};
use crate::Graph;
use obook_converters::Header;
use obook_model::levels::MAX_LEVEL;
use std::collections::BTreeMap;

/// The depth of a book plus the number of empty squares at which Edax stops growing it.
const DEPTH_AND_EMPTIES: i32 = 61;

/// Header fields that replace those of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeaderOptions {
    /// The level of the book's searches.
    pub level: Option<u8>,
    /// How deep the book grows: 61 minus the number of empty squares, which is the number of moves from the start plus one.
    pub depth: Option<u8>,
    /// The error of midgame searches, in discs.
    pub midgame_error: Option<u8>,
    /// The error of selective searches to the end, in discs.
    pub endcut_error: Option<u8>,
}

impl HeaderOptions {
    /// Replaces the fields of `header` that are given.
    #[must_use]
    pub fn over(self, header: &Header) -> Header {
        let or = |given: Option<u8>, field: Option<i32>| given.map(i32::from).or(field);
        Header {
            level: or(self.level, header.level),
            n_empties: self
                .depth
                .map(|depth| DEPTH_AND_EMPTIES - i32::from(depth))
                .or(header.n_empties),
            midgame_error: or(self.midgame_error, header.midgame_error),
            endcut_error: or(self.endcut_error, header.endcut_error),
            ..header.clone()
        }
    }
}

/// Completes a header from the book: the most common level (the highest, if several are equally common), the number of empty
/// squares of the deepest position with a link, and Edax's own errors.
#[must_use]
pub fn complete(graph: &Graph, header: &Header) -> Header {
    let (midgame_error, endcut_error) = header.errors();
    Header {
        level: header.level.or_else(|| Some(most_common_level(graph))),
        n_empties: header.n_empties.or_else(|| Some(empties_at_depth(graph))),
        midgame_error: Some(midgame_error),
        endcut_error: Some(endcut_error),
        ..header.clone()
    }
}

/// Counts the fields of `header` that [`complete`] can't derive from the book.
pub(super) fn count_losses(graph: &Graph, header: &Header, losses: &mut Losses) {
    let derived = complete(graph, &Header::default());
    let lost = |field: Option<i32>, derived: Option<i32>| field.is_some() && field != derived;
    let fields = [
        lost(header.level, derived.level),
        lost(header.n_empties, derived.n_empties),
        lost(header.midgame_error, derived.midgame_error),
        lost(header.endcut_error, derived.endcut_error),
    ];
    losses.add(
        Loss::Header,
        fields.into_iter().filter(|lost| *lost).count() as u64,
    );
}

fn most_common_level(graph: &Graph) -> i32 {
    let mut levels = BTreeMap::<u8, u64>::new();
    for level in graph.ids().filter_map(|id| graph.level(id)) {
        *levels.entry(level).or_default() += 1;
    }
    let common = levels
        .into_iter()
        .max_by_key(|(level, count)| (*count, *level));
    common.map_or(0, |(level, _)| i32::from(level.min(MAX_LEVEL)))
}

fn empties_at_depth(graph: &Graph) -> i32 {
    let deepest = |(empties, mut ids): (u8, _)| {
        let linked = Iterator::any(&mut ids, |id| graph.links(id).len() > 0);
        linked.then_some(i32::from(empties))
    };
    graph
        .layers()
        .find_map(deepest)
        .unwrap_or(DEPTH_AND_EMPTIES)
}
