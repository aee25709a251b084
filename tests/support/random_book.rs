//! Random books: games played at random to their end, so that passes, symmetric positions and finished games are in
//! them, with gaps, nonsense links and nonsense numbers.

use obook_book::graph::Graph;
use obook_converters::{Bounds, Engine, Leaf, Link, NoLeaf, Outcomes, Position};
use obook_othello::{Board, CanonicalBoard, Move};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A book without two records of the same board, by canonical key.
pub(crate) type Book = BTreeMap<CanonicalBoard, Position>;

/// How a book is made; every choice comes from the seed.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    seed: u64,
    games: usize,
    /// Share of the games' positions that are in the book, in percent.
    kept: u64,
    /// Games branch off after so many moves, so that positions share children.
    branch: usize,
}

pub(crate) fn recipes() -> impl Strategy<Value = Recipe> {
    (
        any::<u64>(),
        1..12usize,
        prop_oneof![Just(100), 60..100u64],
        0..58usize,
    )
        .prop_map(|(seed, games, kept, branch)| Recipe {
            seed,
            games,
            kept,
            branch,
        })
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn maybe<T>(&mut self, percent: u64, made: impl FnOnce(&mut Random) -> T) -> Option<T> {
        (self.below(100) < percent).then(|| made(self))
    }

    /// Any order of the items.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }

    fn pick(&mut self, board: Board) -> Option<Move> {
        let moves: Vec<Move> = board.moves().collect();
        let place = self.below(moves.len().max(1) as u64) as usize;
        moves.get(place).copied()
    }
}

impl Recipe {
    /// The book, its numbers and links nonsense.
    pub(crate) fn book(&self) -> Book {
        let random = &mut Random(self.seed);
        let mut book = Book::new();
        let mut trunk = Board::START;
        for _ in 0..self.branch {
            let Some(mv) = random.pick(trunk) else { break };
            trunk = trunk.play(mv).unwrap();
        }
        for game in 0..self.games {
            let mut board = if game % 2 == 0 { trunk } else { Board::START };
            loop {
                // Now and then the other side's view too, which is how Egaroucid may hold a finished game.
                let view = if board.is_over() && random.below(2) == 0 {
                    board.passed()
                } else {
                    board
                };
                if random.below(100) < self.kept {
                    let board = view.canonical();
                    let position = nonsense(board, random);
                    book.entry(board).or_insert(position);
                }
                let Some(mv) = random.pick(board) else { break };
                board = board.play(mv).unwrap();
            }
        }
        book
    }

    /// The same without positions that must pass, as Egaroucid keeps books.
    pub(crate) fn book_without_passes(&self) -> Book {
        let mut book = self.book();
        book.retain(|board, _| !board.board().must_pass());
        book
    }
}

/// A record whose fields are known or not, possible or not, as chance has it.
fn nonsense(board: CanonicalBoard, random: &mut Random) -> Position {
    let score = |random: &mut Random| (random.below(129) as i16 - 64) as i8;
    let number = |random: &mut Random| random.below(1 << 32) as u32;
    let mut position = Position::new(board, Engine::Edax);
    if random.below(4) == 0 {
        position.engine = Engine::Egaroucid;
    }
    position.value = random.maybe(90, |random| score(random).into());
    position.level = random.maybe(90, |random| random.below(71) as u8);
    position.lines = random.maybe(80, number);
    position.bounds = random.maybe(80, |random| Bounds {
        lower: score(random).into(),
        upper: score(random).into(),
    });
    position.outcomes = random.maybe(80, |random| Outcomes {
        wins: number(random),
        draws: number(random),
        losses: number(random),
    });
    let links = random.below(4);
    position.links.extend((0..links).map(|_| Link {
        mv: Move::from_code(random.below(65) as u8).unwrap(),
        score: random.maybe(80, score),
    }));
    position.leaf = random.maybe(70, |random| Leaf {
        mv: random.pick(board.board()),
        score: score(random),
        level: random.maybe(50, |random| random.below(61) as u8),
        engine: match random.below(8) {
            0 => Engine::Egaroucid,
            _ => position.engine,
        },
    });
    if position.leaf.is_none() {
        position.no_leaf = random.maybe(60, |random| NoLeaf::ALL[random.below(2) as usize]);
    }
    position
}

/// The positions as a graph, links as they are given.
pub(crate) fn graph_of(positions: impl IntoIterator<Item = Position>) -> Graph {
    let mut builder = Graph::builder();
    positions
        .into_iter()
        .for_each(|position| builder.push(position));
    builder.finish().unwrap().0
}
