//! The best lines from a position to the end of the book, and lines from the start to a position.

use crate::read::book::load_in_slabs;
use crate::read::lookup::Find;
use crate::read::view::{LinkOrLeaf, as_text};
use crate::{Book, Context, Error, Result, Store};
use obook_games::names::{Opening, of_line};
use obook_graph::LinesFromStart;
use obook_graph::loops::on_path;
use obook_othello::{Board, CanonicalBoard, Line, Link, Move, Position, levels};
use obook_sql::functions::Climber;
use serde::Serialize;

/// A move of a best line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct BestMove {
    /// Discs placed since the start position, including this move.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// The score for the side that plays it, in discs, if the book knows it.
    pub score: Option<i8>,
    /// The level of the score, on the scale of the position's engine.
    pub level: Option<u8>,
    /// The number of other moves that are as good.
    pub equal: usize,
    /// Whether it stays in the book. Only the last move of a line may be a leaf.
    pub kind: LinkOrLeaf,
    /// Whether the score holds only on this line: see [`loops`](obook_graph::loops).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub path_dependent: bool,
}

obook_base::named! {
    /// Why a line ends.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum LineEnd {
        /// Neither side can move.
        GameOver = "the game is over",
        /// The last position has no move in the book.
        NoMove = "the book has no move here",
        /// The last move, a leaf, leads out of the book.
        LeftBook = "the last move leads out of the book",
        /// The last move, a link, leads to a position that the book lacks.
        MissingPosition = "the last move is a link to a position that the book lacks",
        /// The line has the requested length.
        Depth = "the requested depth is reached",
    }
}

/// A line of best moves for both sides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct BestLine {
    /// The whole line: the given moves, then the best ones.
    #[serde(serialize_with = "as_text")]
    pub line: Line,
    /// The opening of the whole line.
    pub opening: Option<&'static Opening>,
    /// The best moves.
    pub moves: Vec<BestMove>,
    /// Why the line ends.
    pub end: LineEnd,
}

/// Which of equally good moves comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Choice {
    /// Links before the leaf, in the order of their squares, a1 to h8.
    First,
    /// Any of them, at random: the same for the same seed.
    Random(u64),
}

/// Finds the first of the [`BestLines`] from the end of `start`, with at most `depth` moves.
///
/// # Errors
/// If the book can't be read.
pub fn best_line(book: &dyn Find, start: Line, depth: usize) -> Result<BestLine> {
    let mut lines = BestLines::new(book, start, depth, Choice::First);
    lines.next().expect("there is always one")
}

/// An iterator over all best lines from a position. There is at least one, if only the start.
///
/// Lines are found on demand. Memory holds the current line and the beginnings of those that fork off it, and each line costs one
/// look-up per position that it does not share with the line before.
///
/// A leaf is a best move if it is at least as good as the best link. Illegal moves, which only a damaged book has, are
/// ignored, so every line ends.
#[derive(Debug)]
pub struct BestLines<'a> {
    book: &'a dyn Find,
    start: Line,
    depth: usize,
    /// Shuffles equally good moves.
    random: Option<fastrand::Rng>,
    /// The beginnings of the lines that are left, the next one last.
    left: Vec<Vec<BestMove>>,
}

impl<'a> BestLines<'a> {
    /// Finds the best lines from the end of `start`, with at most `depth` moves each.
    ///
    /// ```
    /// use obook::read::line::{BestLines, Choice};
    /// use obook_graph::Graph;
    /// use obook::Lookup;
    /// use obook_graph::link::link;
    /// use obook_othello::{CanonicalBoard, Engine, Line, Position};
    ///
    /// let game: Line = "f5d6c3".parse()?;
    /// let mut builder = Graph::builder();
    /// for length in 0..=3 {
    ///     let board = Line::from_moves(game.moves()[..length].iter().copied())?.board();
    ///     builder.push(Position::new(board.canonical(), Engine::Edax));
    /// }
    /// let (mut graph, _) = builder.finish()?;
    /// link(&mut graph)?;
    /// let book = Lookup::Memory(graph, "three.dat".into());
    ///
    /// let lines: Vec<_> = BestLines::new(&book, "f5".parse()?, usize::MAX, Choice::First)
    ///     .collect::<Result<_, _>>()?;
    /// assert_eq!(lines.len(), 1);
    /// assert_eq!(lines[0].line.to_string(), "f5d6c3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(book: &'a dyn Find, start: Line, depth: usize, choice: Choice) -> BestLines<'a> {
        BestLines {
            book,
            start,
            depth,
            random: match choice {
                Choice::First => None,
                Choice::Random(seed) => Some(fastrand::Rng::with_seed(seed)),
            },
            left: vec![Vec::new()],
        }
    }

    /// Follows the first of the best moves to the end of the line. The lines with the others are left for later.
    fn complete(&mut self, mut moves: Vec<BestMove>) -> Result<BestLine> {
        let mut line = self.start.clone();
        for mv in &moves {
            line.push(mv.mv).expect("a best move is legal");
        }
        let end = loop {
            if moves
                .last()
                .is_some_and(|last| last.kind == LinkOrLeaf::Leaf)
            {
                break LineEnd::LeftBook;
            }
            if moves.len() == self.depth {
                break LineEnd::Depth;
            }
            let board = line.board();
            let Some(position) = self.book.find(board.canonical())? else {
                break LineEnd::MissingPosition;
            };
            let mut best = best_moves(board, &position);
            if let [forced] = &mut best[..]
                && forced.mv == Move::Pass
            {
                // Only a position after a pass can lead back, by a pass that was entered by hand.
                let find = |board| self.book.find(board);
                let on_path = on_path(find, &position, false, || self.book.repetition())?;
                if let Some(score) = on_path.pass {
                    (forced.score, forced.path_dependent) = (Some(score), true);
                }
            }
            if let Some(random) = &mut self.random {
                random.shuffle(&mut best);
            }
            let Some((first, others)) = best.split_first() else {
                break match board.is_over() {
                    true => LineEnd::GameOver,
                    false => LineEnd::NoMove,
                };
            };
            let forks = others
                .iter()
                .rev()
                .map(|other| [&moves[..], &[*other]].concat());
            self.left.extend(forks);
            moves.push(*first);
            line.push(first.mv).expect("a best move is legal");
        };
        Ok(BestLine {
            opening: of_line(&line),
            line,
            moves,
            end,
        })
    }
}

