//! `tree(root, depth, max_loss)`, the positions that good play reaches, with `frontier(root, max_loss)` and
//! `worst(root, max_loss)`, the moves near it that matter.

use crate::functions::arguments::Given;
use crate::functions::book::Book;
use crate::functions::moves::{KnownMove, Target, best_first, expect_children, stored_moves};
use obook_base::sql::ColumnType::{Integer, Key, Text};
use obook_base::sql::{Arguments, Column, Result, RowsOf, Table, read_number};
use obook_othello::{Board, CanonicalBoard, Move, Position};
use std::cmp::Reverse;
use std::rc::Rc;

/// The longest possible game: sixty discs, with a pass before each.
const LONGEST: u32 = 120;

/// The table `tree`.
#[derive(Clone, Copy, Debug)]
pub struct Tree;

/// A position, with the line on which the two sides together give up least; of equal ones the first by its squares.
#[derive(Clone, Debug)]
pub struct Node {
    reached: Reached,
    numbers: Position,
    /// The known moves; none at the maximum depth.
    moves: Vec<Priced>,
}

/// A line to a position that may be in the book.
#[derive(Clone, Debug)]
struct Reached {
    /// The number of moves from the root, including passes.
    moves: u32,
    /// The moves, in the orientation of the root, after the moves that lead to it if it was given by them.
    line: Rc<str>,
    /// The place of the line among those of the same length, in the order of their squares.
    place: usize,
    /// The board, in the same orientation.
    board: Board,
    canonical: CanonicalBoard,
    /// The discs given up by both sides on the way.
    loss: i64,
}

impl Reached {
    /// The position after a move, if it is legal. It still has the line before the move, and that line's place.
    fn after(&self, Priced { mv: link, cost }: &Priced) -> Option<Reached> {
        Some(Reached {
            moves: self.moves + 1,
            line: Rc::clone(&self.line),
            place: self.place,
            board: self.board.play(link.mv)?,
            canonical: link.child,
            loss: self.loss + cost,
        })
    }
}

impl Table for Tree {
    const COLUMNS: &'static [Column<Node>] = &[
        ("ply", Integer, |node| {
            (node.reached.board.ply() as u32).into()
        }),
        ("line", Text, |node| (&*node.reached.line).into()),
        ("value", Integer, |node| node.numbers.value.into()),
        ("score", Integer, |node| match node.reached.moves % 2 {
            1 => node.numbers.value.map(|value| -value).into(),
            _ => node.numbers.value.into(),
        }),
        ("loss", Integer, |node| node.reached.loss.into()),
        ("level", Integer, |node| node.numbers.level.into()),
        ("empties", Integer, |node| {
            node.reached.board.empties().into()
        }),
        ("board", Key, |node| node.reached.canonical.to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["root", "depth", "max_loss", "schema"];
    const ROWS: i64 = 1000;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = Node;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let root = Given::read(arguments.value(0))?;
        let depth = (arguments.optional(1)).map_or(Ok(LONGEST), |it| {
            read_number(it, "a depth", 0..=i64::from(LONGEST))
        })?;
        let max_loss = max_loss(arguments, 2, i64::MAX)?;
        let tree = Growing::new(book, root, depth, max_loss)?;
        Ok(Box::new(tree))
    }
}

/// The argument with this index: what both sides together may give up, in discs.
fn max_loss(arguments: Arguments<'_>, index: usize, default: i64) -> Result<i64> {
    arguments.optional(index).map_or(Ok(default), |it| {
        read_number(it, "a loss in discs", 0..=i64::from(u32::MAX))
    })
}

/// A move, in the orientation of the root, with the discs it gives up.
#[derive(Clone, Debug)]
struct Priced {
    mv: KnownMove,
    cost: i64,
}

