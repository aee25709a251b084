//! Growing a book: what it lacks, and the answers of engines on their way in.

use crate::best_first::{Scope, Wanted};
use crate::database::fix::{board, compute_and, not_in_book};
use crate::database::position::{Position, Record};
use crate::database::rows::{State, Writer, each_made, find};
use crate::database::schema;
use crate::database::view::look_up;
use crate::games::Game;
use crate::{Board, Book, BookMove, Colour, MATE, Move, Packed};
use obook_base::sqlite::all_rows;
use obook_store::{Change, Context, Error, IfExists, Result, Store};
use rusqlite::Row;
use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU16;
use std::path::Path;

/// A search that a book waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The position of the book.
    pub key: Packed,
    /// Its move whose score is looked for; `None`: its best moves are.
    pub mv: Option<Move>,
    /// The position to ask about.
    pub board: Board,
    /// How many moves to ask for.
    pub moves: NonZeroU16,
    /// How many of these may lead to positions of the book. As many others are taken as remain.
    pub links: u16,
}

/// Makes a database without positions.
///
/// # Errors
/// If it can't be written, or a file of this name exists.
pub fn create(path: &Path, context: &Context) -> Result<()> {
    schema::create(path, IfExists::Refuse, context, |_| Ok(()))
}

/// The searches that a book waits for, in the order of its positions: for positions without a listed move, for those whose moves all
/// lead to positions of the book, and for moves out of the book without a score. For a new position they ask for this many moves; for
/// others, for as many beside those that lead to positions of the book.
///
/// # Errors
/// If the database can't be read.
pub fn lacking(store: &Store, moves: NonZeroU16) -> Result<Vec<Search>> {
    let path = store.path();
    let mut found = Vec::new();
    each_made(&mut State::committed(store)?, Ok, |position| {
        let key = position.key;
        let at = board(&position, path)?;
        let is_link = |mv| position.own.links.iter().any(|link| link.mv == mv);
        let leaves = position.leaves();
        let mut leaves = leaves.iter().filter(|leaf| !is_link(leaf.mv)).peekable();
        if leaves.peek().is_none() {
            found.extend(more_moves(&position, at, moves));
        }
        for leaf in leaves.filter(|leaf| leaf.score.is_none()) {
            let after = at.play(leaf.mv).ok_or_else(|| {
                let mv = leaf.mv;
                Error::unfit(path, format!("table leaves: {mv} isn't legal in {at}"))
            })?;
            found.push(Search {
                key,
                mv: Some(leaf.mv),
                board: after.canonical(),
                moves: NonZeroU16::MIN,
                links: 0,
            });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The searches for positions without a listed move, in the order of the positions. Each asks for this many moves.
///
/// # Errors
/// If the database can't be read.
pub fn lacking_moves(store: &Store, moves: NonZeroU16) -> Result<Vec<Search>> {
    let mut found = Vec::new();
    let sql = "SELECT board FROM positions
               WHERE NOT EXISTS (SELECT 1 FROM leaves WHERE board = positions.board) ORDER BY board";
    let key = |row: &Row<'_>| row.get(0).map(Packed);
    let keys: Vec<Packed> = store.read(|it| all_rows(it, sql, [], key))?;
    for key in keys {
        let position = Position::new(key);
        let at = board(&position, store.path())?;
        found.extend(more_moves(&position, at, moves));
    }
    Ok(found)
}

/// The search for more moves of a position, unless all lead to positions of the book.
fn more_moves(position: &Position, at: Board, moves: NonZeroU16) -> Option<Search> {
    let links = u16::try_from(position.own.links.len()).unwrap_or(u16::MAX);
    let has_others = at.legal_moves().len() > position.own.links.len();
    has_others.then(|| Search {
        key: position.key,
        mv: None,
        board: at,
        moves: moves.saturating_add(links),
        links,
    })
}

/// The positions that a position leads to, itself among them.
///
/// # Errors
/// If the database can't be read, and [`Error::Unfit`] if it doesn't have the position.
pub fn below(store: &Store, root: &Board) -> Result<HashSet<Packed>> {
    let (mut reached, mut open) = (HashSet::new(), vec![root.canonical()]);
    while let Some(at) = open.pop() {
        let position = look_up(store, &at)?;
        let Some(position) = position.filter(|_| reached.insert(at.key())) else {
            continue;
        };
        let links = position.own.links.iter();
        let children = links.filter_map(|link| at.play(link.mv));
        open.extend(children.map(|child| child.canonical()));
    }
    if reached.is_empty() {
        return Err(not_in_book(root, store.path()));
    }
    Ok(reached)
}

/// The number of positions, and of those with moves.
///
/// # Errors
/// If the database can't be read.
pub fn sizes(store: &Store) -> Result<(u64, u64)> {
    let sql = "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT 1 FROM leaves WHERE board = positions.board))
               FROM positions";
    let row = |row: &Row<'_>| Ok((row.get::<_, u32>(0)?.into(), row.get::<_, u32>(1)?.into()));
    store.read(|it| it.query_row(sql, [], row))
}

/// The own score of a position.
///
/// # Errors
/// If the database can't be read.
pub fn value(store: &Store, board: &Board) -> Result<Option<i32>> {
    let found = look_up(store, board)?;
    Ok(found.and_then(|position| position.own.value))
}

/// Looks a position up in the middle of a change.
fn find_in(change: &Change<'_>, key: Packed) -> Result<Option<Position>> {
    find(change.connection(), key).map_err(change.failed())
}

/// The changes that answers made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many moves are new or have another score.
    pub moves: u64,
    /// The positions about which an answer said nothing new.
    pub idle: Vec<Packed>,
}

/// Adds answers to a book. Of two scores of a move the deeper one is kept. Answers about positions that are gone don't count.
///
/// # Errors
/// If the database can't be read or written.
pub fn take_in(change: &Change<'_>, answers: &[(Search, Vec<BookMove>)]) -> Result<Taken> {
    let mut changed: BTreeMap<Packed, Position> = BTreeMap::new();
    let mut taken = Taken::default();
    for (search, found) in answers {
        let known = match changed.remove(&search.key) {
            Some(known) => Some(known),
            None => find_in(change, search.key)?,
        };
        let Some(mut position) = known else { continue };
        let links = &position.own.links;
        let is_meant =
            |listed: &&BookMove| search.links == 0 || links.iter().all(|link| link.mv != listed.mv);
        let most = usize::from(search.moves.get() - search.links);
        let found: Vec<BookMove> = found.iter().filter(is_meant).take(most).copied().collect();
        let moves = taken.moves;
        for record in position.records.iter_mut().flatten() {
            let before = record.moves.clone();
            found.iter().for_each(|listed| record.list(*listed));
            let gained = record.moves.iter().filter(|it| !before.contains(it));
            taken.moves += gained.count() as u64;
        }
        if taken.moves == moves {
            taken.idle.push(search.key);
        }
        changed.insert(search.key, position);
    }
    let mut writer = Writer::new(change.connection()).map_err(change.failed())?;
    for position in changed.values() {
        writer.leaves(position).map_err(change.failed())?;
    }
    writer.finish().map_err(change.failed())?;
    change.forget_fixed()?;
    Ok(taken)
}

/// The answer that needs no engine: the score of a move that mates.
#[must_use]
pub fn known(search: &Search) -> Option<Vec<BookMove>> {
    let mv = search.mv.filter(|_| search.board.is_lost())?;
    Some(vec![BookMove {
        score: Some(MATE),
        depth: Some(1),
        ..BookMove::new(mv)
    }])
}

/// Fixes a book, and adds the positions that are [wanted](crate::OwnScores::best_first) next, without moves, unless more moves of other
/// positions come first.
///
/// # Errors
/// If the database can't be read or written.
pub fn choose(
    change: &Change<'_>,
    line: &Game,
    scope: &Scope,
    is_known: impl Fn(Packed) -> bool,
) -> Result<Next> {
    let state = State::committed(change.store())?;
    let (_, wanted) = compute_and(change, state, |own| own.best_first(scope, is_known))?;
    if find_in(change, scope.root)?.is_none() {
        let ply = u32::try_from(line.moves().len() + 1).ok();
        let ply = ply.filter(|_| *line.start() == Board::start());
        return add(change, vec![unsearched(line.board(), ply)]);
    }
    let moves = match wanted {
        Wanted::Moves(positions) => return Ok(Next::Moves(positions)),
        Wanted::Positions(moves) => moves,
    };
    let mut new = Vec::new();
    for (parent, mv) in moves {
        let found = find_in(change, parent)?;
        let parent = found.unwrap_or_else(|| Position::new(parent));
        let child = board(&parent, change.store().path())?.play(mv);
        new.extend(child.map(|child| follower(&parent, &child)));
    }
    add(change, new)
}

/// The searches for more moves of these positions. Positions that are gone get none, nor do those whose legal moves all lead to the
/// book.
///
/// # Errors
/// If the database can't be read.
pub fn for_more_moves(
    store: &Store,
    positions: &[Packed],
    moves: NonZeroU16,
) -> Result<Vec<Search>> {
    let mut searches = Vec::new();
    for &key in positions {
        let Some(position) = store.read(|it| find(it, key))? else {
            continue;
        };
        let at = board(&position, store.path())?;
        searches.extend(more_moves(&position, at, moves));
    }
    Ok(searches)
}

/// Adds the positions of a book, and those to which its moves lead, without moves, unless they are there: the first `most` of them.
///
/// # Errors
/// If the database can't be read or written.
pub fn add_positions(change: &Change<'_>, book: &Book, most: usize) -> Result<Next> {
    let mut new: BTreeMap<Packed, Position> = BTreeMap::new();
    for entry in &book.entries {
        let children = entry.moves.iter().filter_map(|it| entry.board.play(it.mv));
        let next = entry.ply.and_then(|ply| ply.checked_add(1));
        let boards = children.map(|child| (child, next));
        for (board, ply) in [(entry.board, entry.ply)].into_iter().chain(boards) {
            if let Some(twin) = new.get_mut(&board.key()) {
                twin.records[board.turn() as usize].get_or_insert(Record::empty(ply));
            } else if new.len() < most && find_in(change, board.key())?.is_none() {
                new.insert(board.key(), unsearched(&board, ply));
            }
        }
    }
    add(change, new.into_values().collect())
}

/// The step after a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Nothing,
    /// Positions of which more moves are wanted.
    Moves(Vec<Packed>),
    /// This many positions that have no moves yet.
    Added(u64),
}

fn add(change: &Change<'_>, new: Vec<Position>) -> Result<Next> {
    if new.is_empty() {
        return Ok(Next::Nothing);
    }
    let mut writer = Writer::new(change.connection()).map_err(change.failed())?;
    for position in &new {
        writer.position(position).map_err(change.failed())?;
    }
    writer.finish().map_err(change.failed())?;
    // They may lead to positions of the book.
    change.forget_fixed()?;
    Ok(Next::Added(new.len() as u64))
}

/// A position without moves, as the side to move has it.
fn unsearched(board: &Board, ply: Option<u32>) -> Position {
    let mut position = Position::new(board.key());
    position.records[board.turn() as usize] = Some(Record::empty(ply));
    position
}

/// A position after a move, without moves: its files are those of the position before it.
fn follower(parent: &Position, child: &Board) -> Position {
    let mut position = Position::new(child.key());
    for colour in Colour::ALL {
        position.records[colour.other() as usize] = parent.records[colour as usize]
            .as_ref()
            .map(|record| Record::empty(record.ply.and_then(|ply| ply.checked_add(1))));
    }
    position
}
