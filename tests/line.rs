//! Best lines against the definition carried out in full, and the command on real books.

mod golden_support;
mod random_book;

use assert_cmd::Command;
use golden_support::book;
use obook::best_line::{BestLine, BestLines, Choice, LineEnd};
use obook::graph::{Graph, TooLarge};
use obook::{Kind, Lookup};
use obook_converters::{Link, Position};
use obook_othello::{Board, Line, Move};
use predicates::prelude::*;
use proptest::prelude::*;
use random_book::{Book, Random, recipes};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn memory(positions: impl IntoIterator<Item = Position>) -> Lookup {
    let positions = positions.into_iter().map(Ok::<_, TooLarge>);
    let (graph, _) = Graph::from_positions(positions).unwrap();
    Lookup::Memory(graph, PathBuf::from("random"))
}

fn lines(
    lookup: &Lookup,
    start: &Line,
    depth: usize,
    choice: Choice,
) -> impl Iterator<Item = BestLine> {
    BestLines::new(lookup, start.clone(), depth, choice).map(Result::unwrap)
}

/// The legal moves with the best score, without duplicates, and whether each leaves the book.
fn plain_best(book: &Book, board: Board) -> Vec<(Move, Option<i8>, bool)> {
    let (canonical, symmetry) = board.canonicalize();
    let position = &book[&canonical];
    let mut moves: Vec<(Move, Option<i8>, bool)> = Vec::new();
    // A graph's records have their links best first.
    let mut links: Vec<&Link> = position.links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.score));
    let links = links.iter().map(|link| (link.mv, link.score, false));
    let leaf = position
        .leaf
        .and_then(|leaf| Some((leaf.mv?, Some(leaf.score), true)));
    for (mv, score, leaves) in links.chain(leaf) {
        let mv = symmetry.inverse().play(mv);
        if board.moves().any(|legal| legal == mv) && moves.iter().all(|(other, ..)| *other != mv) {
            moves.push((mv, score, leaves));
        }
    }
    let best = moves.iter().map(|(_, score, _)| *score).max().flatten();
    moves.retain(|(_, score, _)| *score == best);
    moves
}

/// Every best line with its scores and its end.
fn plain_lines(
    book: &Book,
    board: Board,
    depth: usize,
) -> BTreeSet<(Vec<(Move, Option<i8>)>, &'static str)> {
    let end = |end| BTreeSet::from([(Vec::new(), end)]);
    if depth == 0 {
        return end("depth");
    }
    if !book.contains_key(&board.canonical()) {
        return end("missing");
    }
    let moves = plain_best(book, board);
    if moves.is_empty() {
        return end(if board.is_over() { "over" } else { "no move" });
    }
    let mut all = BTreeSet::new();
    for (mv, score, leaves) in moves {
        let rest = if leaves {
            end("left")
        } else {
            plain_lines(book, board.play(mv).unwrap(), depth - 1)
        };
        for (rest, end) in rest {
            let mut line = vec![(mv, score)];
            line.extend(rest);
            all.insert((line, end));
        }
    }
    all
}

fn plain(line: &BestLine) -> (Vec<(Move, Option<i8>)>, &'static str) {
    let end = match line.end {
        LineEnd::GameOver => "over",
        LineEnd::NoMove => "no move",
        LineEnd::LeftBook => "left",
        LineEnd::MissingPosition => "missing",
        LineEnd::Depth => "depth",
    };
    (line.moves.iter().map(|mv| (mv.mv, mv.score)).collect(), end)
}

/// Few scores, so that many are equal; links for most legal moves beside the nonsense.
fn tied(mut book: Book, seed: u64) -> Book {
    let random = &mut Random(seed);
    for position in book.values_mut() {
        let mut moves: Vec<Move> = position.board.board().moves().collect();
        random.shuffle(&mut moves);
        moves.truncate(3);
        position
            .links
            .extend(moves.into_iter().map(|mv| Link { mv, score: None }));
        for link in &mut position.links {
            link.score = [None, Some(0), Some(1)][random.below(3) as usize];
        }
        if let Some(leaf) = &mut position.leaf {
            leaf.score = random.below(3) as i8 - 1;
        }
    }
    book
}

