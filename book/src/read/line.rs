//! The best play from a position through the book, to where the book ends.

use crate::read::view::Named;
use crate::read::view::{Kind, as_text};
use crate::{Book, Lookup, Progress, Result, Store, load};
use foldhash::HashMap;
use obook_graph::LinesFromStart;
use obook_graph::loops::on_path;
use obook_model::{Link, Position, levels};
use obook_othello::{Board, CanonicalBoard, Line, Move};
use serde::Serialize;
use std::fmt;

/// A move of a best line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct BestMove {
    /// Discs placed since the start position once it is played.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Its score for the side that makes it, in discs, where the book knows it.
    pub score: Option<i8>,
    /// The level behind the score, on the scale of the position's engine.
    pub level: Option<u8>,
    /// How many other moves are as good.
    pub equal: usize,
    /// Whether it stays in the book. Only the last move of a line may be a leaf.
    pub kind: Kind,
    /// Whether the score holds only on this line: see [`loops`](obook_graph::loops).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub path_dependent: bool,
}

/// Why a line goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// Neither side can move any more.
    GameOver,
    /// The last position has no move in the book.
    NoMove,
    /// The last move, a leaf, leads out of the book.
    LeftBook,
    /// The last move, a link, leads to a position that the book lacks.
    MissingPosition,
    /// The line is as long as was asked for.
    Depth,
}

impl fmt::Display for LineEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEnd::GameOver => "the game is over",
            LineEnd::NoMove => "the book has no move here",
            LineEnd::LeftBook => "the last move leads out of the book",
            LineEnd::MissingPosition => "the last move is a link to a position that the book lacks",
            LineEnd::Depth => "the line goes on",
        })
    }
}

/// Best moves of both sides one after another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BestLine {
    /// The whole line from the start position: the moves to where the search began, then the best ones.
    #[serde(serialize_with = "as_text")]
    pub line: Line,
    /// The opening that the whole line belongs to.
    pub opening: Option<Named>,
    /// The best moves.
    pub moves: Vec<BestMove>,
    /// Why there are no more.
    pub end: LineEnd,
}

/// Which of equally good moves comes first.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Links before the leaf, in the order of their squares, a1 to h8.
    First,
    /// Any, as these random numbers have it: links and the leaf alike.
    Random(fastrand::Rng),
}

/// All best lines from a position, one by one: [`BestLines::new`] makes it.
///
/// They are found as they are asked for: the memory that it takes is that of one line, however many there are, and a
/// line takes a look-up for each position that it does not share with the line before.
///
/// A leaf is a best move where it is as good as the best link, or better. Lines end, because each move places a disc or
/// is a pass that the rules force: moves that are not legal, which only a damaged book has, are not considered.
#[derive(Debug)]
pub struct BestLines<'a> {
    lookup: &'a Lookup,
    start: Line,
    depth: usize,
    choice: Choice,
    /// The positions on the current line, with the moves that are equally good in each.
    forks: Vec<Fork>,
    begun: bool,
}

#[derive(Debug)]
struct Fork {
    board: Board,
    moves: Vec<BestMove>,
    chosen: usize,
}

