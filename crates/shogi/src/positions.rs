//! The positions of a book in a few tables, and the moves between them.

use crate::book::Book;
use crate::fingerprint::Fingerprints;
use crate::scores::MATE;
use crate::{Entry, Move, Packed};
use obook_cycles::{Edge, Graph, Own, Score, exact};
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// The positions of a book, numbered in the order of their keys, as a game.
///
/// A book of ten million has to fit in memory, so there is nothing here but tables of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    keys: Vec<Packed>,
    /// The smallest ply that the book has for each; 0 if it has none.
    plies: Vec<u32>,
    movers: Vec<Mover>,
    links: Lists<(Move, u32)>,
    leaves: Lists<(Move, i16)>,
}

/// The state of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mover {
    Free,
    Checked,
    Mated,
}

/// Positions whose moves are found at a time.
const AT_ONCE: usize = 1 << 14;

impl Positions {
    /// Those of a book. If it has several records of a position, the moves of all of them count, and of several scores of one move
    /// the last.
    pub(crate) fn of(book: &Book) -> Self {
        let keyed = book
            .entries
            .par_iter()
            .map(|entry| (entry.board.key(), entry));
        let mut keyed: Vec<(Packed, &Entry)> = keyed.collect();
        keyed.par_sort_by_key(|&(key, _)| key);
        let mut positions = Self::default();
        for records in keyed.chunk_by(|one, two| one.0 == two.0) {
            let plies = records.iter().map(|(_, entry)| entry.ply.unwrap_or(0));
            let moves = records.iter().flat_map(|(_, entry)| {
                let turn = entry.board.turn();
                let listed = entry.moves.iter();
                listed.map(move |listed| (listed.mv.seen_by(turn), listed.score))
            });
            positions.push(records[0].0, plies.min().unwrap_or(0), moves);
        }
        positions
    }

    /// Adds a position with its listed moves, as the canonical position has them. Keys grow.
    pub(crate) fn push(
        &mut self,
        key: Packed,
        ply: u32,
        moves: impl Iterator<Item = (Move, Option<Score>)>,
    ) {
        debug_assert!(self.keys.last().is_none_or(|&last| last < key));
        self.keys.push(key);
        self.plies.push(ply);
        let mut leaves: Vec<(Move, i16)> = Vec::new();
        for (mv, score) in moves {
            let score = score.unwrap_or(0).clamp(-MATE, MATE);
            let score = i16::try_from(score).expect("no score is above a mate");
            leaves.retain(|leaf| leaf.0 != mv);
            leaves.push((mv, score));
        }
        self.leaves.push(leaves);
    }

    /// Finds all moves between the positions, and what the rules say about these.
    pub(crate) fn link(&mut self) {
        let fingerprints = Fingerprints::new(self.keys.par_iter().map(Packed::unpacked));
        let linked = |at: usize| {
            let board = self.keys[at].unpacked();
            let mover = match (board.is_check(), board.is_lost()) {
                (_, true) => Mover::Mated,
                (true, false) => Mover::Checked,
                (false, false) => Mover::Free,
            };
            let children = fingerprints.children(&board).into_iter();
            let links = children.filter_map(|(mv, child)| Some((mv, self.number(child.key())?)));
            let mut links: Vec<(Move, u32)> = links.collect();
            // Listed moves come first, in the order of the book.
            let listed = self.leaves.get(at);
            let place = |mv| listed.iter().position(|leaf| leaf.0 == mv);
            links.sort_by_key(|&(mv, _)| place(mv).unwrap_or(usize::MAX));
            (mover, links)
        };
        let (mut movers, mut lists) = (Vec::with_capacity(self.keys.len()), Lists::default());
        for first in (0..self.keys.len()).step_by(AT_ONCE) {
            let part = first..self.keys.len().min(first + AT_ONCE);
            let part: Vec<(Mover, Vec<(Move, u32)>)> = part.into_par_iter().map(linked).collect();
            for (mover, links) in part {
                movers.push(mover);
                lists.push(links);
            }
        }
        (self.movers, self.links) = (movers, lists);
        self.drop_links_without_a_score();
        let Self { links, leaves, .. } = self;
        leaves.retain(|at, leaf| links.get(at).iter().all(|link| link.0 != leaf.0));
    }

    /// Removes links to positions about which nothing is known, so that what the book says about the move counts.
    fn drop_links_without_a_score(&mut self) {
        if (0..self.nodes()).all(|number| self.payoff(number).is_some()) {
            return;
        }
        let scores = exact(self);
        (self.links).retain(|_, &(_, child)| scores.own(child) != Own::NoScore);
    }

    pub(crate) fn number(&self, key: Packed) -> Option<u32> {
        self.keys.binary_search(&key).ok().map(|at| at as u32)
    }

    pub(crate) fn key(&self, number: u32) -> Packed {
        self.keys[number as usize]
    }

    pub(crate) fn ply(&self, number: u32) -> u32 {
        self.plies[number as usize]
    }

    /// Moves to other positions, listed ones first, in the order of the book.
    pub(crate) fn links(&self, number: u32) -> &[(Move, u32)] {
        self.links.get(number as usize)
    }

    /// Listed moves that aren't links, or lead to positions without a score, in the order of the book.
    pub(crate) fn leaves(&self, number: u32) -> impl Iterator<Item = (Move, Score)> {
        let leaves = self.leaves.get(number as usize).iter();
        leaves.map(|&(mv, score)| (mv, Score::from(score)))
    }

    /// The best leaf if each has a score that is made of its own.
    pub(crate) fn payoff_with(&self, number: u32, made: impl Fn(Score) -> Score) -> Option<Score> {
        match self.movers[number as usize] {
            Mover::Mated => Some(-MATE),
            _ => self.leaves(number).map(|(_, score)| made(score)).max(),
        }
    }
}

impl Graph for Positions {
    fn nodes(&self) -> u32 {
        self.keys.len() as u32
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        self.links(node).iter().map(|&(_, child)| Edge::turn(child))
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        self.payoff_with(node, |score| score)
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn perpetual(&self) -> Option<Score> {
        Some(MATE)
    }
    fn checked(&self, node: u32) -> bool {
        self.movers[node as usize] != Mover::Free
    }
    fn rank(&self, node: u32) -> u32 {
        self.ply(node)
    }
    fn limit(&self) -> Score {
        MATE
    }
}

/// Lists in one table, one after another.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: Copy> Lists<T> {
    /// Adds a list.
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    pub(crate) fn get(&self, list: usize) -> &[T] {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[list]]
    }

    /// Keeps the items that are wanted.
    fn retain(&mut self, is_wanted: impl Fn(usize, &T) -> bool) {
        let (mut kept, mut start) = (0, 0);
        for list in 0..self.ends.len() {
            let end = self.ends[list];
            for at in start..end {
                if is_wanted(list, &self.items[at]) {
                    self.items[kept] = self.items[at];
                    kept += 1;
                }
            }
            (start, self.ends[list]) = (end, kept);
        }
        self.items.truncate(kept);
    }
}
