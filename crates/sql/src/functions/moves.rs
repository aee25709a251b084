//! `moves(board)`, the legal moves of a position with what the book knows about them, `choose(board, rule, seed)`, one of them,
//! and `line(start)`, the best play from it.

use crate::functions::arguments::Given;
use crate::functions::book::Book;
use obook_base::sql::ColumnType::{Integer, Key, Real, Text};
use obook_base::sql::{
    Arguments, Column, Problem, Result, RowsOf, Table, Value, read_number, read_text,
};
use obook_othello::{Board, CanonicalBoard, Chance, Move, MoveRule, Position};
use std::cmp::Reverse;

/// The table `moves`.
#[derive(Clone, Copy, Debug)]
pub struct Moves;

/// A legal move, with what a book knows about it.
#[derive(Clone, Debug)]
pub struct KnownMove {
    /// The move, in the orientation of the given board.
    pub mv: Move,
    /// The position that it leads to.
    pub child: CanonicalBoard,
    /// Where it leads; `None` if the book doesn't know it.
    pub target: Option<Target>,
    /// The score for the side that plays it, in discs.
    pub score: Option<i16>,
    /// The level of the search behind the score.
    pub level: Option<u8>,
}

impl KnownMove {
    pub(crate) fn is_link(&self) -> bool {
        self.target == Some(Target::Link)
    }

    /// Whether only the child has the score.
    pub(crate) fn lacks_score(&self) -> bool {
        self.is_link() && self.score.is_none()
    }

    /// Looks up the score of a link that has none: the child's value.
    pub(crate) fn look_up_score(&mut self, book: &dyn Book) -> Result<()> {
        if self.lacks_score() {
            let numbers = book.numbers(self.child)?;
            self.score = numbers.and_then(|it| it.value).map(|value| -value);
        }
        Ok(())
    }

    /// Looks up the level of a link, which is stored with the child.
    pub(crate) fn look_up_level(&mut self, book: &dyn Book) -> Result<()> {
        if self.is_link() {
            self.level = book.numbers(self.child)?.and_then(|numbers| numbers.level);
        }
        Ok(())
    }
}

obook_base::named! {
    /// Where a move leads.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    #[cfg_attr(feature = "sqlite", derive(serde::Serialize))]
    #[cfg_attr(feature = "sqlite", serde(rename_all = "lowercase"))]
    pub enum Target {
        /// To a position in the book.
        Link = "link",
        /// Out of the book; it has been searched.
        Leaf = "leaf",
    }
}

impl Target {
    /// That of a link or of a leaf.
    #[must_use]
    pub const fn of(is_leaf: bool) -> Target {
        match is_leaf {
            false => Target::Link,
            true => Target::Leaf,
        }
    }
}

impl Table for Moves {
    const COLUMNS: &'static [Column<KnownMove>] = &[
        ("move", Integer, |row| row.mv.code().into()),
        ("square", Text, |row| row.mv.to_string().into()),
        ("kind", Text, |row| row.target.map(Target::name).into()),
        ("score", Integer, |row| row.score.into()),
        ("level", Integer, |row| row.level.into()),
        ("child", Key, |row| row.child.to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 10;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = KnownMove;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let moves = known_moves(&*book, Given::read(arguments.value(0))?.board)?;
        Ok(Box::new(moves.into_iter().map(Ok)))
    }
}

/// The legal moves of a board, best first. Of equal ones links come before the leaf, then in the order of [`Board::place_of`].
/// Moves without a score come last.
///
/// Of symmetric moves a book stores only one; here each gets its data.
fn known_moves(book: &dyn Book, board: Board) -> Result<Vec<KnownMove>> {
    book.expect(&[board.canonical()])?;
    let found = book.position(board.canonical())?;
    let mut moves = stored_moves(board, found.as_ref());
    expect_children(book, moves.iter().filter(|mv| mv.is_link()))?;
    for mv in &mut moves {
        mv.look_up_score(book)?;
        mv.look_up_level(book)?;
    }
    best_first(board, &mut moves);
    Ok(moves)
}

/// Announces the positions that moves lead to.
pub(crate) fn expect_children<'m>(
    book: &dyn Book,
    moves: impl Iterator<Item = &'m KnownMove>,
) -> Result<()> {
    let children: Vec<CanonicalBoard> = moves.map(|mv| mv.child).collect();
    book.expect(&children)
}

/// Sorts the moves of a board as [`known_moves`] does. Their scores must have been looked up.
pub(crate) fn best_first(board: Board, moves: &mut [KnownMove]) {
    moves.sort_by_cached_key(|known| {
        let (unknown, place) = (known.target.is_none(), board.place_of(known.mv));
        (unknown, Reverse(known.score), known.target, place)
    });
}