impl<'a> BestLines<'a> {
    /// The best lines that begin at the end of `start`, of at most `depth` moves.
    ///
    /// ```
    /// use obook_book::read::line::{BestLines, Choice};
    /// use obook_graph::Graph;
    /// use obook_book::Lookup;
    /// use obook_graph::link::link;
    /// use obook_model::{Engine, Position};
    /// use obook_othello::{CanonicalBoard, Line};
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
    pub fn new(lookup: &'a Lookup, start: Line, depth: usize, choice: Choice) -> BestLines<'a> {
        BestLines {
            lookup,
            start,
            depth,
            choice,
            forks: Vec::new(),
            begun: false,
        }
    }

    /// Turns to the next move of the last fork that has one; `false` where all lines were shown.
    fn turn(&mut self) -> bool {
        if !self.begun {
            self.begun = true;
            return true;
        }
        while let Some(fork) = self.forks.last_mut() {
            fork.chosen += 1;
            if fork.chosen < fork.moves.len() {
                return true;
            }
            self.forks.pop();
        }
        false
    }

    /// Follows the first moves to the end of the line.
    fn descend(&mut self) -> Result<LineEnd> {
        loop {
            let (board, kind) = match self.forks.last() {
                Some(fork) => {
                    let mv = fork.moves[fork.chosen];
                    let next = fork.board.play(mv.mv).expect("a best move is legal");
                    (next, mv.kind)
                }
                None => (self.start.board(), Kind::Link),
            };
            if kind == Kind::Leaf {
                return Ok(LineEnd::LeftBook);
            }
            if self.forks.len() == self.depth {
                return Ok(LineEnd::Depth);
            }
            let (canonical, _) = board.canonicalize();
            let Some(position) = self.lookup.position(canonical)? else {
                return Ok(LineEnd::MissingPosition);
            };
            let mut moves = best_moves(board, &position);
            if moves.is_empty() {
                return Ok(if board.is_over() {
                    LineEnd::GameOver
                } else {
                    LineEnd::NoMove
                });
            }
            if let [forced] = &mut moves[..]
                && forced.mv == Move::Pass
            {
                // Only the position after a pass may lead back, by a pass written by hand.
                let find = |board| self.lookup.position(board);
                if let Some(score) =
                    on_path(find, &position, false, || self.lookup.repetition())?.pass
                {
                    (forced.score, forced.path_dependent) = (Some(score), true);
                }
            }
            if let Choice::Random(random) = &mut self.choice {
                random.shuffle(&mut moves);
            }
            self.forks.push(Fork {
                board,
                moves,
                chosen: 0,
            });
        }
    }

    fn current(&self, end: LineEnd) -> BestLine {
        let moves: Vec<BestMove> = self
            .forks
            .iter()
            .map(|fork| fork.moves[fork.chosen])
            .collect();
        let mut line = self.start.clone();
        for mv in &moves {
            line.push(mv.mv).expect("a best move is legal");
        }
        BestLine {
            opening: Named::of_line(&line),
            line,
            moves,
            end,
        }
    }
}

impl Iterator for BestLines<'_> {
    type Item = Result<BestLine>;

    fn next(&mut self) -> Option<Result<BestLine>> {
        if !self.turn() {
            return None;
        }
        let end = self.descend();
        if end.is_err() {
            // What can't be read now is not asked for again.
            self.forks.clear();
        }
        Some(end.map(|end| self.current(end)))
    }
}

