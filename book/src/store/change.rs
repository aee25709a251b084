//! Changing one position of a database: only cells that differ are written.

use super::update::{Table, Update};
use super::{bulk::Cell, rows};
use crate::Result;
use crate::graph::Differs;
use obook_converters::{Link, Position};
use obook_othello::Move;

const UPDATE_NUMBERS: &str =
    "UPDATE positions SET value = ?3, lower = ?4, upper = ?5, level = ?6, engine = ?7, wins = ?8,
                              draws = ?9, losses = ?10, lines = ?11, unsearched = ?12
     WHERE board = ?1";
const UPDATE_LINK: &str = "UPDATE links SET score = ?3 WHERE board = ?1 AND move = ?2";
const DELETE_LINK: &str = "DELETE FROM links WHERE board = ? AND move = ?";

impl Update<'_> {
    /// Puts a position in place of what the book has for its board so far, `old`, and says what differs.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub(crate) fn change(&self, old: Option<&Position>, new: &Position) -> Result<Differs> {
        let Some(old) = old else {
            Table::ALL
                .iter()
                .try_for_each(|table| table.add(self, new))?;
            return Ok(Differs::ALL);
        };
        let differs = Differs::between(old, new);
        if differs.numbers {
            // The number of empties (?2) is the board's, and stays.
            self.execute(UPDATE_NUMBERS, rows::position(new))?;
        }
        if differs.links {
            self.change_links(old, new)?;
        }
        if differs.leaf {
            Table::Leaves.put(self, new)?;
        }
        Ok(differs)
    }

    fn change_links(&self, old: &Position, new: &Position) -> Result<()> {
        let is_in = |position: &Position, mv: Move| position.links.iter().any(|link| link.mv == mv);
        for Link { mv, .. } in old.links.iter().filter(|link| !is_in(new, link.mv)) {
            let mv = Cell::Integer(mv.code().into());
            self.execute(DELETE_LINK, [old.board.into(), mv])?;
        }
        for link in &new.links {
            let row = rows::link(new.board, *link);
            match old.links.iter().find(|before| before.mv == link.mv) {
                Some(before) if before == link => {}
                Some(_) => self.execute(UPDATE_LINK, row)?,
                None => self.insert(rows::INSERT_LINK, row)?,
            }
        }
        Ok(())
    }
}
