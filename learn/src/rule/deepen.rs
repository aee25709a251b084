//! Edax's `book deepen`.

use super::Place;
use crate::{Chosen, Want};
use rayon::prelude::*;

/// All leaves are searched again that come from a weaker search than the level of the stage is. What a position with as many
/// empty squares is searched by counts, not the number of the level: a leaf that is proven is never weaker.
pub(crate) fn choose(place: &Place<'_>) -> Vec<Chosen> {
    let book = place.book;
    let ids = (0..book.len()).into_par_iter().map(|at| book.id(at));
    ids.filter(|id| {
        book.leaf(*id)
            .is_some_and(|leaf| place.is_weaker(*id, leaf))
    })
    .map(|id| place.chosen(book.board(id), Want::Leaf, None))
    .collect()
}