/// Grows a tree move by move. Each position comes once per number of moves: all lines to it have the same length unless they
/// contain passes.
///
/// Positions at the same depth are looked up together, in the order of the tables. In the order of their lines they would be
/// scattered all over the file.
struct Growing<'s> {
    book: Box<dyn Book + 's>,
    depth: u32,
    max_loss: i64,
    /// The positions that remain at the current depth, best lines first.
    current: std::vec::IntoIter<Node>,
    /// The moves to the next depth from those that are done, and where they lead.
    steps: Vec<(Move, Reached)>,
}

impl Iterator for Growing<'_> {
    type Item = Result<Node>;

    fn next(&mut self) -> Option<Result<Node>> {
        self.grow().transpose()
    }
}

impl<'s> Growing<'s> {
    /// The positions within `depth` moves of the root, if that's in the book, on lines that lose at most `max_loss`.
    fn new(book: Box<dyn Book + 's>, root: Given, depth: u32, max_loss: i64) -> Result<Self> {
        let root = Reached {
            moves: 0,
            canonical: root.canonical(),
            line: root.line.into(),
            place: 0,
            board: root.board,
            loss: 0,
        };
        let mut growing = Growing {
            book,
            depth,
            max_loss,
            current: Vec::new().into_iter(),
            steps: Vec::new(),
        };
        growing.current = growing.look_up(vec![root])?.into_iter();
        Ok(growing)
    }

    /// The next position.
    fn grow(&mut self) -> Result<Option<Node>> {
        if self.current.as_slice().is_empty() {
            let next = self.take_steps();
            self.current = self.look_up(next)?.into_iter();
        }
        let Some(node) = self.current.next() else {
            return Ok(None);
        };
        for link in node.moves.iter().filter(|priced| priced.mv.is_link()) {
            let reached = node.reached.after(link);
            let reached = reached.filter(|reached| reached.loss <= self.max_loss);
            self.steps
                .extend(reached.map(|reached| (link.mv.mv, reached)));
        }
        Ok(Some(node))
    }

    /// Takes the steps: of those to the same position the one that loses least, of equal ones the first.
    fn take_steps(&mut self) -> Vec<Reached> {
        let mut steps = std::mem::take(&mut self.steps);
        steps.sort_by_key(|(_, to)| (to.canonical, to.loss));
        steps.dedup_by_key(|(_, to)| to.canonical);
        steps.sort_unstable_by_key(|(mv, to)| (to.place, by_text(*mv)));
        let steps = steps.into_iter().enumerate();
        let reached = steps.map(|(place, (mv, to))| Reached {
            line: format!("{}{mv}", to.line).into(),
            place,
            ..to
        });
        reached.collect()
    }

    /// Looks up positions, best lines first. Some may be missing: a link may lead nowhere.
    fn look_up(&self, mut next: Vec<Reached>) -> Result<Vec<Node>> {
        next.sort_unstable_by_key(|reached| reached.canonical);
        let boards: Vec<CanonicalBoard> = next.iter().map(|reached| reached.canonical).collect();
        self.book.expect(&boards)?;
        let mut found = Vec::with_capacity(next.len());
        for reached in next {
            let is_deepest = reached.moves == self.depth;
            let numbers = match is_deepest {
                true => self.book.numbers(reached.canonical)?,
                false => self.book.position(reached.canonical)?,
            };
            if let Some(numbers) = numbers {
                let moves = match is_deepest {
                    true => Vec::new(),
                    false => stored_moves(reached.board, Some(&numbers)),
                };
                found.push((reached, numbers, moves));
            }
        }
        let moves = found.iter().flat_map(|(.., moves)| moves);
        expect_children(&*self.book, moves.filter(|mv| mv.lacks_score()))?;
        let mut current = Vec::with_capacity(found.len());
        for (reached, numbers, mut moves) in found {
            for mv in &mut moves {
                mv.look_up_score(&*self.book)?;
            }
            let moves = priced(reached.board, moves);
            current.push(Node {
                reached,
                numbers,
                moves,
            });
        }
        current.sort_by_cached_key(|node| (node.reached.loss, node.reached.place));
        Ok(current)
    }
}

