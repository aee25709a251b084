//! The positions of a book in a few tables, and the moves between them.

use crate::book::Book;
use crate::fingerprint::Fingerprints;
use crate::scores::MATE;
use crate::{Colour, Move, Packed};
use obook_cycles::{Edge, Graph, Own, Score, exact};
use rayon::prelude::*;
use std::num::NonZeroU16;
use std::ops::RangeInclusive;

/// The positions of a book, numbered in the order of their keys, as a game.
///
/// A book of ten million has to fit in memory, so there is nothing here but tables of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    keys: Vec<Packed>,
    /// The records of each with Black to move and with White to move.
    records: Vec<[Option<Recorded>; 2]>,
    movers: Vec<Mover>,
    links: Lists<(Move, u32)>,
    leaves: Lists<(Move, i16)>,
}

/// A record of a position with this side to move: its ply, if known. Takes no more space than a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// One more than the ply; 1 if that isn't known.
    next: NonZeroU16,
}

impl Recorded {
    /// A ply beyond 65 534 becomes that: no game is so long.
    pub(crate) fn at(ply: Option<u32>) -> Recorded {
        let ply = u16::try_from(ply.unwrap_or(0)).unwrap_or(u16::MAX);
        Recorded {
            next: NonZeroU16::MIN.saturating_add(ply),
        }
    }

    fn ply(self) -> Option<u32> {
        Some(u32::from(self.next.get() - 1)).filter(|&ply| ply > 0)
    }
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
    /// The positions of a book. If it has several records of a position, the moves of all of them count, and of several scores of one move
    /// the last.
    pub(crate) fn of(book: &Book) -> Self {
        let mut positions = Self::default();
        for (key, entries) in book.by_position() {
            let recorded = Colour::ALL.map(|side| {
                let entries = entries.iter().filter(|entry| entry.board.turn() == side);
                let mut entries = entries.peekable();
                entries.peek()?;
                Some(Recorded::at(entries.filter_map(|entry| entry.ply).min()))
            });
            let moves = entries.iter().flat_map(|entry| {
                let turn = entry.board.turn();
                let listed = entry.moves.iter();
                listed.map(move |listed| (listed.mv.seen_by(turn), listed.score))
            });
            positions.push(key, recorded, moves);
        }
        positions
    }

    /// Adds a position with its records, with Black and with White to move, and with its listed moves, as the canonical position has
    /// them. Keys grow.
    pub(crate) fn push(
        &mut self,
        key: Packed,
        records: [Option<Recorded>; 2],
        moves: impl Iterator<Item = (Move, Option<Score>)>,
    ) {
        debug_assert!(self.keys.last().is_none_or(|&last| last < key));
        self.keys.push(key);
        self.records.push(records);
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
        let game = self.own_game();
        if (0..self.len()).all(|number| game.payoff(number).is_some()) {
            return;
        }
        let scores = exact(&game);
        (self.links).retain(|_, &(_, child)| scores.own(child) != Own::NoScore);
    }

    /// Their number.
    pub(crate) fn len(&self) -> u32 {
        self.keys.len() as u32
    }

    pub(crate) fn number(&self, key: Packed) -> Option<u32> {
        self.keys.binary_search(&key).ok().map(|at| at as u32)
    }

    pub(crate) fn key(&self, number: u32) -> Packed {
        self.keys[number as usize]
    }

    /// The smallest ply that the book has for a position; 0 if it has none.
    pub(crate) fn ply(&self, number: u32) -> u32 {
        let plies = Colour::ALL.map(|side| self.ply_of(number, side));
        plies.into_iter().flatten().min().unwrap_or(0)
    }

    /// The ply in the record with this side to move.
    pub(crate) fn ply_of(&self, number: u32, side: Colour) -> Option<u32> {
        self.records[number as usize][side as usize].and_then(Recorded::ply)
    }

    /// Whether there is a record with this side to move.
    pub(crate) fn has_record(&self, number: u32, side: Colour) -> bool {
        self.records[number as usize][side as usize].is_some()
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

    /// Whether the side to move has lost.
    pub(crate) fn is_mate(&self, number: u32) -> bool {
        self.movers[number as usize] == Mover::Mated
    }

    /// The game of own scores, in which the sides don't differ.
    pub(crate) fn own_game(&self) -> Game<'_> {
        Game {
            positions: self,
            sides_differ: false,
            made: |score, _| score,
            by: [0; 2],
            limit: MATE,
            max_moves: None,
        }
    }
}

