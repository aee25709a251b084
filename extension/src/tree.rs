//! `tree(root, depth, max_loss)`, the positions that good play reaches, with `frontier(root, max_loss)` and
//! `worst(root, max_loss)`, the moves near it that matter.

use crate::arguments::{given, read_number};
use crate::book::Book;
use crate::moves::{Kind, KnownMove, scored_moves};
use crate::problem::Result;
use crate::table::{ColumnValue, Rows, TableFunction, Values};
use obook_functions::Given;
use obook_model::Position;
use obook_othello::{Board, CanonicalBoard};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// The longest possible game: sixty discs, with a pass before each.
pub(crate) const LONGEST: u32 = 120;

/// The table `tree`.
#[derive(Clone)]
pub(crate) struct Tree;

/// A position, with the line on which the two sides together give up least; of equal ones the first by its squares.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) reached: Reached,
    numbers: Position,
}

/// A line to a position that may be in the book.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The number of moves from the root, including passes.
    moves: u32,
    /// Those moves, in the orientation of the root, after the moves that lead to it if it was given by them.
    pub(crate) line: String,
    /// The board, in the same orientation.
    pub(crate) board: Board,
    canonical: CanonicalBoard,
    /// The discs given up by both sides on the way.
    pub(crate) loss: i64,
}

impl TableFunction for Tree {
    const NAME: &'static str = "tree";
    const COLUMNS: &'static [&'static str] = &[
        "ply INTEGER",
        "line TEXT",
        "value INTEGER",
        "score INTEGER",
        "loss INTEGER",
        "level INTEGER",
        "empties INTEGER",
        "board BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["root", "depth", "max_loss", "schema"];
    const ROWS: i64 = 1000;
    type Row = Node;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        root: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Node>> {
        let depth = (others.get(1)).map_or(Ok(LONGEST), |it| {
            read_number(it, "a depth", 0..=i64::from(LONGEST))
        })?;
        let most = 0..=i64::from(u32::MAX);
        let max_loss =
            (others.get(2)).map_or(Ok(i64::MAX), |it| read_number(it, "a loss in discs", most))?;
        let book = Book::new(connection, others.get(3))?;
        let root = given(root)?;
        let tree = Growing::new(book, root, depth, max_loss);
        Ok(Box::new(tree.map(|grown| Ok(grown?.node))))
    }

    fn value(node: &Node, column: usize) -> ColumnValue<'_> {
        let Node { reached, numbers } = node;
        let value = numbers.value;
        match column {
            0 => (reached.board.ply() as u32).into(),
            1 => reached.line.as_str().into(),
            2 => value.into(),
            3 if reached.moves % 2 == 1 => value.map(|value| -value).into(),
            3 => value.into(),
            4 => reached.loss.into(),
            5 => numbers.level.into(),
            6 => reached.board.empties().into(),
            _ => reached.canonical.into(),
        }
    }
}

/// A position of the book with its known moves; without moves at the maximum depth.
pub(crate) struct Grown {
    pub(crate) node: Node,
    pub(crate) moves: Vec<Priced>,
}

/// A move, in the orientation of the root, with the discs it gives up.
pub(crate) struct Priced {
    pub(crate) mv: KnownMove,
    pub(crate) cost: i64,
}

/// Grows a tree move by move. Each position comes once per number of moves: all lines to it have the same length unless they
/// contain passes.
///
/// Positions at the same depth are looked up together, in the order of the tables. In the order of their lines they would be
/// scattered all over the file.
pub(crate) struct Growing<'c> {
    book: Book<'c>,
    depth: u32,
    max_loss: i64,
    /// The remaining positions at the current depth, best lines first.
    current: VecDeque<Grown>,
    /// The positions one move deeper, as far as known.
    next: BTreeMap<CanonicalBoard, Reached>,
}

impl Iterator for Growing<'_> {
    type Item = Result<Grown>;

    fn next(&mut self) -> Option<Result<Grown>> {
        if self.current.is_empty() {
            match self.look_up() {
                Ok(current) => self.current = current,
                Err(problem) => return Some(Err(problem)),
            }
        }
        let grown = self.current.pop_front()?;
        for priced in &grown.moves {
            if priced.mv.kind == Some(Kind::Link) {
                self.follow(&grown.node.reached, priced);
            }
        }
        Some(Ok(grown))
    }
}

