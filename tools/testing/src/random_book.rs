//! Random books of random games to the end, with passes, symmetric positions, finished games, gaps, and nonsense links and
//! numbers.

use obook_graph::Graph;
use obook_othello::{
    Board, Bounds, CanonicalBoard, Engine, Leaf, Line, Link, Move, NoLeaf, Outcomes, Position,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A book by canonical key.
pub type Book = BTreeMap<CanonicalBoard, Position>;

/// How to make a book. Every random choice follows from the seed.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of games.
    pub games: usize,
    /// The percentage of the games' positions that are in the book.
    pub kept: u64,
    /// The number of moves after which half of the games branch off, so that positions share children.
    pub branch: usize,
}

/// Any recipe.
pub fn recipes() -> impl Strategy<Value = Recipe> {
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

/// A random number generator, SplitMix64.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    /// A random number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn maybe<T>(&mut self, percent: u64, made: impl FnOnce(&mut Random) -> T) -> Option<T> {
        (self.below(100) < percent).then(|| made(self))
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
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
    /// A book with nonsense numbers and links.
    pub fn book(&self) -> Book {
        let random = &mut Random(self.seed);
        let mut book = Book::new();
        let trunk = self.trunk(random).board();
        for game in 0..self.games {
            let mut board = if game % 2 == 0 { trunk } else { Board::START };
            loop {
                // A finished game is sometimes stored as the other side's view, as Egaroucid may have it, or as both.
                let views = match board.is_over().then(|| random.below(5)) {
                    Some(0) => vec![board, board.passed()],
                    Some(1 | 2) => vec![board.passed()],
                    _ => vec![board],
                };
                for view in views {
                    if random.below(100) < self.kept {
                        let board = view.canonical();
                        let position = nonsense(board, random);
                        book.entry(board).or_insert(position);
                    }
                }
                let Some(mv) = random.pick(board) else { break };
                board = board.play(mv).unwrap();
            }
        }
        book
    }

    /// The moves before games branch off.
    pub fn trunk(&self, random: &mut Random) -> Line {
        let mut trunk = Line::new();
        for _ in 0..self.branch {
            let Some(mv) = random.pick(trunk.board()) else {
                break;
            };
            trunk.push(mv).unwrap();
        }
        trunk
    }

    /// A book without pass positions, like Egaroucid's.
    pub fn book_without_passes(&self) -> Book {
        let mut book = self.book();
        book.retain(|board, _| !board.board().must_pass());
        book
    }
}

/// A record with random fields, some unknown and some impossible.
fn nonsense(board: CanonicalBoard, random: &mut Random) -> Position {
    let score = |random: &mut Random| (random.below(129) as i16 - 64) as i8;
    let number = |random: &mut Random| random.below(1 << 32) as u32;
    let mut position = Position::new(board, Engine::Edax);
    if random.below(4) == 0 {
        position.engine = Engine::ALL[random.below(3) as usize];
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
            0 => Engine::ALL[random.below(3) as usize],
            _ => position.engine,
        },
    });
    if position.leaf.is_none() {
        position.no_leaf = random.maybe(60, |random| NoLeaf::ALL[random.below(2) as usize]);
    }
    position
}

/// Makes a graph of the positions, with their links.
pub fn graph_of(positions: impl IntoIterator<Item = Position>) -> Graph {
    let mut builder = Graph::builder();
    positions
        .into_iter()
        .for_each(|position| builder.push(position));
    builder.finish().unwrap().0
}

/// A random game's positions and most positions a few plies below its last, with many transpositions and, near the end
/// of the game, passes.
pub fn bush(random: &mut Random, trunk: usize, height: usize) -> BTreeSet<CanonicalBoard> {
    let mut board = Board::START;
    let mut boards = BTreeSet::from([board.canonical()]);
    for _ in 0..trunk {
        let moves: Vec<_> = board.moves().collect();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        board = board.play(mv).unwrap();
        boards.insert(board.canonical());
    }
    let mut layer = vec![board.canonical()];
    for _ in 0..height {
        let children = layer.iter().flat_map(|board| board.board().children());
        let mut next: Vec<_> = children.map(|(_, child)| child.canonical()).collect();
        next.retain(|_| random.below(4) > 0);
        boards.extend(&next);
        layer = next;
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::samples;
    use std::collections::BTreeSet;

    /// The books have everything that the laws tested with them are about.
    #[test]
    fn the_books_are_worth_testing() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut count = |what, there: bool| *counts.entry(what).or_default() += usize::from(there);
        for recipe in samples(&recipes(), 256) {
            let book = recipe.book();
            let with_person = |position: &Position| position.level == Some(70);
            for (canonical, position) in &book {
                let board = canonical.board();
                let other = book.contains_key(&board.passed().canonical());
                count("a pass into the book", board.must_pass() && other);
                count("a pass out of the book", board.must_pass() && !other);
                count("a finished game", board.is_over());
                let views = board.passed().canonical() != *canonical && other;
                count("both views of a finished game", board.is_over() && views);
                count(
                    "a person's value",
                    with_person(position) && position.value.is_some(),
                );
                count(
                    "a person's level",
                    with_person(position) && position.value.is_none(),
                );
                count("Egaroucid's", position.engine == Engine::Egaroucid);
                let moves: BTreeSet<Move> = position.links.iter().map(|link| link.mv).collect();
                count("a move twice", moves.len() < position.links.len());
                let inside = |mv| {
                    let child = board.play(mv).map(Board::canonical);
                    child.is_some_and(|child| book.contains_key(&child))
                };
                count("a link into the book", moves.iter().any(|mv| inside(*mv)));
                count(
                    "a link out of the book",
                    moves.iter().any(|mv| !inside(*mv)),
                );
                let leaf = position.leaf.and_then(|leaf| leaf.mv);
                count("a leaf in the book", leaf.is_some_and(inside));
                count("a leaf out of the book", leaf.is_some_and(|mv| !inside(mv)));
                let children: BTreeSet<_> = board
                    .children()
                    .map(|(_, child)| child.canonical())
                    .collect();
                count(
                    "two moves to one child",
                    children.len() < board.moves().count(),
                );
                let over_elsewhere = board.children().any(|(_, child)| {
                    let view = child.passed().canonical();
                    child.is_over()
                        && !book.contains_key(&child.canonical())
                        && book.contains_key(&view)
                });
                count("a game that ends in the other view", over_elsewhere);
            }
        }
        assert_eq!(counts.len(), 14);
        assert!(counts.values().all(|count| *count > 20), "{counts:#?}");
    }
}
