//! Own scores, into the rows of a database.

use crate::database::export::has_only_counts;
use crate::database::file::is_database;
use crate::database::position::{Link, Own, Position, Record};
use crate::database::rows::{ScoreWriter, State, each_made};
use crate::database::schema::SHOGI;
use crate::positions::{Lists, Positions, Recorded};
use crate::{Board, BookMove, Colour, Draws, ENDLESS, Move, OwnScores};
use obook_base::hex;
use obook_base::parallel::in_order;
use obook_store::{Change, Context, Error, IfExists, Result, Store};
use rayon::prelude::*;
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The result of a fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fixed {
    /// Positions of the book.
    pub positions: u64,
    /// Moves between them, listed or not.
    pub links: u64,
    /// Moves out of the book.
    pub leaves: u64,
    /// Positions of which nothing is known: they have no moves, and aren't mate.
    pub unknown: u64,
    /// Positions from which the best line never ends.
    pub endless: u64,
    /// Positions with other scores, or another order of moves, because of the worth of draws.
    pub by_draws: u64,
    /// Positions whose value, best move, links or moves by the worth of draws have changed.
    pub changed: u64,
    /// Whether files list counts and no scores. Such a book is exported as listed.
    pub only_counts: bool,
}

/// Finds all links, and computes every position's own score, and its moves by the book's worth of draws.
///
/// # Errors
/// If the database can't be read or written; it is then as before.
pub fn fix(store: &mut Store) -> Result<Fixed> {
    Ok(fix_with_draws(store, |draws| draws)?.0)
}

/// The same as [`fix`], but sets the book's worth of draws first, by what it was. Returns what it is now, too.
///
/// # Errors
/// If the database can't be read or written; it is then as before.
pub fn fix_with_draws(
    store: &mut Store,
    draws: impl FnOnce(Draws) -> Draws,
) -> Result<(Fixed, Draws)> {
    let change = store.change()?;
    let draws = draws(draws_of(change.connection()).map_err(change.failed())?);
    change.set(
        "UPDATE book SET draw_black = ?1, draw_white = ?2, max_moves = ?3
         WHERE (draw_black, draw_white, max_moves) IS NOT (?1, ?2, ?3)",
        (draws.black, draws.white, draws.max_moves),
    )?;
    let fixed = compute(&change)?;
    change.commit(&fixed)?;
    Ok((fixed, draws))
}

/// The worth of draws in a book.
///
/// # Errors
/// If the database can't be read.
pub fn draws(store: &Store) -> Result<Draws> {
    store.read(draws_of)
}

fn draws_of(connection: &Connection) -> rusqlite::Result<Draws> {
    let sql = "SELECT draw_black, draw_white, max_moves FROM book";
    connection.query_row(sql, [], |row| {
        Ok(Draws {
            black: row.get(0)?,
            white: row.get(1)?,
            max_moves: row.get(2)?,
        })
    })
}

/// The same as [`fix`], as a part of a change that hasn't written positions yet.
///
/// # Errors
/// If the database can't be read or written.
pub fn compute(change: &Change<'_>) -> Result<Fixed> {
    Ok(compute_and(change, State::committed(change.store())?, |_| ())?.0)
}

/// The same for the rows of a state. Also returns what `see` finds in the scores.
pub(crate) fn compute_and<T>(
    change: &Change<'_>,
    mut state: State<'_>,
    see: impl FnOnce(&OwnScores) -> T,
) -> Result<(Fixed, T)> {
    let progress = change.store().context().progress();
    let connection = change.connection();

    progress.step("reading", None);
    let mut before = Owns::default();
    let positions = positions(&mut state, |own| before.push(own))?;
    drop(state);
    progress.step("computing", None);
    let draws = draws_of(connection).map_err(change.failed())?;
    let own = OwnScores::of_positions(positions).with_draws(draws);
    let seen = see(&own);
    let differs = |number: &u32| scored(&own, *number).0 != before.get(*number);
    let numbers = 0..own.positions.len();
    let step = (own.positions.len() / SAMPLE).max(1) as usize;
    let sample: Vec<u32> = numbers.clone().step_by(step).collect();
    let changed = sample.par_iter().copied().filter(differs).count();
    if changed * 4 > sample.len() {
        change.log_whole(&["positions", "links", "record_scores"])?;
    }
    progress.step("writing", Some(own.positions.len().into()));
    let mut fixed = Fixed {
        only_counts: has_only_counts(change.store())?,
        ..Fixed::default()
    };
    let mut writer = ScoreWriter::new(connection).map_err(change.failed())?;
    let parts = numbers.step_by(AT_ONCE as usize);
    let parts = parts.map(|first| first..own.positions.len().min(first.saturating_add(AT_ONCE)));
    let score = |part: Range<u32>| {
        let results = part.map(|number| {
            let (before, (after, leaves)) = (before.get(number), scored(&own, number));
            let changed = (after != before).then_some(before);
            (number, leaves, after, changed)
        });
        results.collect::<Vec<_>>()
    };
    in_order(parts, score, |part| -> Result<()> {
        progress.advance(part.len() as u64);
        for (number, leaves, after, changed) in part {
            fixed.positions += 1;
            fixed.links += after.links.len() as u64;
            fixed.leaves += leaves;
            fixed.unknown += u64::from(after.value.is_none());
            fixed.endless += u64::from(after.depth == Some(ENDLESS));
            fixed.by_draws += u64::from(after.depends_on_draws());
            if let Some(before) = changed {
                fixed.changed += 1;
                let written = writer.write(own.positions.key(number), &before, &after);
                written.map_err(change.failed())?;
            }
        }
        Ok(())
    })?;
    writer.finish().map_err(change.failed())?;
    change.mark_fixed()?;
    Ok((fixed, seen))
}

