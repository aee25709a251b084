//! Best lines agree with the definition.

use obook::Lookup;
use obook::read::line::{BestLine, BestLines, Choice, LineEnd};
use obook::read::view::LinkOrLeaf;
use obook_graph::{Graph, TooLarge};
use obook_othello::{Board, Line, Link, Move, Position};
use obook_testing::golden::book;
use obook_testing::random_book::{Book, Random, Recipe, recipes};
use obook_testing::samples::samples;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

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
    // Symmetric moves count as one, with a link before the leaf.
    let mut distinct: Vec<(Move, Option<i8>, bool)> = Vec::new();
    for (mv, score, leaves) in moves {
        let mv = board.conventional(mv);
        if distinct.iter().all(|(other, ..)| *other != mv) {
            distinct.push((mv, score, leaves));
        }
    }
    distinct
}

/// Moves with their scores, and how the line ends.
type PlainLine = (Vec<(Move, Option<i8>)>, &'static str);

/// Every best line.
fn plain_lines(book: &Book, board: Board, depth: usize) -> BTreeSet<PlainLine> {
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

fn plain(line: &BestLine) -> PlainLine {
    let end = match line.end {
        LineEnd::GameOver => "over",
        LineEnd::NoMove => "no move",
        LineEnd::LeftBook => "left",
        LineEnd::MissingPosition => "missing",
        LineEnd::Depth => "depth",
    };
    (line.moves.iter().map(|mv| (mv.mv, mv.score)).collect(), end)
}

/// Few scores, so that many are equal; links for some legal moves beside the nonsense. Passes that the rules forbid are
/// not among it: they make scores depend on the path, which is for `write/fix_loops.rs` to test.
fn tied(mut book: Book, seed: u64) -> Book {
    let random = &mut Random(seed);
    for position in book.values_mut() {
        let must_pass = position.board.board().must_pass();
        position
            .links
            .retain(|link| link.mv != Move::Pass || must_pass);
        let mut moves: Vec<Move> = position.board.board().moves().collect();
        random.shuffle(&mut moves);
        moves.truncate(random.below(5) as usize);
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
fn starts(book: &Book, recipe: &Recipe, seed: u64) -> Line {
    let random = &mut Random(seed);
    let mut line = match random.below(4) {
        0 => Line::new(),
        _ => recipe.trunk(&mut Random(recipe.seed)),
    };
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

/// Checks that all best lines agree with the definition, and returns them.
fn all_best_lines(recipe: &Recipe, seed: u64, depth: usize) -> BTreeSet<PlainLine> {
    let book = tied(recipe.book(), seed);
    let start = starts(&book, recipe, seed);
    let lookup = memory(book.values().cloned());
    let expected = plain_lines(&book, start.board(), depth);
    for choice in [Choice::First, Choice::Random(seed)] {
        let found: Vec<BestLine> = lines(&lookup, &start, depth, choice).collect();
        let unique: BTreeSet<_> = found.iter().map(plain).collect();
        assert_eq!(found.len(), unique.len(), "no line comes twice");
        assert_eq!(unique, expected);
    }
    for line in lines(&lookup, &start, depth, Choice::First) {
        let mut board = start.board();
        for (number, mv) in line.moves.iter().enumerate() {
            assert_eq!(mv.ply as u32, 60 - board.play(mv.mv).unwrap().empties());
            assert_eq!(mv.equal + 1, plain_best(&book, board).len());
            assert!(mv.kind == LinkOrLeaf::Link || number + 1 == line.moves.len());
            board = board.play(mv.mv).unwrap();
        }
        assert_eq!(line.line.board(), board);
        assert_eq!(&line.line.moves()[..start.moves().len()], start.moves());
    }
    expected
}

/// The books have many lines, and all kinds of ends.
#[test]
fn the_books_are_worth_testing() {
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut several = 0;
    for (recipe, seed, depth) in samples(&(recipes(), any::<u64>(), 0..7usize), 128) {
        let lines = all_best_lines(&recipe, seed, depth);
        several += usize::from(lines.len() > 1);
        for (_, end) in lines {
            *ends.entry(end).or_default() += 1;
        }
    }
    assert_eq!(ends.len(), 5, "{ends:?}");
    assert!(ends.values().all(|count| *count > 2), "{ends:?}");
    assert!(several > 20, "{several}");
}

/// A book on which this law failed once.
#[test]
fn a_book_that_once_failed() {
    let recipe = Recipe {
        seed: 6253641548012979097,
        games: 5,
        kept: 100,
        branch: 24,
    };
    all_best_lines(&recipe, 4816502050075929254, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Law (Databases): All best lines are found, each once.
    #[test]
    fn all_best_lines_are_found_once(recipe in recipes(), seed: u64, depth in 0..7usize) {
        all_best_lines(&recipe, seed, depth);
    }

    /// The first lines come at once and reach the end of the book, even if there are many lines.
    #[test]
    fn lines_are_found_as_they_are_asked_for(recipe in recipes(), seed: u64) {
        let book = tied(recipe.book(), seed);
        let start = starts(&book, &recipe, seed);
        let lookup = memory(book.into_values());
        let all = |count| lines(&lookup, &start, usize::MAX, Choice::First).take(count).collect::<Vec<_>>();
        let first = all(20);
        prop_assert!(!first.is_empty());
        prop_assert_eq!(&all(5)[..], &first[..first.len().min(5)]);
        for line in &first {
            prop_assert!(line.end != LineEnd::Depth);
        }
        let random = |seed| {
            let choice = Choice::Random(seed);
            lines(&lookup, &start, usize::MAX, choice).next().unwrap()
        };
        prop_assert_eq!(random(seed), random(seed), "the same seed, the same line");
    }
}

/// In a consistent book, each score on a line is the negated score of the next move.
#[test]
fn scores_alternate_in_an_engines_book() {
    let (_, positions) = book("games.dat");
    let value = |line: &Line| {
        let board = line.board().canonical();
        positions
            .iter()
            .find(|position| position.board == board)
            .and_then(|position| position.value)
    };
    let lookup = memory(positions.iter().cloned());
    let mut count = 0;
    for start in STARTS {
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
    assert!(count > 6);
}

/// Positions of the golden book of games with and without branches.
const STARTS: [&str; 6] = ["", "f5", "f5d6", "f5d6c3", "F5F6", "f5f4"];
