//! Changing one position of a database: only cells that differ are written.

use super::update::Update;
use crate::Result;
use obook_graph::Differs;
use obook_model::{Link, Position};
use obook_othello::Move;
use obook_rows::{Cell, Table, encode};

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
    pub fn change(&self, old: Option<&Position>, new: &Position) -> Result<Differs> {
        let Some(old) = old else {
            Table::ALL
                .iter()
                .try_for_each(|table| self.add_rows(*table, new))?;
            return Ok(Differs::ALL);
        };
        let differs = Differs::between(old, new);
        if differs.numbers {
            // The number of empties (?2) is the board's, and stays.
            self.execute(UPDATE_NUMBERS, encode::position(new))?;
        }
        if differs.links {
            self.change_links(old, new)?;
        }
        if differs.leaf {
            self.put_rows(Table::Leaves, new)?;
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
            let row = encode::link(new.board, *link);
            match old.links.iter().find(|before| before.mv == link.mv) {
                Some(before) if before == link => {}
                Some(_) => self.execute(UPDATE_LINK, row)?,
                None => self.insert(Table::Links, row)?,
            }
        }
        Ok(())
    }
}