/// The positions as a game. If its sides differ, position `n` is there twice: as node `2n` with one side to move, and as `2n + 1` with
/// the other. Otherwise it is node `n`.
pub(crate) struct Game<'p> {
    pub(crate) positions: &'p Positions,
    pub(crate) sides_differ: bool,
    /// Makes a score of the book one of this game, given the number in `by` for the side to move.
    pub(crate) made: fn(Score, Score) -> Score,
    /// A number for each side.
    pub(crate) by: [Score; 2],
    /// The largest score, which is also the cost of perpetual check.
    pub(crate) limit: Score,
    /// The number of moves after which the game is a draw, unless the last one mates. The first side is Black then.
    pub(crate) max_moves: Option<NonZeroU16>,
}

impl Game<'_> {
    fn number(&self, node: u32) -> u32 {
        node >> u32::from(self.sides_differ)
    }

    fn is_second(&self, node: u32) -> bool {
        self.sides_differ && node % 2 == 1
    }

    fn made(&self, node: u32, score: Score) -> Score {
        (self.made)(score, self.by[usize::from(self.is_second(node))])
    }

    /// Whether no move decides anything any more, but one that mates.
    fn is_last(&self, node: u32) -> bool {
        self.max_moves.is_some_and(|most| {
            let (book, number) = (self.positions, self.number(node));
            let ply = book.ply_of(number, Colour::white_if(self.is_second(node)));
            let is_late = ply.is_some_and(|ply| ply >= most.get().into());
            // Nothing is known of a position without moves.
            let has_moves =
                || book.leaves(number).next().is_some() || !book.links(number).is_empty();
            is_late && !book.is_mate(number) && has_moves()
        })
    }

    /// The moves to other positions, listed ones first, in the order of the book, and whether the game goes on after each.
    fn moves(&self, node: u32) -> impl Iterator<Item = (Move, u32, bool)> {
        let is_last = self.is_last(node);
        let links = self.positions.links(self.number(node)).iter();
        links.map(move |&(mv, child)| {
            let goes_on = !is_last || self.positions.is_mate(child);
            let child = match self.sides_differ {
                true => 2 * child + (1 - node % 2),
                false => child,
            };
            (mv, child, goes_on)
        })
    }

    /// The moves after which the game goes on.
    pub(crate) fn links(&self, node: u32) -> impl Iterator<Item = (Move, u32)> {
        let moves = self.moves(node).filter(|&(_, _, goes_on)| goes_on);
        moves.map(|(mv, child, _)| (mv, child))
    }

    /// The moves that end a line, with their scores.
    pub(crate) fn leaves(&self, node: u32) -> impl Iterator<Item = (Move, Score)> {
        let number = self.number(node);
        let is_last = self.is_last(node);
        let last = is_last.then(|| self.positions.key(number).unpacked());
        let leaves = self.positions.leaves(number).map(move |(mv, score)| {
            let score = match &last {
                None => self.made(node, score),
                Some(board) if board.play(mv).is_some_and(|next| next.is_lost()) => {
                    self.made(node, MATE)
                }
                Some(_) => 0,
            };
            (mv, score)
        });
        let moves = is_last.then(|| self.moves(node)).into_iter().flatten();
        let drawn = moves.filter(|&(_, _, goes_on)| !goes_on);
        leaves.chain(drawn.map(|(mv, _, _)| (mv, 0)))
    }
}

impl Graph for Game<'_> {
    fn nodes(&self) -> u32 {
        self.positions.len() << u32::from(self.sides_differ)
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        self.links(node).map(|(_, child)| Edge::turn(child))
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        match self.positions.is_mate(self.number(node)) {
            true => Some(self.made(node, -MATE)),
            false => self.leaves(node).map(|(_, score)| score).max(),
        }
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn perpetual(&self) -> Option<Score> {
        Some(self.limit)
    }
    fn checked(&self, node: u32) -> bool {
        self.positions.movers[self.number(node) as usize] != Mover::Free
    }
    fn rank(&self, node: u32) -> u32 {
        self.positions.ply(self.number(node))
    }
    fn limit(&self) -> Score {
        self.limit
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