impl<'c> Growing<'c> {
    /// The positions within `depth` moves of the root, if that's in the book, on lines that lose at most `max_loss`.
    pub(crate) fn new(book: Book<'c>, root: Given, depth: u32, max_loss: i64) -> Growing<'c> {
        let canonical = root.canonical();
        let root = Reached {
            moves: 0,
            line: root.line,
            board: root.board,
            canonical,
            loss: 0,
        };
        Growing {
            book,
            depth,
            max_loss,
            current: VecDeque::new(),
            next: BTreeMap::from([(canonical, root)]),
        }
    }

    /// Looks up the next positions, best lines first. Some may be missing: a link may lead nowhere.
    fn look_up(&mut self) -> Result<VecDeque<Grown>> {
        let mut current = Vec::with_capacity(self.next.len());
        for reached in std::mem::take(&mut self.next).into_values() {
            if let Some(numbers) = self.book.numbers(reached.canonical)? {
                let moves = self.moves(&reached)?;
                let node = Node { reached, numbers };
                current.push(Grown { node, moves });
            }
        }
        current.sort_by(|a, b| {
            let (a, b) = (&a.node.reached, &b.node.reached);
            (a.loss, &a.line).cmp(&(b.loss, &b.line))
        });
        Ok(current.into())
    }

    /// The known moves of a position, unless they go too deep. Moves that its symmetry makes the same come once.
    fn moves(&self, from: &Reached) -> Result<Vec<Priced>> {
        if from.moves == self.depth {
            return Ok(Vec::new());
        }
        let moves = scored_moves(&self.book, from.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        let known = moves
            .into_iter()
            .filter(|known| known.kind.is_some() && from.board.conventional(known.mv) == known.mv);
        let priced = known.map(|mv| Priced {
            // A move without a score may be the best one.
            cost: (best.zip(mv.score)).map_or(0, |(best, score)| i64::from(best - score)),
            mv,
        });
        Ok(priced.collect())
    }

    /// Adds the child, unless too much is given up or an earlier position reaches it at least as well.
    fn follow(&mut self, from: &Reached, Priced { mv: link, cost }: &Priced) {
        let loss = from.loss + cost;
        let known = self.next.get(&link.child);
        if loss > self.max_loss || known.is_some_and(|known| known.loss <= loss) {
            return;
        }
        let Some(board) = from.board.play(link.mv) else {
            return;
        };
        let child = Reached {
            moves: from.moves + 1,
            line: format!("{}{}", from.line, link.mv),
            board,
            canonical: link.child,
            loss,
        };
        self.next.insert(link.child, child);
    }
}

/// The default root: f5, the conventional one of the four equivalent first moves.
const FIRST_MOVE: &str = "f5";
/// The default for what both sides together may give up, in discs.
const MAX_LOSS: i64 = 2;

/// A table of moves of one kind near best play.
#[derive(Clone)]
pub(crate) struct NearBest<K>(pub(crate) K);

/// The moves near best play that a table contains.
pub(crate) trait MoveKind: Clone + Send + Sync + 'static {
    /// The table's name.
    const NAME: &'static str;

    fn has(mv: &NearMove, max_loss: i64) -> bool;

    /// Sorts the moves. The sort must be stable, so that equal ones stay in the order of the tree.
    fn sort(moves: &mut [NearMove]);
}

/// The leaves within reach, counting the move out of the book: where the book should grow first.
#[derive(Clone)]
pub(crate) struct Frontier;

impl MoveKind for Frontier {
    const NAME: &'static str = "frontier";

    fn has(mv: &NearMove, max_loss: i64) -> bool {
        mv.mv.kind == Some(Kind::Leaf) && mv.loss <= max_loss
    }

    fn sort(moves: &mut [NearMove]) {
        moves.sort_by_key(|leaf| leaf.loss);
    }
}

/// The moves that give up most from positions within reach: what not to play.
#[derive(Clone)]
pub(crate) struct Worst;

impl MoveKind for Worst {
    const NAME: &'static str = "worst";

    fn has(mv: &NearMove, _: i64) -> bool {
        mv.cost > 0
    }

    fn sort(moves: &mut [NearMove]) {
        moves.sort_by_key(|mv| (Reverse(mv.cost), mv.loss));
    }
}

/// A move near best play.
#[derive(Clone, Debug)]
pub(crate) struct NearMove {
    /// The moves up to and including it.
    line: String,
    /// The board before it.
    board: Board,
    mv: KnownMove,
    /// For the side that plays it.
    score: i16,
    /// The discs it gives up.
    cost: i64,
    /// Those and the discs given up before it.
    loss: i64,
}

impl NearMove {
    /// A move from a position, if it has a score.
    fn of(from: &Reached, Priced { mv, cost }: Priced) -> Option<NearMove> {
        Some(NearMove {
            line: format!("{}{}", from.line, mv.mv),
            board: from.board,
            score: mv.score?,
            mv,
            cost,
            loss: from.loss + cost,
        })
    }
}

impl<K: MoveKind> TableFunction for NearBest<K> {
    const NAME: &'static str = K::NAME;
    const COLUMNS: &'static [&'static str] = &[
        "ply INTEGER",
        "line TEXT",
        "square TEXT",
        "kind TEXT",
        "score INTEGER",
        "cost INTEGER",
        "loss INTEGER",
        "level INTEGER",
        "board BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["root", "max_loss", "schema"];
    const FIRST: Option<&'static str> = Some(FIRST_MOVE);
    const ROWS: i64 = 1000;
    type Row = NearMove;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        root: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, NearMove>> {
        let max_loss = others.get(1).map_or(Ok(MAX_LOSS), |it| {
            read_number(it, "a loss in discs", 0..=i64::from(u32::MAX))
        })?;
        let book = || Book::new(connection, others.get(2));
        let (lines, levels) = (book()?, book()?);
        let mut moves = Vec::new();
        for grown in Growing::new(lines, given(root)?, LONGEST, max_loss) {
            let Grown { node, moves: known } = grown?;
            let near = known
                .into_iter()
                .filter_map(|mv| NearMove::of(&node.reached, mv));
            moves.extend(near.filter(|mv| K::has(mv, max_loss)));
        }
        for near in &mut moves {
            near.mv.look_up_level(&levels)?;
        }
        K::sort(&mut moves);
        Ok(Box::new(moves.into_iter().map(Ok)))
    }

    fn value(row: &NearMove, column: usize) -> ColumnValue<'_> {
        match column {
            0 => (row.board.play(row.mv.mv).unwrap_or(row.board).ply() as u32).into(),
            1 => row.line.as_str().into(),
            2 => row.mv.mv.into(),
            3 => row.mv.kind.map(Kind::name).into(),
            4 => Some(row.score).into(),
            5 => row.cost.into(),
            6 => row.loss.into(),
            7 => row.mv.level.into(),
            _ => row.board.canonical().into(),
        }
    }
}
