//! A person's word on a position: its value is entered, or taken back, and every ancestor follows.

use crate::read::lookup::left_the_book;
use crate::write::fix::{Steps, recompute};
use crate::write::increment::{Change, Increment, Known, Readers};
use crate::{Book, BookHeader, Entry, Error, Progress, Result, Store, Update};
use obook_converters::RuleSet;
use obook_converters::{Engine, NoLeaf, PERSON_LEVEL, Position};
use obook_othello::{CanonicalBoard, Line};
use serde::Serialize;
use std::path::Path;

/// What a person does to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Says what it is worth to the side to move, −64 to 64 discs.
    Enter(i8),
    /// Takes back what a person said.
    Remove,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Edited {
    /// The position's value before, if the book had it.
    pub before: Option<i16>,
    /// Its value now; `None` where nobody knows it, or the position went.
    pub after: Option<i16>,
    /// The position was not in the book.
    pub added: bool,
    /// There was nothing to the position but the value that a person entered, so it went with it.
    pub removed: bool,
    /// Other positions whose numbers changed with it.
    pub ancestors: u64,
}

/// Enters or removes a value at the end of a line, in the database at `path`.
///
/// A value that a person enters has level 70: no search, merge or `fix` overwrites it, whatever lies below. A position
/// that the book does not hold yet is added where the book holds the one before. Where a value is removed, position and
/// ancestors are worth again what links and leaf say; one that has neither goes. A book that is not fixed is fixed first.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Unfit`] where the book ends before the line, or holds no value of a person there, or where the
/// game is over: its score is on the board. Where the database can't be read or written; it is then as before.
pub fn edit(
    path: &Path,
    line: &Line,
    edit: Edit,
    command: &str,
    progress: &Progress,
) -> Result<Edited> {
    if let Book::File(_) = Book::open(path)? {
        return Err(Error::book_file(path, "edit"));
    }
    if !Store::open(path)?.is_fixed()? {
        recompute(path, Steps::Fix { rules: None }, None, command, progress)?;
    }
    let mut store = Store::open_for_writing(path)?;
    let update = store.update()?;
    let reader = Store::open(path)?;
    let header = reader.header()?;
    let board = line.board().canonical();
    let own = reader.position(board)?;
    let before = own.as_ref().and_then(|position| position.value);
    let mut readers = Readers::open(path)?;
    let change = match edit {
        Edit::Enter(value) => Some(entered(&reader, line, own.clone(), value, header.rules)?),
        Edit::Remove => removed(&reader, line, own.clone())?,
    };
    let mut edited = Edited {
        before,
        after: None,
        added: own.is_none(),
        removed: change.is_none(),
        ancestors: 0,
    };
    let changes = match change {
        Some(change) => vec![change],
        None => without(board, &mut readers, &update)?,
    };
    edited.ancestors = write(readers, &update, &header, changes)?;
    // The position itself is one of those that changed, unless it said the same before.
    let itself = u64::from(own.is_some() && !edited.removed);
    edited.ancestors = edited.ancestors.saturating_sub(itself);
    edited.after = value_of(&update, board)?;
    update.commit(&Entry::new(command).counts(&edited))?;
    Ok(edited)
}

/// Links, computes and writes; how many positions of the book changed.
fn write(
    readers: Readers,
    update: &Update<'_>,
    header: &BookHeader,
    changes: Vec<Change>,
) -> Result<u64> {
    let increment = Increment::new(readers, Known::Any, header, changes, u64::MAX)?;
    let increment = increment.expect("no number of changes is too much");
    Ok(increment.write(update)?.changed)
}

/// The position with a value that a person entered.
fn entered(
    reader: &Store,
    line: &Line,
    own: Option<Position>,
    value: i8,
    rules: RuleSet,
) -> Result<Change> {
    let board = line.board();
    if board.is_over() {
        let score = board.final_score();
        let problem = format!("the game is over after {line}: its score is {score:+}");
        return Err(Error::unfit(reader.path(), problem));
    }
    let mut new = match &own {
        Some(position) => position.clone(),
        None => {
            let known = crate::read::lookup::positions_on(line)
                .map(|board| reader.position(board))
                .take_while(|position| !matches!(position, Ok(None)))
                .collect::<Result<Vec<_>>>()?
                .len();
            if known < line.ply() {
                return Err(left_the_book(reader.path(), line, known));
            }
            let engine = match rules {
                RuleSet::Edax => Engine::Edax,
                RuleSet::Egaroucid | RuleSet::EgaroucidEdax => Engine::Egaroucid,
            };
            Position::new(board.canonical(), engine)
        }
    };
    new.value = Some(value.into());
    new.level = Some(PERSON_LEVEL);
    Ok(Change {
        old: own,
        new,
        dropped: None,
    })
}

/// The position without the value that a person entered; `None` where nothing is left of it.
fn removed(reader: &Store, line: &Line, own: Option<Position>) -> Result<Option<Change>> {
    let by_a_person = |position: &Position| position.level.is_some_and(|it| it >= PERSON_LEVEL);
    let Some(old) = own.filter(by_a_person) else {
        let problem = format!("nobody entered a value for {line}: its level is not {PERSON_LEVEL}");
        return Err(Error::unfit(reader.path(), problem));
    };
    let mut new = old.clone();
    // Whoever stands behind the value now: the search of the leaf, or that of the best child.
    let best = old.links.iter().max_by_key(|link| link.score);
    let child = best.and_then(|link| old.board.board().play(link.mv));
    let child = match child {
        Some(child) => reader.numbers(child.canonical())?,
        None => None,
    };
    (new.level, new.engine) = match (old.leaf, child) {
        (Some(leaf), _) => (leaf.level, leaf.engine),
        (None, Some(child)) => (child.level, child.engine),
        (None, None) => return Ok(None),
    };
    new.value = None;
    Ok(Some(Change {
        old: Some(old),
        new,
        dropped: None,
    }))
}

/// Takes a position out; its parents without the links to it.
fn without(
    board: CanonicalBoard,
    readers: &mut Readers,
    update: &Update<'_>,
) -> Result<Vec<Change>> {
    let parents = board.board().parents();
    let mut parents: Vec<CanonicalBoard> = parents.map(|(_, board)| board.canonical()).collect();
    parents.sort_unstable();
    parents.dedup();
    let parents = readers.positions(&parents)?;
    update.remove(board)?;
    update.remove_todo(board)?;
    let without = |old: Position| {
        let mut new = old.clone();
        new.links.retain(|link| {
            let child = old.board.board().play(link.mv);
            child.map(|child| child.canonical()) != Some(board)
        });
        // One of them no longer is.
        new.no_leaf = new.no_leaf.filter(|it| *it != NoLeaf::AllMovesInBook);
        Change {
            old: Some(old),
            new,
            dropped: None,
        }
    };
    Ok(parents.into_iter().map(without).collect())
}

/// The value that stands in the transaction.
fn value_of(update: &Update<'_>, board: CanonicalBoard) -> Result<Option<i16>> {
    use rusqlite::OptionalExtension;
    update
        .connection()
        .query_row(
            "SELECT value FROM positions WHERE board = ?",
            [board.to_key()],
            |row| row.get(0),
        )
        .optional()
        .map(Option::flatten)
        .map_err(update.failed())
}
