//! Best first: what most affects the root.

use super::setting::{Choice, Setting, child_of_leaf, down_from, replies};
use crate::{Chosen, Want};
use obook_graph::slabs::Slabs;
use obook_othello::levels::{Effort, of_leaf};
use obook_othello::{CanonicalBoard, Engine};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::HashSet;

/// An error of this many times a move's uncertainty leaves 1/e of the influence.
const ERROR: f64 = 0.8;
/// The part of the influence that a ply leaves: searches above have seen in part what a search below finds.
const PLY: f64 = 0.95;
/// The least uncertainty in discs, however good a search is: scores are whole discs.
const GRAIN: f64 = 0.25;
/// Everything with at least this part of the highest priority is chosen along with it,
const ALONG: f64 = 0.2;
/// or with this power of the number of positions, if that is less: the larger the book, the more is chosen.
const WIDENING: f64 = -0.4;
/// At least one in this many positions is chosen, so that choosing takes a small part of the time.
const ONE_OF: u64 = 64;

/// Reads the limit: some number of discs.
pub(crate) fn least<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let least = f64::deserialize(from)?;
    match least.is_finite() && least >= 0.0 {
        true => Ok(least),
        false => Err(D::Error::custom(format!(
            "least = {least}: expected a number of discs from 0"
        ))),
    }
}

/// How much a position's value matters to the root, if its side to move is the one that errs, and if the other side is.
#[derive(Clone, Copy, Default, PartialEq)]
struct Influence {
    errs: f64,
    plays_best: f64,
}

impl Influence {
    const fn of(weight: f64) -> Influence {
        Influence {
            errs: weight,
            plays_best: weight,
        }
    }

    /// The influence behind a move that loses this many discs, if scores are off by `off`.
    fn after(self, loss: f64, off: f64) -> Influence {
        let error = libm::exp(-loss / (ERROR * off.max(GRAIN)));
        Influence {
            errs: match loss > 0.0 {
                true => 0.0,
                false => PLY * self.plays_best,
            },
            plays_best: PLY * self.errs * error,
        }
    }

    fn greatest(self, other: Influence) -> Influence {
        Influence {
            errs: self.errs.max(other.errs),
            plays_best: self.plays_best.max(other.plays_best),
        }
    }
}

/// Each leaf has a priority: how much more certain the root's value would be if the leaf were known better, for each position that
/// the engine visits to find out.
///
/// ```text
/// priority = influence × uncertainty ÷ work
/// influence = greatest over lines from the root: Π over moves: 0.95 × exp(−loss ÷ (0.8 × uncertainty))
/// ```
///
/// On each line one side errs and the other plays its best, as in the two trees that prove a value from above and from below: the
/// root's value moves only if one side's error turns out not to be one. `loss` is how many discs a move is worse than the best move
/// of its position. A move's uncertainty is that of its leaf, or, for a link, that of the stage's searches. So lines are as wide as
/// the searches are uncertain. The positions that the owner of the book plays begin with their share of the games, and the root with
/// 1.
///
/// A leaf from a weaker search than the stage's is searched again if that is worth more than its expansion. A leaf that moves the
/// root by less than `least` discs is left alone.
///
/// Chosen is everything with at least a fifth of the highest priority, or the −0.4th power of the number of positions, and at least one
/// in 64 positions. Searches of odd and of even depth err differently; choosing many at once deepens lines that are compared
/// evenly. Choosing only the very best, one by one, decided the root less well.
pub(crate) fn choose(book: &mut Slabs, setting: &Setting<'_>, least: f64) -> Choice {
    let shares = setting.played.shares();
    let starts: Vec<(CanonicalBoard, Influence)> = shares
        .filter(|(board, _)| *board != setting.root)
        .map(|(board, share)| (board, Influence::of(share)))
        .chain([(setting.root, Influence::of(1.0))])
        .collect();
    let positions = book.len();
    let sift = |chosen: &mut Vec<Chosen>| keep_the_first(chosen, positions);
    down_from(book, setting, &starts, sift, |book, id, here, below| {
        let value = f64::from(book.value(id)?);
        let empties = book.board(id).board().empties() as u8;
        let wanted = uncertainty(setting.engine, Some(setting.level), empties);
        for (child, reply) in replies(book, id) {
            let loss = (value + f64::from(reply)).max(0.0);
            let child = &mut below[child.index()];
            *child = child.greatest(here.after(loss, wanted));
        }
        let leaf = book.leaf(id)?;
        let level = of_leaf(leaf, book.level(id), book.engine(id));
        let of_search = |_| uncertainty(leaf.engine, level, empties);
        // The score of a finished game is certain.
        let off = leaf.mv.map_or(0.0, of_search);
        let loss = (value - f64::from(leaf.score)).max(0.0);
        let behind = here.after(loss, off);
        let influence = behind.errs.max(behind.plays_best);
        if influence <= 0.0 || influence * off < least {
            return None;
        }
        let again = work(setting.engine, setting.level, empties);
        let expansion = child_of_leaf(book, id).map(|child| {
            let work = again + work(setting.engine, setting.level, empties - 1);
            let chosen = Chosen::new(child, Want::Position, None);
            (chosen, influence * off / work)
        });
        let search = setting.deepening(book, id).map(|chosen| {
            let gain = (off * off - wanted * wanted).max(0.0).sqrt();
            (chosen, influence * gain / again)
        });
        let by_priority = |a: &(Chosen, f64), b: &(Chosen, f64)| a.1.total_cmp(&b.1);
        let (chosen, priority) = expansion.into_iter().chain(search).max_by(by_priority)?;
        Some(Chosen { priority, ..chosen })
    })
}

