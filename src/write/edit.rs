//! Values that a person enters or removes. Every ancestor follows.

use crate::read::lookup::{known_on, left_the_book};
use crate::write::fix::{ChangedPositions, Steps, recompute_in};
use crate::write::increment::{Delta, Increment, KeyFilter, Readers};
use crate::{Change, Error, Result, Store, StoreError};
use obook_othello::{
    CanonicalBoard, Engine, Line, Move, NoLeaf, PERSON_LEVEL, Position, RuleSet, is_entered,
};
use serde::Serialize;

/// A manual change of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Enter its value for the side to move, −64 to 64 discs.
    Enter(i8),
    /// Remove the value that a person entered.
    Remove,
}

/// The result of an edit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Edited {
    /// The position's value before, if the book had it.
    pub before: Option<i16>,
    /// Its value now; `None` if it is unknown or the position was removed.
    pub after: Option<i16>,
    /// The position was not in the book before.
    pub added: bool,
    /// The position held nothing but the entered value, so it was removed too.
    pub removed: bool,
    /// Other positions whose numbers changed.
    pub ancestors: u64,
    /// The changes by fixing the book first, if it was not fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<ChangedPositions>,
}

/// Enters or removes a value at the end of a line, in a database that is open for writing, as one change in its history.
///
/// An entered value has level 70: no search, merge or `fix` overwrites it. A position that is not in the book is
/// added if the one before it is. When a value is removed, the position and its ancestors get the values that follow
/// from links and leaves again; a position with neither is removed. A book that is not fixed is fixed in the same
/// change.
///
/// # Errors
/// [`StoreError::Unfit`] if the book doesn't reach the end of the line, if there is no entered value to remove, or if the game
/// is over there; and if the database can't be read or written. It is then as before.
pub fn edit(store: &mut Store, line: &Line, edit: Edit) -> Result<Edited> {
    let update = store.change()?;
    let edited = edit_in(&update, line, edit)?;
    update.commit(&edited)?;
    Ok(edited)
}

/// Does what [`edit()`] does as part of a change. If the book is not fixed, the change must not have written anything yet,
/// because fixing reads the database on another connection.
///
/// # Errors
/// The same as [`edit()`].
pub fn edit_in(update: &Change<'_>, line: &Line, edit: Edit) -> Result<Edited> {
    let store = update.store();
    let header = store.header()?;
    let mut fixed = None;
    if !store.is_fixed()? {
        refuse_early(update, line, edit, header.rules)?;
        let steps = Steps::Fix { rules: None };
        fixed = Some(recompute_in(update, steps)?.changed);
    }
    let (before, change) = prepare(update, line, edit, header.rules)?;
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
        None => without(update, board)?,
    };
    let increment = Increment::new(update, &header, KeyFilter::ANY, changes)?;
    // The position itself counts as changed unless it said the same before.
    let itself = u64::from(before.is_some() && !edited.removed);
    edited.ancestors = increment.write(update)?.changed.saturating_sub(itself);
    edited.after = update.numbers(board)?.and_then(|position| position.value);
    update.forget_sources()?;
    Ok(edited)
}

/// Refuses before the whole book is fixed what would be refused afterwards. Damage doesn't count, because fixing
/// repairs it, and neither does a pass position that only fixing adds.
fn refuse_early(update: &Change<'_>, line: &Line, edit: Edit, rules: RuleSet) -> Result<()> {
    if line.moves().contains(&Move::Pass) {
        return Ok(());
    }
    match prepare(update, line, edit, rules) {
        Err(refused @ Error::Store(StoreError::Unfit { .. })) => Err(refused),
        _ => Ok(()),
    }
}

/// The position as the transaction sees it, and its change; `None` if nothing is left of it.
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

/// The position with the entered value.
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
            let known = known_on(line, |board| Ok(update.numbers(board)?.is_some()))?;
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
    Ok(Delta::new(own, new))
}

/// The position without the entered value; `None` if nothing is left of it.
fn removed(update: &Change<'_>, line: &Line, own: Option<Position>) -> Result<Option<Delta>> {
    let Some(old) = own.filter(|it| is_entered(it.level)) else {
        let problem = format!("no value was entered for {line}: its level is not {PERSON_LEVEL}");
        return Err(Error::unfit(update.store().path(), problem));
    };
    let mut new = old.clone();
    // Its value now comes from the leaf's search, or from the best child's.
    let best = old.links.iter().max_by_key(|link| link.score);
    let child = best.and_then(|link| old.board.child(link.mv));
    let child = child.map(|child| update.numbers(child));
    let child = child.transpose()?.flatten();
    (new.level, new.engine) = match (old.leaf, child) {
        (Some(leaf), _) => (leaf.level, leaf.engine),
        (None, Some(child)) => (child.level, child.engine),
        (None, None) => return Ok(None),
    };
    new.value = None;
    Ok(Some(Delta::new(Some(old), new)))
}

/// Removes a position, and the links of its parents to it.
fn without(update: &Change<'_>, board: CanonicalBoard) -> Result<Vec<Delta>> {
    let parents = Readers::Inside(update.store()).ask(&board.parents(), Store::position)?;
    update.remove(board)?;
    update.remove_todo(board)?;
    let without = |old: Position| {
        let mut new = old.clone();
        new.links
            .retain(|link| old.board.child(link.mv) != Some(board));
        // One move is no longer in the book.
        new.no_leaf = new.no_leaf.filter(|it| *it != NoLeaf::AllMovesInBook);
        Delta::new(Some(old), new)
    };
    Ok(parents.into_iter().map(without).collect())
}