/// The legal moves of a board with what its position in the book says. Links lack their level and may lack their score: both are
/// stored with the child.
pub(crate) fn stored_moves(board: Board, position: Option<&Position>) -> Vec<KnownMove> {
    let canonical = board.canonical();
    let links = position.iter().flat_map(|it| &it.links);
    let links = links.filter_map(|link| Some((canonical.child(link.mv)?, link)));
    let links: Vec<_> = links.collect();
    let leaf = position.and_then(|it| it.leaf);
    let leaf = leaf.and_then(|leaf| Some((canonical.child(leaf.mv?)?, leaf)));
    let known = |(mv, child): (Move, Board)| {
        let child = child.canonical();
        let link = links.iter().find(|(to, _)| *to == child);
        let leaf = leaf.filter(|(to, _)| *to == child);
        let (target, score, level) = match (link, leaf) {
            (Some((_, link)), _) => (Some(Target::Link), link.score, None),
            (None, Some((_, leaf))) => (Some(Target::Leaf), Some(leaf.score), leaf.level),
            (None, None) => (None, None, None),
        };
        KnownMove {
            mv,
            child,
            target,
            score: score.map(i16::from),
            level,
        }
    };
    board.children().map(known).collect()
}

/// The table `choose`.
#[derive(Clone, Copy, Debug)]
pub struct Choose;

impl Table for Choose {
    const COLUMNS: &'static [Column<Chance>] = &[
        ("move", Integer, |row| row.mv.code().into()),
        ("square", Text, |row| row.mv.to_string().into()),
        ("kind", Text, |row| Target::of(row.is_leaf).name().into()),
        ("score", Integer, |row| row.score.into()),
        ("chance", Real, |row| row.chance.into()),
        ("child", Key, |row| row.child.to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "rule", "seed", "schema"];
    const ROWS: i64 = 1;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = Chance;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let board = Given::read(arguments.value(0))?;
        let rule = match arguments.optional(1) {
            None => MoveRule::default(),
            Some(Value::Text(text)) => read_text(text)?.parse().map_err(Problem::new)?,
            Some(found) => return Err(Problem::expected("a rule such as 'loss:2'", found)),
        };
        let seed = arguments.optional(2).map_or(Ok(0), |seed| {
            read_number::<i64>(seed, "a seed", i64::MIN..=i64::MAX)
        })?;
        let key = board.canonical();
        book.expect(&[key])?;
        let position = book.position(key)?;
        let chosen = position.and_then(|it| rule.choose(&it, board.board, seed.cast_unsigned()));
        Ok(Box::new(chosen.into_iter().map(Ok)))
    }
}

/// The table `line`.
#[derive(Clone, Copy, Debug)]
pub struct BestLine;

/// A move of the best line.
#[derive(Debug)]
pub struct Step {
    /// From 1.
    ply: u32,
    /// All moves so far, in the orientation of the start, including the moves that lead to it if it was given by them.
    line: String,
    /// The position before the move, in that orientation.
    board: Board,
    mv: KnownMove,
}

impl Table for BestLine {
    const COLUMNS: &'static [Column<Step>] = &[
        ("ply", Integer, |step| step.ply.into()),
        ("square", Text, |step| step.mv.mv.to_string().into()),
        ("kind", Text, |step| step.mv.target.map(Target::name).into()),
        ("score", Integer, |step| step.mv.score.into()),
        ("level", Integer, |step| step.mv.level.into()),
        ("line", Text, |step| step.line.as_str().into()),
        ("board", Key, |step| step.board.canonical().to_key().into()),
        ("move", Integer, |step| {
            step.board.canonicalize().1.play(step.mv.mv).code().into()
        }),
        ("child", Key, |step| step.mv.child.to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["start", "schema"];
    const ROWS: i64 = 30;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = Step;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let start = Given::read(arguments.value(0))?;
        let (mut board, mut line) = (start.board, start.line);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let best = known_moves(&*book, board)?.into_iter().next();
            // The best move with a score, or any link.
            let Some(mut mv) = best.filter(|best| best.target.is_some()) else {
                break;
            };
            mv.mv = board.conventional(mv.mv);
            line += &mv.mv.to_string();
            let after = board.play(mv.mv);
            // This ends, since every move places a disc or is a pass between two that do.
            let child = after.filter(|_| mv.is_link());
            steps.push(Step {
                ply: after.unwrap_or(board).ply() as u32,
                line: line.clone(),
                board,
                mv,
            });
            match child {
                Some(child) => board = child,
                None => break,
            }
        }
        Ok(Box::new(steps.into_iter().map(Ok)))
    }
}
