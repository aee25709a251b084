//! Which positions are searched, and at which level.

use super::SearchOptions;
use crate::search::as_strong_as;
use foldhash::HashSet;
use obook_book::read::lookup::rows_where;
use obook_book::{Error, Result, Store};
use obook_graph::mapping::demands::MAX_LEVEL;
use obook_graph::sort::search_of_leaf;
use obook_model::levels::Strength;
use obook_model::{Engine, Leaf, Position};
use obook_othello::{CanonicalBoard, Line};
use obook_store::Lost;
use rusqlite::Row;
use std::cmp::Reverse;

/// A position that is to be searched, and its level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chosen {
    pub(crate) board: CanonicalBoard,
    pub(crate) level: u8,
}

/// The level at which the book is searched: what is asked for, or else its own; and no weaker than what is searched again.
pub(crate) fn level(book: &Store, options: &SearchOptions) -> Result<u8> {
    let own = || {
        let level = book.header()?.header.level;
        let level = level.and_then(|level| u8::try_from(level).ok());
        level.filter(|level| *level <= MAX_LEVEL).ok_or_else(|| {
            let problem = "the book does not say at which level it is searched: name one";
            Error::unfit(book.path(), problem)
        })
    };
    let level = options.level.map_or_else(own, Ok)?;
    Ok(level.max(options.below.unwrap_or(0)))
}

/// The positions that are to be searched at this level, those with the fewest discs first.
pub(crate) fn choose(
    book: &Store,
    options: &SearchOptions,
    engine: Engine,
    level: u8,
) -> Result<Vec<Chosen>> {
    let mut chosen = waiting(book, options, engine, level)?;
    if let Some(below) = options.below {
        chosen.extend(weaker(book, options, engine, below, level)?);
    }
    if let Some(line) = &options.from {
        let reached = below_line(book, line)?;
        chosen.retain(|it| reached.contains(&it.board));
    }
    chosen.sort_unstable_by_key(|it| {
        (
            Reverse(it.board.board().empties()),
            it.board,
            Reverse(it.level),
        )
    });
    chosen.dedup_by_key(|it| it.board);
    if let Some(limit) = options.limit {
        chosen.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(chosen)
}

/// Those that lack a leaf.
fn waiting(
    book: &Store,
    options: &SearchOptions,
    engine: Engine,
    level: u8,
) -> Result<Vec<Chosen>> {
    let sql = |holds: &str| {
        format!(
            "SELECT todo.board, todo.level, todo.engine FROM todo
             WHERE EXISTS (SELECT 1 FROM positions WHERE board = todo.board AND {holds})"
        )
    };
    rows_where(book, options.condition.as_deref(), sql, |row| {
        let Some(board) = board(row)? else {
            return Ok(None);
        };
        let lost = small(row, 1)?.zip(engine_of(row, 2)?);
        let lost = lost.map(|(level, engine)| Lost { level, engine });
        let level = lost.map_or(level, |lost| as_strong_as(lost, engine, level, board));
        Ok(Some(Chosen { board, level }))
    })
}

/// Those whose leaf comes from a weaker search than one at level `below`.
fn weaker(
    book: &Store,
    options: &SearchOptions,
    engine: Engine,
    below: u8,
    level: u8,
) -> Result<Vec<Chosen>> {
    let sql = |holds: &str| {
        format!(
            "SELECT leaves.board, leaves.level, leaves.engine, known.level, known.engine
             FROM leaves CROSS JOIN positions AS known ON known.board = leaves.board
             WHERE EXISTS (SELECT 1 FROM positions WHERE board = leaves.board AND {holds})"
        )
    };
    rows_where(book, options.condition.as_deref(), sql, |row| {
        // What a game that is over is worth stands on the board.
        let board = board(row)?.filter(|board| !board.board().is_over());
        let Some(board) = board else {
            return Ok(None);
        };
        let empties = board.board().empties() as u8;
        let wanted = Strength::new(engine, Some(below), empties);
        let mut position = Position::new(board, engine_of(row, 4)?.unwrap_or(Engine::Edax));
        position.level = small(row, 3)?;
        let leaf = Leaf {
            mv: None,
            score: 0,
            level: small(row, 1)?,
            engine: engine_of(row, 2)?.unwrap_or(Engine::Edax),
        };
        let is_weaker = search_of_leaf(leaf, &position) < wanted;
        Ok(is_weaker.then_some(Chosen { board, level }))
    })
}

fn board(row: &Row<'_>) -> rusqlite::Result<Option<CanonicalBoard>> {
    Ok(CanonicalBoard::from_key(row.get(0)?).ok().flatten())
}

fn engine_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Engine>> {
    let code: Option<i64> = row.get(column)?;
    Ok(code.and_then(Engine::from_code))
}

fn small(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u8>> {
    let number: Option<i64> = row.get(column)?;
    Ok(number.and_then(|number| number.try_into().ok()))
}

/// The positions of the book that the end of a line leads to, itself among them.
fn below_line(book: &Store, line: &Line) -> Result<HashSet<CanonicalBoard>> {
    let mut reached = HashSet::default();
    let mut waiting = vec![line.board().canonical()];
    while let Some(board) = waiting.pop() {
        if reached.contains(&board) {
            continue;
        }
        let Some(position) = book.position(board)? else {
            continue;
        };
        reached.insert(board);
        let children = position
            .links
            .iter()
            .filter_map(|link| board.board().play(link.mv));
        waiting.extend(children.map(|child| child.canonical()));
    }
    Ok(reached)
}
