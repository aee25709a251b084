//! Best first: what most affects the root.

use super::Place;
use super::down::down_from;
use super::estimate::{uncertainty, work};
use crate::graph::{Graph, NodeId};
use crate::learn::{Chosen, Want};
use obook_converters::levels::{Strength, of_leaf};
use std::cmp::Ordering;
use std::f64::consts::{PI, SQRT_2};

/// Two moves are told apart by so many discs, however well they were searched: scores are whole discs.
const GRAIN: f64 = 0.25;
/// What a ply leaves of the influence: what a search below finds has in part been seen by the searches above it.
const DEEPER: f64 = 0.8;
/// What has at least this part of the highest priority is chosen along with it,
const ALONG: f64 = 0.5;
/// and of so many positions one at least, so that choosing takes a small part of the time.
const ONE_OF: usize = 64;

/// What a position's value is off by, and by what chance each of its moves is the best.
///
/// The values of moves are taken for independent and normal. Whichever of two is greater is off by what C. E. Clark, "The Greatest
/// of a Finite Set of Random Variables" (1961), gives; of several moves, one after the other is compared with the greatest of
/// those before.
#[derive(Clone, Copy)]
struct Normal {
    mean: f64,
    variance: f64,
}

impl Normal {
    fn new(mean: f64, deviation: f64) -> Normal {
        let k: f64 = std::env::var("K")
            .ok()
            .and_then(|k| k.parse().ok())
            .unwrap_or(1.0);
        let deviation = k * deviation.max(GRAIN);
        Normal {
            mean,
            variance: deviation * deviation,
        }
    }

    /// The greater of two, and the chance that it is the first.
    fn greater(self, other: Normal) -> (Normal, f64) {
        let deviation = (self.variance + other.variance).sqrt();
        let apart = (self.mean - other.mean) / deviation;
        let first = below(apart);
        let second = 1.0 - first;
        let height = deviation * density(apart);
        let mean = self.mean * first + other.mean * second + height;
        let square = |it: Normal| it.mean * it.mean + it.variance;
        let square =
            square(self) * first + square(other) * second + (self.mean + other.mean) * height;
        let variance = (square - mean * mean).max(0.0);
        (Normal { mean, variance }, first)
    }
}

/// Of the standard normal distribution,
fn density(at: f64) -> f64 {
    libm::exp(-0.5 * at * at) / (2.0 * PI).sqrt()
}

/// and how much of it lies below.
fn below(at: f64) -> f64 {
    0.5 * libm::erfc(-at / SQRT_2)
}

/// How far a normal value is expected to rise above something that lies so many deviations above its mean, as a part of how far
/// it is expected to rise at all.
fn rise_above(apart: f64) -> f64 {
    (density(apart) - apart * below(-apart)) / density(0.0)
}

/// A move of a position.
#[derive(Clone, Copy)]
enum To {
    Child(NodeId),
    Leaf,
}

/// The moves of one position: where each leads, what it is worth, and the chance that it is the best.
#[derive(Default)]
struct Moves {
    to: Vec<To>,
    worth: Vec<Normal>,
    chances: Vec<f64>,
}

/// How much it matters to the root that the value of a position rises, and that it falls, for its side to move.
#[derive(Clone, Copy, Default, PartialEq)]
struct Influence {
    rise: f64,
    fall: f64,
}

impl Influence {
    const fn of_root(weight: f64) -> Influence {
        Influence {
            rise: weight,
            fall: weight,
        }
    }
}

impl Moves {
    /// Reads the moves of a position; `off` is by how much the values of positions below are. Says how much its own is.
    fn read(&mut self, book: &Graph, id: NodeId, off: &[f32]) -> f32 {
        self.to.clear();
        self.worth.clear();
        self.chances.clear();
        let mut best: Option<Normal> = None;
        let links = book.links(id).filter_map(|link| {
            let child = link.child?;
            let value = book.value(child)?;
            let off = off.get(child.index()).copied().unwrap_or_default();
            Some((To::Child(child), Normal::new(-f64::from(value), off.into())))
        });
        let leaf = book.leaf(id).map(|leaf| {
            let off = of_the_leaf(book, id);
            (To::Leaf, Normal::new(leaf.score.into(), off))
        });
        for (to, value) in links.chain(leaf) {
            let chance = match best {
                None => {
                    best = Some(value);
                    1.0
                }
                Some(before) => {
                    let (greater, before) = before.greater(value);
                    best = Some(greater);
                    for chance in &mut self.chances {
                        *chance *= before;
                    }
                    1.0 - before
                }
            };
            self.to.push(to);
            self.worth.push(value);
            self.chances.push(chance);
        }
        match (best, &self.to[..]) {
            // The only move is as sure as what it leads to.
            (Some(_), [To::Child(child)]) => off.get(child.index()).copied().unwrap_or_default(),
            (Some(_), [To::Leaf]) => of_the_leaf(book, id) as f32,
            (best, _) => best.map_or(0.0, |best| best.variance.sqrt()) as f32,
        }
    }
}

/// By how much the score of a position's leaf is off.
fn of_the_leaf(book: &Graph, id: NodeId) -> f64 {
    let Some(leaf) = book.leaf(id).filter(|leaf| leaf.mv.is_some()) else {
        return 0.0;
    };
    let level = of_leaf(leaf, book.level(id), book.engine(id));
    uncertainty(leaf.engine, level, book.board(id).board().empties() as u8)
}