/// The positions of a book, as files list them: from this scores follow. `each` gets the results of their last fix, in the same order.
pub(crate) fn positions(state: &mut State<'_>, mut each: impl FnMut(Own)) -> Result<Positions> {
    let (mut positions, path) = (Positions::default(), state.store().path().to_owned());
    let read = |position: Position| {
        board(&position, &path)?;
        let (key, leaves) = (position.key, position.leaves());
        let recorded = |record: Option<Record>| Some(Recorded::at(record?.ply));
        Ok((key, position.records.map(recorded), leaves, position.own))
    };
    each_made(state, read, |(key, records, leaves, own)| {
        let leaves = leaves.into_iter().map(|leaf| (leaf.mv, leaf.score));
        positions.push(key, records, leaves);
        each(own);
        Ok(())
    })?;
    Ok(positions)
}

/// Positions whose results one core finds at a time.
const AT_ONCE: u32 = 1 << 7;

/// About so many positions tell whether most have changed.
const SAMPLE: u32 = 1 << 14;

/// The results of the last fix for all positions, in a table.
#[derive(Default)]
struct Owns {
    owns: Vec<(Option<i32>, Option<u32>, Option<Move>)>,
    links: Lists<Link>,
    by_draws: HashMap<u32, [Vec<Link>; 2]>,
}

impl Owns {
    fn push(&mut self, own: Own) {
        if own.depends_on_draws() {
            self.by_draws.insert(self.owns.len() as u32, own.by_draws);
        }
        self.owns.push((own.value, own.depth, own.best));
        self.links.push(own.links);
    }

    fn get(&self, number: u32) -> Own {
        let (value, depth, best) = self.owns[number as usize];
        Own {
            value,
            depth,
            best,
            links: self.links.get(number as usize).to_vec(),
            by_draws: self.by_draws.get(&number).cloned().unwrap_or_default(),
        }
    }
}

/// Opens a database that is fixed; a file is imported into a temporary one, and fixed there.
///
/// # Errors
/// If it is neither, or can't be read, and [`Error::Unfixed`] if the database isn't fixed.
pub fn open_fixed(path: &Path, context: &Context) -> Result<Store> {
    let make = |book: &Path| {
        crate::database::import::create(&[path], book, IfExists::Refuse, context)?;
        fix(&mut Store::open_for_writing(&SHOGI, book, context)?)?;
        Ok(())
    };
    if !is_database(path)? {
        return Store::temporary(&SHOGI, "book.obook", make, context);
    }
    let store = Store::open(&SHOGI, path, context)?;
    match store.is_fixed()? {
        true => Ok(store),
        false => Err(Error::Unfixed {
            path: path.to_owned(),
            problem: String::from("not fixed since files were added"),
        }),
    }
}

/// The results of a fix for a position, and how many of its moves aren't links.
pub(crate) fn scored(own: &OwnScores, number: u32) -> (Own, u64) {
    let moves = own.moves_of(number);
    // A leaf ends the line.
    let is_link = |listed: &&BookMove| listed.depth > Some(0);
    let mut links: Vec<Link> = moves.iter().filter(is_link).filter_map(link).collect();
    links.sort_by_key(|link| link.mv.bits());
    let leaves = (moves.len() - links.len()) as u64;
    let value = own.score(number);
    let own = Own {
        value,
        depth: value.map(|_| moves.first().and_then(|best| best.depth).unwrap_or(0)),
        best: value.and(moves.first()).map(|best| best.mv),
        links,
        by_draws: Colour::ALL.map(|side| {
            let by_draws = own.moves_for(number, side);
            let by_draws = by_draws.filter(|by_draws| *by_draws != moves);
            by_draws.iter().flatten().filter_map(link).collect()
        }),
    };
    (own, leaves)
}

fn link(listed: &BookMove) -> Option<Link> {
    Some(Link {
        mv: listed.mv,
        score: listed.score?,
        depth: listed.depth?,
    })
}

/// The canonical position of a row.
pub(crate) fn board(position: &Position, path: &Path) -> Result<Board> {
    position.key.board().map_err(|error| {
        let key = hex(&position.key.0);
        let problem = format!("table positions: board x'{key}' is no position: {error}");
        Error::unfit(path, problem)
    })
}

/// The error if a book doesn't have the position to start from.
pub(crate) fn not_in_book(root: &Board, path: &Path) -> Error {
    let problem = format!("the position to start from, {root}, isn't in the book");
    Error::unfit(path, problem)
}