/// A position on a game of the book, a line from the start to it.
fn starts(book: &Book, seed: u64) -> Line {
    let random = &mut Random(seed);
    let mut line = Line::new();
    for _ in 0..random.below(60) {
        let next: Vec<Move> = line
            .board()
            .moves()
            .filter(|mv| book.contains_key(&line.board().play(*mv).unwrap().canonical()))
            .collect();
        if next.is_empty() {
            break;
        }
        line.push(next[random.below(next.len() as u64) as usize])
            .unwrap();
    }
    line
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn all_best_lines_are_found_once(recipe in recipes(), seed: u64, depth in 0..7usize) {
        let book = tied(recipe.book(), seed);
        let start = starts(&book, seed);
        let lookup = memory(book.values().cloned());
        let expected = plain_lines(&book, start.board(), depth);
        for choice in [Choice::First, Choice::Random(fastrand::Rng::with_seed(seed))] {
            let found: Vec<BestLine> = lines(&lookup, &start, depth, choice).collect();
            let unique: BTreeSet<_> = found.iter().map(plain).collect();
            prop_assert_eq!(found.len(), unique.len(), "no line comes twice");
            prop_assert_eq!(&unique, &expected);
        }
        for line in lines(&lookup, &start, depth, Choice::First) {
            let mut board = start.board();
            for (number, mv) in line.moves.iter().enumerate() {
                prop_assert_eq!(mv.ply, start.ply() + number + 1);
                prop_assert_eq!(mv.equal + 1, plain_best(&book, board).len());
                prop_assert!(mv.kind == Kind::Link || number + 1 == line.moves.len());
                board = board.play(mv.mv).unwrap();
            }
            prop_assert_eq!(line.line.board(), board);
            prop_assert_eq!(&line.line.moves()[..start.ply()], start.moves());
        }
    }

    /// However many lines there are, the first ones come at once, and to the very end of the book.
    #[test]
    fn lines_are_found_as_they_are_asked_for(recipe in recipes(), seed: u64) {
        let book = tied(recipe.book(), seed);
        let start = starts(&book, seed);
        let lookup = memory(book.into_values());
        let all = |count| lines(&lookup, &start, usize::MAX, Choice::First).take(count).collect::<Vec<_>>();
        let first = all(20);
        prop_assert!(!first.is_empty());
        prop_assert_eq!(&all(5)[..], &first[..first.len().min(5)]);
        for line in &first {
            prop_assert!(line.end != LineEnd::Depth);
        }
        let random = |seed| {
            let choice = Choice::Random(fastrand::Rng::with_seed(seed));
            lines(&lookup, &start, usize::MAX, choice).next().unwrap()
        };
        prop_assert_eq!(random(seed), random(seed), "the same seed, the same line");
    }
}

/// In a consistent book a move's score is what the next move's is for the other side, to the end of the line.
#[test]
fn scores_alternate_in_an_engines_book() {
    let (_, positions) = book("edax/games.dat").expect("in tests/data");
    let boards: Vec<Board> = positions
        .iter()
        .map(|position| position.board.board())
        .collect();
    let value = |line: &Line| {
        let board = line.board().canonical();
        positions
            .iter()
            .find(|position| position.board == board)
            .and_then(|position| position.value)
    };
    let lookup = memory(positions.iter().cloned());
    let mut count = 0;
    for start in ["", "f5d6", "f5d6c3", "f5f6", "f5f6e6", "f5f4"] {
        let start: Line = start.parse().unwrap();
        for line in lines(&lookup, &start, usize::MAX, Choice::First).take(50) {
            let mut value = value(&start).unwrap();
            for mv in &line.moves {
                assert_eq!(mv.score.map(i16::from), Some(value), "{}", line.line);
                value = -value;
            }
            assert!(
                [LineEnd::LeftBook, LineEnd::GameOver].contains(&line.end),
                "{}",
                line.line
            );
            count += 1;
        }
    }
    assert!(count > 6 && !boards.is_empty());
}
