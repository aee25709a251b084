//! Cutting a book: choosing the positions that stay, and making leaves of the links to those that go.
//!
//! A link that goes becomes the leaf of its position where it beats the leaf, so what the book says of a position that
//! stays is not lost with those below it: by the rules that count leaves, its value is the same as before.

mod leaves;
mod reach;
mod reduce;

pub use leaves::{DroppedLinks, drop_links};
pub use reduce::Losses;

use crate::read::lookup::{left_the_book, positions_on};
use crate::write::rewrite::{Destination, LinkedBook, Rewritten, rewrite};
use crate::{Context, Error, Result};
use obook_graph::negamax::negamax;
use obook_graph::{Graph, Selection};
use obook_model::RuleSet;
use obook_othello::Line;
use reach::plies;
use serde::Serialize;
use std::path::Path;

/// Which positions stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Edax's `book prune`: those that one side can reach from the start position whatever it plays while the other one
    /// plays what is as good as the best, leaf included; the same with the sides changed.
    Prune {
        /// Plies from the start position to which they stay; `None` for the book's depth, or all where it has none.
        depth: Option<u8>,
    },
    /// Edax's `book subtree`: those that can be reached from the end of a line by any links.
    Subtree {
        /// The line.
        from: Line,
        /// As for [`Cut::Prune`].
        depth: Option<u8>,
    },
    /// Those that can be reached from the start position by any links.
    Reachable,
    /// Egaroucid's reduce: of those that can be reached from the end of a line, the ones that few losses lead to; and
    /// all the others.
    Reduce {
        /// The line.
        from: Line,
        /// Plies from the start position to which they stay.
        depth: u8,
        /// How much the moves that lead there may lose.
        losses: Losses,
    },
    /// Those at most so many plies from the start position.
    Depth(u8),
}

/// Deeper than any position.
const ALL_PLIES: u8 = 60;

impl Cut {
    /// The positions that stay, of a book that is linked and computed. `book_depth` is what the book says of its depth.
    ///
    /// A position whose side to move must pass stays with the one after the pass wherever a link leads to it, if the book
    /// follows Egaroucid's rules: they know the position after the pass alone.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn kept(
        &self,
        graph: &Graph,
        rules: RuleSet,
        book_depth: Option<i32>,
    ) -> Result<Selection, Refused> {
        let depth = |given: Option<u8>| {
            let book_depth = book_depth.map(|depth| depth.clamp(0, ALL_PLIES.into()) as u8);
            given.or(book_depth).unwrap_or(ALL_PLIES)
        };
        let root = |line: &Line, depth: u8| {
            let root = graph.find(line.board().canonical()).ok_or_else(|| {
                let known = |board: &_| graph.find(*board).is_some();
                let known = positions_on(line).take_while(known).count();
                Refused::NotInBook {
                    line: line.clone(),
                    known,
                }
            })?;
            match plies(graph, root) {
                plies if plies > depth => Err(Refused::TooDeep { plies, depth }),
                _ => Ok(root),
            }
        };
        let start = Line::new();
        let mut kept = match self {
            Cut::Prune { depth: given } => {
                let depth = depth(*given);
                reach::by_best_play_of_one_side(graph, root(&start, depth)?, depth)
            }
            Cut::Subtree { from, depth: given } => {
                let depth = depth(*given);
                reach::by_any_links(graph, root(from, depth)?, depth)
            }
            Cut::Reachable => reach::by_any_links(graph, root(&start, ALL_PLIES)?, ALL_PLIES),
            Cut::Reduce {
                from,
                depth,
                losses,
            } => reduce::within_losses(graph, root(from, *depth)?, *depth, *losses),
            Cut::Depth(depth) => Selection::matching(graph, |id| plies(graph, id) <= *depth),
        };
        if rules != RuleSet::Edax {
            keep_other_views(graph, &mut kept);
        }
        Ok(kept)
    }

    /// The depth that the book has afterwards, if the cut says so.
    fn new_depth(&self) -> Option<u8> {
        match self {
            Cut::Prune { depth } | Cut::Subtree { depth, .. } => *depth,
            Cut::Depth(depth) => Some(*depth),
            Cut::Reachable | Cut::Reduce { .. } => None,
        }
    }
}