/// The order of moves by the text of their squares; a pass, `pa`, is the last.
fn by_text(mv: Move) -> impl Ord {
    match mv {
        Move::Place(square) => (square.file(), square.rank()),
        Move::Pass => (8, 0),
    }
}

/// The known moves of a board, best first. Moves that its symmetry makes the same come once.
fn priced(board: Board, mut moves: Vec<KnownMove>) -> Vec<Priced> {
    best_first(board, &mut moves);
    let best = moves.iter().find_map(|mv| mv.score);
    let known = moves
        .into_iter()
        .filter(|known| known.target.is_some() && board.conventional(known.mv) == known.mv);
    let priced = known.map(|mv| Priced {
        // A move without a score may be the best one.
        cost: (best.zip(mv.score)).map_or(0, |(best, score)| i64::from(best - score)),
        mv,
    });
    priced.collect()
}

/// The default for what both sides together may give up, in discs.
const MAX_LOSS: i64 = 2;

/// A table of moves of one kind near best play.
#[derive(Clone, Copy, Debug)]
pub enum NearBest {
    /// The leaves within reach, counting the move out of the book: where the book should grow first.
    Frontier,
    /// The moves that give up most from positions within reach: what not to play.
    Worst,
}

impl NearBest {
    /// Whether it contains this move, if both sides together may give up `max_loss` discs.
    fn has(self, mv: &NearMove, max_loss: i64) -> bool {
        match self {
            NearBest::Frontier => mv.mv.target == Some(Target::Leaf) && mv.loss <= max_loss,
            NearBest::Worst => mv.cost > 0,
        }
    }
}

/// A move near best play.
#[derive(Clone, Debug)]
pub struct NearMove {
    /// The moves up to and including it.
    line: String,
    /// The board before it.
    board: Board,
    /// It has a score.
    mv: KnownMove,
    /// The discs it gives up.
    cost: i64,
    /// The discs given up by then, with those.
    loss: i64,
}

impl Table for NearBest {
    const COLUMNS: &'static [Column<NearMove>] = &[
        ("ply", Integer, |row| {
            (row.board.play(row.mv.mv).unwrap_or(row.board).ply() as u32).into()
        }),
        ("line", Text, |row| row.line.as_str().into()),
        ("square", Text, |row| row.mv.mv.to_string().into()),
        ("kind", Text, |row| row.mv.target.map(Target::name).into()),
        ("score", Integer, |row| row.mv.score.into()),
        ("cost", Integer, |row| row.cost.into()),
        ("loss", Integer, |row| row.loss.into()),
        ("level", Integer, |row| row.mv.level.into()),
        ("board", Key, |row| row.board.canonical().to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["root", "max_loss", "schema"];
    const FIRST: Option<&'static str> = Some("");
    const ROWS: i64 = 1000;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = NearMove;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let root = Given::read(arguments.value(0))?;
        let max_loss = max_loss(arguments, 1, MAX_LOSS)?;
        let mut moves = Vec::new();
        let mut tree = Growing::new(book, root, LONGEST, max_loss)?;
        for node in &mut tree {
            let Node {
                reached,
                moves: known,
                ..
            } = node?;
            let known = known.into_iter().filter(|it| it.mv.score.is_some());
            let near = known.map(|Priced { mv, cost }| NearMove {
                line: format!("{}{}", reached.line, mv.mv),
                board: reached.board,
                mv,
                cost,
                loss: reached.loss + cost,
            });
            moves.extend(near.filter(|mv| self.has(mv, max_loss)));
        }
        let links = moves.iter().map(|near| &near.mv).filter(|mv| mv.is_link());
        expect_children(&*tree.book, links)?;
        for near in &mut moves {
            near.mv.look_up_level(&*tree.book)?;
        }
        // Equal ones stay in the order of the tree.
        match self {
            NearBest::Frontier => moves.sort_by_key(|leaf| leaf.loss),
            NearBest::Worst => moves.sort_by_key(|mv| (Reverse(mv.cost), mv.loss)),
        }
        Ok(Box::new(moves.into_iter().map(Ok)))
    }
}
