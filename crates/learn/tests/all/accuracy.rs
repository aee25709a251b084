//! Accuracy grades of books that the engine grew: what counts as exact is exact.

use obook_engine::{Inside, Request, Searcher as _};
use obook_graph::accuracy::{Accuracy, Grade, Grading};
use obook_graph::negamax::Scoring;
use obook_othello::levels::Effort;
use obook_othello::{Board, CanonicalBoard, Engine, Position};
use obook_testing::exhaustive::exhaustive;
use obook_testing::golden;
use obook_testing::growing::{Growing, Stage};
use obook_testing::random_book::Random;
use obook_testing::samples::samples;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

type Book = BTreeMap<CanonicalBoard, Position>;

const SCORING: Scoring = Scoring::Edax {
    midgame_error: 2,
    endcut_error: 1,
};

/// A position of a random game with so few empty squares that it can be searched exhaustively.
fn late(random: &mut Random) -> Board {
    loop {
        let empties = 7 + random.below(3) as u32;
        let mut board = Board::START;
        while board.empties() > empties && !board.is_over() {
            let children: Vec<Board> = board.children().map(|(_, child)| child).collect();
            board = children[random.below(children.len() as u64) as usize];
        }
        if !board.is_over() {
            return board;
        }
    }
}

/// A book below a late position, grown by random moves and searched at levels that solve 2, 4 or 6 empty squares.
fn grown(seed: u64) -> Book {
    let mut random = Random(seed);
    let root = late(&mut random).canonical();
    let mut positions = Book::from([(root, Position::new(root, Engine::Obook))]);
    let mut inside = Inside::new();
    let mut answers = |request: &Request| {
        let answer = inside.search(request).unwrap();
        (answer.mv, answer.score)
    };
    for _ in 0..3 + random.below(4) {
        let stage = Stage {
            root,
            scoring: SCORING,
            depth: 61,
            level: 1 + random.below(3) as u8,
            engine: Engine::Obook,
        };
        let mut book = Growing::new(positions.into_values(), stage);
        book.complete(&mut answers);
        positions = book.positions;
        for board in positions.keys().copied().collect::<Vec<_>>() {
            for (_, child) in board.board().children() {
                if random.below(3) == 0 {
                    let child = child.canonical();
                    let new = || Position::new(child, Engine::Obook);
                    positions.entry(child).or_insert_with(new);
                }
            }
        }
        let mut book = Growing::new(positions.into_values(), stage);
        book.complete(&mut answers);
        positions = book.positions;
    }
    positions
}

/// Perfect play, as a search by brute force finds it.
struct Perfect<'a> {
    book: &'a Book,
    solved: HashMap<Board, i8>,
}

impl Perfect<'_> {
    fn value(&mut self, board: Board) -> i16 {
        let solve = || exhaustive(board);
        (*self.solved.entry(board).or_insert_with(solve)).into()
    }

    /// The best of the moves that lead out of the book.
    fn leaf(&mut self, board: Board) -> Option<i16> {
        let children = board.children().map(|(_, child)| child);
        let out = children.filter(|child| !self.book.contains_key(&child.canonical()));
        let out: Vec<Board> = out.collect();
        out.into_iter().map(|child| -self.value(child)).max()
    }

    /// The value if both sides play only the moves that grade AA looks at, and whether these are all.
    fn among_followed(&mut self, board: CanonicalBoard) -> (i16, bool) {
        let position = &self.book[&board];
        let scores = position.links.iter().filter_map(|link| link.score);
        let Some(best) = scores.max() else {
            return (self.value(board.board()), true);
        };
        let is_followed = |score: i8| score >= best - 2;
        let (mut value, mut are_all) = (i16::MIN, true);
        for link in &position.links {
            if link.score.is_some_and(is_followed) {
                let child = board.board().play(link.mv).unwrap().canonical();
                let (below, all) = self.among_followed(child);
                value = value.max(-below);
                are_all &= all;
            } else {
                are_all = false;
            }
        }
        match (position.leaf, self.leaf(board.board())) {
            (Some(leaf), Some(searched)) if is_followed(leaf.score) => value = value.max(searched),
            (_, None) => {}
            _ => are_all = false,
        }
        (value, are_all)
    }
}

/// How often the laws below had something to say.
#[derive(Default, Debug)]
struct Met {
    exact_leaves: u32,
    /// Values of grade AA.
    best: u32,
    /// The same if the grade looks at all moves.
    best_of_all: u32,
    /// Values of grade AA that are not the value of perfect play.
    inexact: u32,
    /// Leaves of positions that the level doesn't solve, though it solves one empty square fewer.
    at_the_border: u32,
}

fn check(book: &Book, met: &mut Met) {
    let graph = obook_testing::random_book::graph_of(book.values().cloned());
    let mut perfect = Perfect {
        book,
        solved: HashMap::new(),
    };
    for (board, position) in book {
        let empties = board.board().empties() as u8;
        let search = |empties| {
            let leaf = position.leaf.filter(|leaf| leaf.mv.is_some())?;
            let search = Effort::of_leaf(leaf, position.level, position.engine, empties)?;
            Some((leaf.score, search.is_solved()))
        };
        match (search(empties), search(empties - 1)) {
            (Some((score, true)), _) => {
                met.exact_leaves += 1;
                assert_eq!(
                    Some(score.into()),
                    perfect.leaf(board.board()),
                    "{position:?}"
                );
            }
            (_, Some((_, true))) => met.at_the_border += 1,
            _ => {}
        }
        let id = graph.find(*board).unwrap();
        if Accuracy::new(&graph, id, Grading::Published).grade == Grade::AA {
            let (value, are_all) = perfect.among_followed(*board);
            assert_eq!(position.value, Some(value), "{position:?}");
            met.best += 1;
            let is_exact = value == perfect.value(board.board());
            assert!(is_exact || !are_all, "{position:?}");
            met.best_of_all += u32::from(are_all);
            met.inexact += u32::from(!is_exact);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A leaf that counts as solved has the score of perfect play. A value of grade AA is that of perfect play among the moves that
    /// the grade looks at, and that of perfect play if these are all moves.
    ///
    /// Law (Numbers): Solved leaves have the scores of perfect play, as have values of grade AA among the moves that they
    /// cover.
    #[test]
    fn what_counts_as_exact_is_exact(seed: u64) {
        check(&grown(seed), &mut Met::default());
    }
}

/// The random books have many exact ends, and ends at the border.
#[test]
fn the_books_are_worth_solving() {
    let mut met = Met::default();
    for seed in samples(&any::<u64>(), 32) {
        check(&grown(seed), &mut met);
    }
    assert!(met.exact_leaves > 500 && met.at_the_border > 100, "{met:?}");
    assert!(met.best > 500 && met.best_of_all > 100, "{met:?}");
}

/// What the help of `obook accuracy` and docs/sql.md say about the example.
#[test]
fn some_values_of_the_best_grade_are_not_exact() {
    let (_, positions) = golden::book("games.dat");
    let book = positions.into_iter().map(|it| (it.board, it)).collect();
    let mut met = Met::default();
    check(&book, &mut met);
    assert_eq!((met.best, met.inexact), (190, 14), "{met:?}");
}