impl Iterator for BestLines<'_> {
    type Item = Result<BestLine>;

    fn next(&mut self) -> Option<Result<BestLine>> {
        let begun = self.left.pop()?;
        let line = self.complete(begun);
        if line.is_err() {
            // Don't read again after an error.
            self.left.clear();
        }
        Some(line)
    }
}

/// The moves with the best score, in the orientation of `board`, links first. Moves that its symmetry makes the same are one.
fn best_moves(board: Board, position: &Position) -> Vec<BestMove> {
    let back = board.canonicalize().1.inverse();
    let mut moves: Vec<BestMove> = Vec::new();
    for (mv, score, is_leaf) in position.known_moves() {
        let level = match position.leaf {
            Some(leaf) if is_leaf => levels::of_leaf(leaf, position.level, position.engine),
            _ => position.level,
        };
        let mv = back.play(mv);
        // A damaged book may list a move twice.
        let is_new = moves.iter().all(|other| other.mv != mv);
        if let Some(child) = board.play(mv).filter(|_| is_new) {
            moves.push(BestMove {
                ply: child.ply(),
                mv,
                score,
                level,
                equal: 0,
                kind: LinkOrLeaf::of(is_leaf),
                path_dependent: false,
            });
        }
    }
    let best = moves.iter().map(|mv| mv.score).max().flatten();
    moves.retain(|mv| mv.score == best);
    // Edax's books have all of the moves that a symmetry makes the same.
    moves
        .iter_mut()
        .for_each(|mv| mv.mv = board.conventional(mv.mv));
    moves.sort_by_key(|mv| (mv.kind, mv.mv));
    moves.dedup_by_key(|mv| mv.mv);
    let equal = moves.len().saturating_sub(1);
    moves.iter_mut().for_each(|mv| mv.equal = equal);
    moves
}

/// Most positions of a database that are traced one by one, at about a hundred look-ups per move taken back.
const FEW: usize = 1000;

/// Finds a line from the start to each of these positions along links of the book, or `None` if there is none. A file is
/// read as a whole, and so is a database if there are many positions; into temporary files if the context's memory is too small.
///
/// ```
/// use obook::{Context, Book, read::line::lines_to};
/// use obook_othello::{Board, Line};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// let board = "f5d6".parse::<Line>()?.board();
/// let context = Context::default();
/// let lines = lines_to(&Book::open(path, &context)?, &[board.canonical()], &context)?;
/// assert_eq!(lines[0].as_ref().map(Line::to_string).as_deref(), Some("f5d6"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the book can't be read, or temporary files can't be written.
pub fn lines_to(
    book: &Book,
    boards: &[CanonicalBoard],
    context: &Context,
) -> Result<Vec<Option<Line>>> {
    let progress = context.progress();
    match book {
        Book::Database(store) if boards.len() <= FEW => {
            progress.step("looking for lines", Some(boards.len() as u64));
            lines_in(store, boards.iter().inspect(|_| progress.advance(1)))
        }
        _ => {
            let mut slabs = load_in_slabs(book, context)?;
            let lines = LinesFromStart::new(&mut slabs, |_| {}).and_then(|lines| lines.to(boards));
            lines.map_err(Error::of_slabs(book.path()))
        }
    }
}

/// Like [`lines_to`], in a database, with about a hundred look-ups per move taken back.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn lines_in<'b>(
    store: &Store,
    boards: impl IntoIterator<Item = &'b CanonicalBoard>,
) -> Result<Vec<Option<Line>>> {
    let mut climber = Climber::default();
    let line = |board: &CanonicalBoard| match store.position(*board)? {
        Some(_) => climber.line_to(*board, |board| parents(store, board)),
        None => Ok(None),
    };
    boards.into_iter().map(line).collect()
}

/// The positions of a book with a link to this one, sorted by key. A book has no index from child to parent, so every position that
/// a move could come from is looked up: about a hundred.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn parents(store: &Store, child: CanonicalBoard) -> Result<Vec<CanonicalBoard>> {
    let mut parents = Vec::new();
    for board in child.parents() {
        let leads_here = |link: &Link| board.child(link.mv) == Some(child);
        let position = store.position(board)?;
        if position.is_some_and(|position| position.links.iter().any(leads_here)) {
            parents.push(board);
        }
    }
    Ok(parents)
}