/// Each leaf has a priority: how much less the root's value would be off if the leaf were known better, for each position that the
/// engine visits to know it better.
///
/// ```text
/// priority = influence × uncertainty ÷ work
/// ```
///
/// Influence goes down from the root, where it is 1, in two kinds. That a position's value *rises* matters to the root; it rises if one
/// of its moves does, by as much of that move's uncertainty as would lift it above the best. That it *falls* matters, too; it falls
/// only if its best move does, which is each of its moves with some chance. What is a rise for one side is a fall for the other, so
/// on each line one side errs and the other plays its best, as in the tree that proves a value:
///
/// ```text
/// fall of the child = Σ over parents: rise of the parent × (part of the move's uncertainty above the parent's best)
/// rise of the child = Σ over parents: fall of the parent × (chance that the move is the parent's best)
/// ```
///
/// and the influence of a leaf is the sum of both, as if it were a child. Each ply leaves four fifths of it. The positions that the
/// owner of the book plays begin with their share of the games, as the root does with 1.
///
/// A leaf that was searched less well than the stage does is searched again, where that is worth more than its expansion; a leaf
/// that moves the root by less than `least` discs is left alone. Those are chosen whose priority is at least half of the highest,
/// or the first of 64 positions, whichever are more.
pub(super) fn choose(place: &Place<'_>, root: NodeId, least: f64) -> Vec<Chosen> {
    let book = place.book;
    let mut starts: Vec<(NodeId, Influence)> = Vec::new();
    let mut weight_of_root = 1.0;
    for (id, share) in place.played.shares(book) {
        match id == root {
            true => weight_of_root += share,
            false => starts.push((id, Influence::of_root(share))),
        }
    }
    starts.push((root, Influence::of_root(weight_of_root)));
    let last = starts.iter().map(|(id, _)| id.index()).max().unwrap_or(0);
    let mut moves = Moves::default();
    let mut off = vec![0.0_f32; last + 1];
    for at in 0..=last {
        let (below, here) = off.split_at_mut(at);
        here[0] = moves.read(book, book.id(at), below);
    }
    let mut chosen = Vec::new();
    down_from(place, &starts, |id, here, below| {
        moves.read(book, id, &off);
        let worth = moves.worth.iter().map(|worth| worth.mean);
        let best = worth.fold(f64::NEG_INFINITY, f64::max);
        for (at, to) in moves.to.iter().enumerate() {
            let worth = moves.worth[at];
            let short = (best - worth.mean) / worth.variance.sqrt();
            let rise = DEEPER * here.rise * rise_above(short);
            let fall = DEEPER * here.fall * moves.chances[at];
            match to {
                To::Child(child) => {
                    let child = &mut below[child.index()];
                    child.fall += rise;
                    child.rise += fall;
                }
                To::Leaf => chosen.extend(of_leaf_of(place, id, rise + fall, least)),
            }
        }
    });
    the_first(chosen, book.len())
}

/// What a leaf is wanted for, with its priority.
fn of_leaf_of(place: &Place<'_>, id: NodeId, influence: f64, least: f64) -> Option<Chosen> {
    let book = place.book;
    let (board, leaf) = (book.board(id), book.leaf(id)?);
    let empties = board.board().empties() as u8;
    let off = of_the_leaf(book, id);
    if influence * off < least {
        return None;
    }
    let again = work(place.engine, place.level, empties);
    let expansion = place.child_of_leaf(id).map(|child| {
        let work = again + work(place.engine, place.level, empties - 1);
        let chosen = place.chosen(child, Want::Position, None);
        (chosen, influence * off / work)
    });
    let level = of_leaf(leaf, book.level(id), book.engine(id));
    let strength = Strength::new(leaf.engine, level, empties);
    let own = Strength::new(place.engine, Some(place.level), empties);
    let search = own.searches_more_than(strength).then(|| {
        let left = uncertainty(place.engine, Some(place.level), empties);
        let gain = (off * off - left * left).max(0.0).sqrt();
        let chosen = place.chosen(board, Want::Leaf, None);
        (chosen, influence * gain / again)
    });
    let by_priority = |a: &(Chosen, f64), b: &(Chosen, f64)| a.1.total_cmp(&b.1);
    let (chosen, priority) = [expansion, search]
        .into_iter()
        .flatten()
        .max_by(by_priority)?;
    Some(Chosen { priority, ..chosen })
}

/// Those that are searched now: what several leaves lead to matters to each of their positions.
fn the_first(mut chosen: Vec<Chosen>, positions: usize) -> Vec<Chosen> {
    chosen.sort_by_key(|it| it.board);
    chosen.dedup_by(|it, before| {
        let same = it.board == before.board;
        if same {
            before.priority += it.priority;
        }
        same
    });
    let highest_first = |a: &Chosen, b: &Chosen| -> Ordering {
        let by_priority = b.priority.total_cmp(&a.priority);
        by_priority.then_with(|| a.board.cmp(&b.board))
    };
    chosen.sort_unstable_by(highest_first);
    let highest = chosen.first().map_or(0.0, |it| it.priority);
    let along = chosen.partition_point(|it| it.priority >= ALONG * highest);
    chosen.truncate(along.max(positions / ONE_OF));
    chosen
}
