//! `frontier(root, max_loss)` and `worst(root, max_loss)`: moves that matter because they lie near best play.
//!
//! Both go down the lines from a root on which both sides together give up at most `max_loss` discs, as `tree` does.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, KnownMove};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use crate::tree::{Growing, Grown, LONGEST, Priced, Reached};
use obook_othello::Board;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;

/// Where lines begin where nothing is said: the four first moves lead to the same position, and people play f5.
const FIRST_MOVE: &str = "f5";
/// What both sides together may give up where nothing is said, in discs.
const MAX_LOSS: i64 = 2;

/// The moves of one kind that lie near best play, as a table.
#[derive(Clone)]
pub(crate) struct NearBest<K>(pub(crate) K);

/// Which of the moves near best play a table has.
pub(crate) trait MoveKind: Clone + Send + Sync + 'static {
    /// The table's name.
    const NAME: &'static str;

    fn has(mv: &NearMove, max_loss: i64) -> bool;

    /// Brings them into their order. It has to be stable: of equal ones the earlier come first, as the lines go down.
    fn sort(moves: &mut [NearMove]);
}

/// The leaves that such lines reach, the move out of the book counted: where the book should grow first.
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

/// The moves from positions on such lines that give up most: what must not be played.
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
    /// The moves that lead to it, and itself.
    line: String,
    /// Where it is made.
    board: Board,
    mv: KnownMove,
    /// For the side that makes it.
    score: i16,
    /// Discs that it gives up.
    cost: i64,
    /// Those with what was given up before it.
    loss: i64,
}

impl NearMove {
    /// A move from a position, where it has a score.
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
        for grown in Growing::new(lines, Given::read(root)?, LONGEST, max_loss) {
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