/// Keeps the boards to search now, of those in a part of the book as of those in all of it. A board that several leaves lead to has
/// the highest of their priorities.
fn keep_the_first(chosen: &mut Vec<Chosen>, positions: u64) {
    chosen.sort_unstable_by(Chosen::highest_first);
    let mut seen = HashSet::new();
    chosen.retain(|it| seen.insert(it.board));
    let highest = chosen.first().map_or(0.0, |it| it.priority);
    let part = libm::pow(positions as f64, WIDENING).min(ALONG);
    let along = chosen.partition_point(|it| it.priority >= part * highest);
    let least = usize::try_from(positions / ONE_OF).unwrap_or(usize::MAX);
    chosen.truncate(along.max(least));
}

/// How many discs a score is off: the standard deviation of its error.
///
/// A search that reaches the end is off by one disc if one in four of its cuts may be wrong, and by nothing if none may be. An
/// evaluation without a search is off by more discs the fewer squares are empty, and each ply of search takes away 7.5 %. This
/// fits the tables of the engine inside in `docs/research/evaluator.md`. Other engines are better at the same depth, all by about the same
/// part, which does not change the order of their leaves.
fn uncertainty(engine: Engine, level: Option<u8>, empties: u8) -> f64 {
    let search = level.map(|level| Effort::new(engine, level, empties));
    let depth = match search {
        Some(search) if search.to_the_end => return f64::from(100 - search.probability) / 25.0,
        Some(search) => search.depth,
        None => 0,
    };
    let without = 1.7 + 0.13 * f64::from(57u8.saturating_sub(empties));
    without * libm::pow(0.925, depth.into())
}

/// About how many positions a search visits.
///
/// Measured with the engine inside: the number doubles with every two thirds of a ply as long as nothing is pruned, with every 1.6
/// plies if much is, and with nearly every empty square if the game is searched to its end.
fn work(engine: Engine, level: u8, empties: u8) -> f64 {
    let search = Effort::new(engine, level, empties);
    let depth = f64::from(search.depth);
    let doublings = if search.to_the_end {
        depth * (0.75 + f64::from(search.probability) / 250.0)
    } else if search.probability == 100 {
        4.0 + 1.5 * depth
    } else {
        9.3 + 0.63 * depth
    };
    libm::exp2(doublings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_searches_are_surer_and_take_longer() {
        for empties in [16, 30, 44, 58] {
            for level in 0..30 {
                let of = |level| uncertainty(Engine::Obook, Some(level), empties);
                assert!(of(level + 1) <= of(level), "{level} {empties}");
                assert!(of(level) <= uncertainty(Engine::Obook, None, empties));
            }
            let work = |level| work(Engine::Obook, level, empties);
            assert!(work(4) < work(8), "{empties}");
            // Few squares are solved by any of these.
            assert_eq!(work(12) < work(24), empties > 21, "{empties}");
        }
        assert_eq!(uncertainty(Engine::Edax, Some(30), 30), 0.0);
        assert_eq!(uncertainty(Engine::Edax, Some(30), 31), 0.08);
    }
}