/// Why a book can't be cut so.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The position to start from is not in the book.
    #[error(
        "the position after {line} is not in the book, which has the first {known} positions of the line"
    )]
    NotInBook {
        /// The line that leads to it.
        line: Line,
        /// How many of the line's positions are in the book.
        known: usize,
    },
    /// The position to start from would go itself.
    #[error(
        "the position to start from is {plies} plies from the start position, and nothing stays beyond {depth}"
    )]
    TooDeep {
        /// How many plies it is from the start position.
        plies: u8,
        /// The depth.
        depth: u8,
    },
}

impl Refused {
    fn of(self, path: &Path) -> Error {
        match self {
            Refused::NotInBook { line, known } => left_the_book(path, &line, known),
            Refused::TooDeep { plies, depth } => Error::TooDeep {
                path: path.to_owned(),
                plies,
                depth,
            },
        }
    }
}

/// Lets the passes and the ends of games to which kept positions have links stay where their other view stays: for
/// Egaroucid these are one position.
fn keep_other_views(graph: &Graph, kept: &mut Selection) {
    for id in graph.ids() {
        if !kept.contains(id) {
            continue;
        }
        for child in graph.links(id).filter_map(|link| link.child) {
            if kept.contains(child) || !graph.board(child).board().legal_moves().is_empty() {
                continue;
            }
            let other = graph.board(child).board().passed().canonical();
            if graph.find(other).is_some_and(|other| kept.contains(other)) {
                kept.insert(child);
            }
        }
    }
}

/// What a [`Cut`] takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Counts {
    /// Positions that stay.
    pub kept: u64,
    /// Positions that went.
    pub removed: u64,
    /// Links that went from positions that stay, and what became of them.
    #[serde(flatten)]
    pub links: DroppedLinks,
    /// The depth that the book has now, in plies from the start position, if it says so.
    pub depth: Option<i32>,
}

/// What [`cut`] did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// What it took.
    #[serde(flatten)]
    pub counts: Counts,
    /// What else happened.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// Cuts the book at `path`: links and computes it, chooses the positions that stay, makes leaves of the links to the
/// others where they are better than what is there, and computes it once more.
///
/// ```
/// use obook_book::write::cut::{Cut, cut};
/// use obook_book::write::{Destination, import::import};
/// use obook_book::{IfExists, Progress};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let book = folder.path().join("games.obook");
/// import(file.as_ref(), &book, IfExists::Refuse, "test", &Progress::hidden())?;
/// let report = cut(&book, &Cut::Depth(20), &Destination::InPlace, "test", &Progress::hidden())?;
/// let counts = report.counts;
/// assert_eq!((counts.kept, counts.removed, counts.depth), (682, 1565, Some(20)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the book can't be read, is damaged, or lacks the position to start from, and where the destination can't be
/// written or does not fit; everything is then as before.
pub fn cut(path: &Path, cut: &Cut, to: &Destination, context: &Context) -> Result<Report> {
    let progress = context.progress();
    let (counts, rewritten) = rewrite(path, to, context, |book| {
        let LinkedBook {
            graph,
            header,
            rules,
        } = book;
        progress.step("choosing", None);
        let kept = cut
            .kept(graph, header.rules, header.header.depth())
            .map_err(|refused| refused.of(path))?;
        let links = drop_links(graph, &kept, header.rules);
        negamax(graph, rules);
        if let Some(depth) = cut.new_depth() {
            header.header.set_depth(depth.into());
        }
        let count = kept.count();
        let counts = Counts {
            kept: count as u64,
            removed: (graph.len() - count) as u64,
            links,
            depth: header.header.depth(),
        };
        Ok((counts, kept))
    })?;
    Ok(Report { counts, rewritten })
}
