//! A person's word on a position: its value is entered, or taken back, and every ancestor follows.

use crate::read::lookup::{left_the_book, positions_on};
use crate::write::fix::{ChangedPositions, Steps, recompute_in};
use crate::write::increment::{Delta, Increment, KeyFilter, ReadPositions};
use crate::{Book, Change, Context, Error, Result};
use obook_model::RuleSet;
use obook_model::{Engine, NoLeaf, PERSON_LEVEL, Position};
use obook_othello::{CanonicalBoard, Line, Move};
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
    /// Its value now; `None` where it is not known, or the position went.
    pub after: Option<i16>,
    /// The position was not in the book.
    pub added: bool,
    /// There was nothing to the position but the value that a person entered, so it went with it.
    pub removed: bool,
    /// Other positions whose numbers changed with it.
    pub ancestors: u64,
    /// What fixing the book changed before, where it was not fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<ChangedPositions>,
}

/// Enters or removes a value at the end of a line, in the database at `path`.
///
/// A value that a person enters has level 70: no search, merge or `fix` overwrites it, whatever lies below. A position
/// that the book does not hold yet is added where the book holds the one before. Where a value is removed, position and
/// ancestors are worth again what links and leaf say; one that has neither goes. A book that is not fixed is fixed in the
/// same change.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Unfit`] where the book ends before the line, or holds no value of a person there, or where the
/// game is over: its score is on the board. Where the database can't be read or written; it is then as before.
pub fn edit(path: &Path, line: &Line, edit: Edit, context: &Context) -> Result<Edited> {
    let mut store = Book::open_for_writing(path, "edit", context)?;
    let update = store.change()?;
    let reader = update.store().reader()?;
    let header = reader.header()?;
    let fixed = if reader.is_fixed()? {
        None
    } else {
        refuse_early(&update, line, edit, header.rules)?;
        let steps = Steps::Fix { rules: None };
        Some(recompute_in(&update, steps)?.changed)
    };
    let (before, change) = prepare(&update, line, edit, header.rules)?;
    let mut edited = Edited {
        before: before.as_ref().and_then(|before| before.value),
        after: None,
        added: before.is_none(),
        removed: change.is_none(),
        ancestors: 0,
        fixed,
    };
    let board = line.board().canonical();
    let changes = match change {
        Some(change) => vec![change],
        None => without(&update, board)?,
    };
    let increment = Increment::new(&mut &update, KeyFilter::Any, &header, changes, u64::MAX)?;
    let increment = increment.expect("no number of changes is too much");
    // The position itself is one of those that changed, unless it said the same before.
    let itself = u64::from(before.is_some() && !edited.removed);
    edited.ancestors = increment.write(&update)?.changed.saturating_sub(itself);
    edited.after = update.numbers(board)?.and_then(|position| position.value);
    update.forget_sources()?;
    update.commit(&edited)?;
    Ok(edited)
}

/// Refuses before the whole book is worked on what will be refused then too. Damage is no reason, for fixing mends it, nor
/// is a pass that the book lacks until then.
fn refuse_early(update: &Change<'_>, line: &Line, edit: Edit, rules: RuleSet) -> Result<()> {
    if line.moves().contains(&Move::Pass) {
        return Ok(());
    }
    match prepare(update, line, edit, rules) {
        Err(refused @ Error::Unfit { .. }) => Err(refused),
        _ => Ok(()),
    }
}

/// The position as the transaction has it, and what becomes of it; `None` where nothing is left of it.
fn prepare(
    update: &Change<'_>,
    line: &Line,
    edit: Edit,
    rules: RuleSet,
) -> Result<(Option<Position>, Option<Delta>)> {
    let own = update.position(line.board().canonical())?;
    let change = match edit {
        Edit::Enter(value) => Some(entered(update, line, own.clone(), value, rules)?),
        Edit::Remove => removed(update, line, own.clone())?,
    };
    Ok((own, change))
}

/// The position with a value that a person entered.
fn entered(
    update: &Change<'_>,
    line: &Line,
    own: Option<Position>,
    value: i8,
    rules: RuleSet,
) -> Result<Delta> {
    let board = line.board();
    if board.is_over() {
        let score = board.final_score();
        let problem = format!("the game is over after {line}: its score is {score:+}");
        return Err(Error::unfit(update.store().path(), problem));
    }
    let mut new = match &own {
        Some(position) => position.clone(),
        None => {
            let known = positions_on(line)
                .map(|board| update.numbers(board))
                .take_while(|position| !matches!(position, Ok(None)))
                .collect::<Result<Vec<_>>>()?
                .len();
            let is_alone = known == 0 && !line.is_from_start();
            if is_alone || known < line.moves().len() {
                return Err(left_the_book(update.store().path(), line, known));
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
    Ok(Delta {
        old: own,
        new,
        dropped: None,
    })
}

/// The position without the value that a person entered; `None` where nothing is left of it.
fn removed(update: &Change<'_>, line: &Line, own: Option<Position>) -> Result<Option<Delta>> {
    let by_a_person = |position: &Position| position.level.is_some_and(|it| it >= PERSON_LEVEL);
    let Some(old) = own.filter(by_a_person) else {
        let problem = format!("no value was entered for {line}: its level is not {PERSON_LEVEL}");
        return Err(Error::unfit(update.store().path(), problem));
    };
    let mut new = old.clone();
    // The search behind the value now is that of the leaf, or that of the best child.
    let best = old.links.iter().max_by_key(|link| link.score);
    let child = best.and_then(|link| old.board.board().play(link.mv));
    let child = match child {
        Some(child) => update.numbers(child.canonical())?,
        None => None,
    };
    (new.level, new.engine) = match (old.leaf, child) {
        (Some(leaf), _) => (leaf.level, leaf.engine),
        (None, Some(child)) => (child.level, child.engine),
        (None, None) => return Ok(None),
    };
    new.value = None;
    Ok(Some(Delta {
        old: Some(old),
        new,
        dropped: None,
    }))
}

/// Takes a position out; its parents without the links to it.
fn without(update: &Change<'_>, board: CanonicalBoard) -> Result<Vec<Delta>> {
    let parents = board.board().parents();
    let mut parents: Vec<CanonicalBoard> = parents.map(|(_, board)| board.canonical()).collect();
    parents.sort_unstable();
    parents.dedup();
    let mut book = update;
    let parents = book.positions(&parents)?;
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
        Delta {
            old: Some(old),
            new,
            dropped: None,
        }
    };
    Ok(parents.into_iter().map(without).collect())
}