/// The moves with the best score, in the orientation of `board`, links first. Moves that its symmetry makes the same are one.
fn best_moves(board: Board, position: &Position) -> Vec<BestMove> {
    let back = board.canonicalize().1.inverse();
    let links = position
        .links
        .iter()
        .map(|link| (link.mv, link.score, position.level, Kind::Link));
    let leaf = position.leaf.and_then(|leaf| {
        let level = levels::of_leaf(leaf, position.level, position.engine);
        Some((leaf.mv?, Some(leaf.score), level, Kind::Leaf))
    });
    let mut moves: Vec<BestMove> = Vec::new();
    for (mv, score, level, kind) in links.chain(leaf) {
        let mv = back.play(mv);
        // A damaged book may name a move twice.
        let child = board
            .play(mv)
            .filter(|_| moves.iter().all(|other| other.mv != mv));
        if let Some(child) = child {
            moves.push(BestMove {
                ply: child.ply(),
                mv,
                score,
                level,
                equal: 0,
                kind,
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

/// Up to so many positions of a database are looked for one by one: for each, some hundred look-ups for each move taken back.
const FEW: usize = 1000;

/// For each of these positions moves from the start position along links of the book, as a person types them; `None` where no
/// line leads to it. A file, and a database for the sake of many positions, is read into memory.
///
/// ```
/// use obook_book::{Context, Book, Progress, read::line::lines_to};
/// use obook_othello::{Board, Line};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// let board = "f5d6".parse::<Line>()?.board();
/// let lines = lines_to(&Book::open(path.as_ref(), &Context::default())?, &[board.canonical()], &Progress::hidden())?;
/// assert_eq!(lines[0].as_ref().map(Line::to_string).as_deref(), Some("f5d6"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the book can't be read, or has more positions than fit in memory.
pub fn lines_to(
    book: &Book,
    boards: &[CanonicalBoard],
    progress: &Progress,
) -> Result<Vec<Option<Line>>> {
    match book {
        Book::Database(store) if boards.len() <= FEW => {
            progress.step("looking for lines", Some(boards.len() as u64));
            let mut climber = Climber {
                store,
                before: HashMap::default(),
            };
            let line = |board: &CanonicalBoard| {
                progress.advance(1);
                climber.line_to(*board)
            };
            boards.iter().map(line).collect()
        }
        _ => {
            let graph = load(book, progress)?;
            let lines = LinesFromStart::new(&graph);
            let line = |board: &CanonicalBoard| lines.to(&graph, graph.find(*board)?);
            Ok(boards.iter().map(line).collect())
        }
    }
}

/// A way up by taking moves back, which remembers where it has been.
struct Climber<'s> {
    store: &'s Store,
    /// Of positions that were visited, the one before on a line from the start position; `None` where there is no line, or
    /// none is known yet.
    before: HashMap<CanonicalBoard, Option<CanonicalBoard>>,
}

impl Climber<'_> {
    fn line_to(&mut self, board: CanonicalBoard) -> Result<Option<Line>> {
        if self.store.position(board)?.is_none() || !self.reach(board)? {
            return Ok(None);
        }
        let start = Board::START.canonical();
        let up = |board: &CanonicalBoard| match *board == start {
            true => None,
            false => self.before[board],
        };
        let mut boards: Vec<_> = std::iter::successors(Some(board), up).collect();
        boards.reverse();
        Ok(Line::through(boards))
    }

    /// Whether a line leads to a position: one way up after another until one comes to the start, or to where it is known.
    fn reach(&mut self, board: CanonicalBoard) -> Result<bool> {
        // From the position up: each with its parents that were not tried yet.
        let mut way: Vec<(CanonicalBoard, Vec<CanonicalBoard>)> = Vec::new();
        let mut next = Some(board);
        loop {
            match next {
                Some(board) if self.is_reached(board) => {
                    let mut before = board;
                    while let Some((child, _)) = way.pop() {
                        self.before.insert(child, Some(before));
                        before = child;
                    }
                    return Ok(true);
                }
                Some(board) if self.before.contains_key(&board) => {}
                Some(board) => {
                    self.before.insert(board, None);
                    way.push((board, self.parents(board)?));
                }
                None => drop(way.pop()),
            }
            let Some((_, untried)) = way.last_mut() else {
                return Ok(false);
            };
            next = untried.pop();
        }
    }

    /// Whether a line to it is known.
    fn is_reached(&self, board: CanonicalBoard) -> bool {
        board == Board::START.canonical() || self.before.get(&board).is_some_and(Option::is_some)
    }

    /// The positions that have a link to this one.
    fn parents(&self, child: CanonicalBoard) -> Result<Vec<CanonicalBoard>> {
        // In some orientation of the child each parent is found; one is enough, since parents turn with the child.
        let boards = child.board().parents();
        let mut boards: Vec<_> = boards.map(|(_, board)| board.canonical()).collect();
        boards.sort_unstable();
        boards.dedup();
        let mut parents = Vec::new();
        for board in boards {
            let leads_here =
                |link: &Link| board.board().play(link.mv).map(Board::canonical) == Some(child);
            let position = self.store.position(board)?;
            if position.is_some_and(|position| position.links.iter().any(leads_here)) {
                parents.push(board);
            }
        }
        Ok(parents)
    }
}
