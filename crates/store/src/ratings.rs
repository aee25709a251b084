//! Ratings of positions by games: table `ratings`.

use crate::{Change, Result};
use obook_base::ratings::{Method, Rating};
use rusqlite::Params;
use serde::Serialize;

/// The result of storing ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StoredRatings {
    /// The number of games used.
    pub games: u64,
    /// The number of games without a result, which are not used.
    pub left_out: u64,
    /// The number of positions rated.
    pub positions: u64,
    /// The number of positions reached by too few games.
    pub too_few: u64,
}

impl Change<'_> {
    /// Replaces the contents of table `ratings`. The new ones are in key order. `insert` adds a row; `row` returns its values, given a
    /// position, the name of a method and the rating by it.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be written.
    pub fn replace_ratings<P, R: Params>(
        &self,
        insert: &str,
        methods: &[Method],
        ratings: &[(P, Rating)],
        row: impl Fn(&P, &'static str, f64) -> R,
    ) -> Result<()> {
        let progress = self.store.context().progress();
        progress.step("writing", Some(ratings.len() as u64));
        self.log_whole(&["ratings"])?;
        let mut methods = methods.to_vec();
        methods.sort_unstable_by_key(|method| method.name());
        let write = || {
            self.connection()
                .execute_batch("DELETE FROM main.ratings")?;
            let mut insert = self.connection().prepare(insert)?;
            for (position, rating) in ratings {
                for method in &methods {
                    insert.execute(row(position, method.name(), rating.of(*method)))?;
                }
                progress.advance(1);
            }
            Ok(())
        };
        write().map_err(self.failed())
    }
}
