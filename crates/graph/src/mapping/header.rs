//! The header that an Edax book needs.

use super::{Loss, Losses};
use crate::slabs::{self, Slabs};
use obook_converters::Header;
use obook_othello::levels::MAX_LEVEL;

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
        let n_empties = self.depth.map(|depth| DEPTH_AND_EMPTIES - i32::from(depth));
        Header {
            level: or(self.level, header.level),
            n_empties: n_empties.or(header.n_empties),
            midgame_error: or(self.midgame_error, header.midgame_error),
            endcut_error: or(self.endcut_error, header.endcut_error),
            ..header.clone()
        }
    }
}

/// The facts about a book's positions that a header holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The number of positions by level.
    levels: [u64; 256],
    /// The number of empty squares of the deepest position with a link.
    deepest: Option<i32>,
}

impl Outline {
    /// Looks at all positions of a book.
    ///
    /// # Errors
    /// Returns [`slabs::Error`] if temporary files fail.
    pub fn of(book: &mut Slabs) -> slabs::Result<Outline> {
        let mut outline = Outline {
            levels: [0; 256],
            deepest: None,
        };
        book.scan(|slab| {
            let graph = slab.graph();
            for level in graph.unfrozen_ids().filter_map(|id| graph.level(id)) {
                outline.levels[usize::from(level)] += 1;
            }
            if outline.deepest.is_none() {
                // Children come first, and frozen positions have no links.
                let mut ids = graph.ids();
                let deepest = ids.find(|id| graph.links(*id).len() > 0);
                outline.deepest = deepest.map(|id| graph.board(id).board().empties() as i32);
            }
        })?;
        Ok(outline)
    }

    /// Completes a header: the most common level (the highest, if several are equally common), the number of empty squares of the
    /// deepest position with a link, and Edax's own errors.
    #[must_use]
    pub fn complete(&self, header: &Header) -> Header {
        let (midgame_error, endcut_error) = header.errors();
        let n_empties = header.n_empties.or(self.deepest);
        Header {
            level: header.level.or_else(|| Some(self.most_common_level())),
            n_empties: n_empties.or(Some(DEPTH_AND_EMPTIES)),
            midgame_error: Some(midgame_error),
            endcut_error: Some(endcut_error),
            ..header.clone()
        }
    }

    fn most_common_level(&self) -> i32 {
        let levels = (0..).zip(&self.levels);
        let common = levels.max_by_key(|(level, count)| (**count, *level));
        match common {
            Some((level, 1..)) => i32::from(MAX_LEVEL).min(level),
            _ => 0,
        }
    }

    /// Counts the fields of `header` that [`Outline::complete`] can't derive from the book. Most formats have no such header.
    pub fn count_losses(&self, header: &Header, losses: &mut Losses) {
        let derived = self.complete(&Header::default());
        let fields = [
            (header.level, derived.level),
            (header.n_empties, derived.n_empties),
            (header.midgame_error, derived.midgame_error),
            (header.endcut_error, derived.endcut_error),
        ];
        let lost = fields.into_iter();
        let lost = lost.filter(|(field, derived)| field.is_some() && field != derived);
        losses.add(Loss::Header, lost.count() as u64);
    }
}
