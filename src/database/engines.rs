//! Table `engines`: the names of the engines in a book.

use super::{Change, Store};
use crate::Result;
use obook_base::locked;
use obook_othello::{Engine, Position};
use rusqlite::Connection;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

/// An engine in a book that obook doesn't know: someone's own, or one of a later version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct OtherEngine {
    /// Its name in the book.
    pub name: String,
    /// The engine on whose scale its levels are: its own name if that is not known.
    pub scale: &'static str,
    /// Its place among the engines that obook knows.
    pub place: String,
}

impl OtherEngine {
    /// The engines in a book's table `engines`.
    ///
    /// # Errors
    /// As [`Store::other_engines`].
    pub fn all_of(store: &Store) -> Result<Vec<OtherEngine>> {
        let engines = store.other_engines()?.into_iter();
        let engines = engines.map(|(engine, name)| OtherEngine {
            name,
            scale: engine.scale().name(),
            place: engine.place().unwrap_or_default().to_string(),
        });
        Ok(engines.collect())
    }
}

impl fmt::Display for OtherEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherEngine { name, scale, place } = self;
        write!(f, "{name} ({scale}'s levels, place {place})")
    }
}

impl Store {
    /// The engines in table `engines` that obook doesn't know, with their names: people's own ones, and those of later versions.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the table can't be read.
    pub fn other_engines(&self) -> Result<Vec<(Engine, String)>> {
        let mut named = self.read(named)?;
        named.retain(|(engine, _)| !engine.is_known());
        Ok(named)
    }

    /// Learns the names of the book's engines, so that they are called by them. A table that can't be read tells none.
    pub(super) fn hear_names(self) -> Store {
        for (engine, name) in named(self.connection()).unwrap_or_default() {
            engine.call(&name);
        }
        self
    }
}

impl Change<'_> {
    /// Names an engine. Of two names that books give it the first in order stays, so that the order of merging makes no difference.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn name_engine(&self, engine: Engine, name: &str) -> Result<()> {
        let sql = "INSERT INTO engines (engine, name) VALUES (?1, ?2)
                   ON CONFLICT DO UPDATE SET name = ?2 WHERE name > ?2";
        Ok(self.set(sql, (engine.number(), name))?)
    }

    /// Gives the lost leaves of an engine to another one, and names that in its place. The searches of the positions must be given to
    /// it as well. The next run of `learn` chooses the waiting searches again.
    pub(crate) fn replace_engine(&self, old: Engine, new: Engine) -> Result<()> {
        let lost = "UPDATE todo SET engine = ?2 WHERE engine = ?1";
        self.set(lost, [old.number(), new.number()])?;
        if !old.is_known() {
            self.set("DELETE FROM engines WHERE engine = ?", [old.number()])?;
        }
        Ok(name(self.connection(), new).map_err(self.failed())?)
    }

    /// Names the engines of a position that is written.
    pub(super) fn name_engines_of(&self, position: &Position) -> Result<()> {
        let named = engines_of(position).try_for_each(|engine| name(self.connection(), engine));
        Ok(named.map_err(self.failed())?)
    }
}

fn named(connection: &Connection) -> rusqlite::Result<Vec<(Engine, String)>> {
    let mut select = connection.prepare("SELECT engine, name FROM engines ORDER BY engine")?;
    let rows = select.query_map([], |row| {
        let number: i64 = row.get(0)?;
        Ok(Engine::from_number(number).zip(Some(row.get(1)?)))
    })?;
    rows.filter_map(Result::transpose).collect()
}

/// The engines of the positions that are written, so that table `engines` can name all of them.
#[derive(Default)]
pub(super) struct Written(Mutex<BTreeSet<u8>>);

impl Written {
    pub(super) fn note(&self, position: &Position) {
        for engine in engines_of(position).filter(|engine| !engine.is_known()) {
            locked(&self.0).insert(engine.to_byte());
        }
    }

    /// Adds those that table `engines` lacks. The known ones are there.
    pub(super) fn name(self, connection: &Connection) -> rusqlite::Result<()> {
        let written = self.0.into_inner().expect("inserting does not panic");
        let mut engines = written.into_iter().filter_map(Engine::from_byte);
        engines.try_for_each(|engine| name(connection, engine))
    }
}

fn engines_of(position: &Position) -> impl Iterator<Item = Engine> {
    let of_leaf = position.leaf.map(|leaf| leaf.engine);
    let prover = position.proof.map(|proof| proof.prover());
    let engines = [Some(position.engine), of_leaf, prover];
    engines.into_iter().flatten()
}

/// Names an engine that table `engines` may lack: it has all that obook knows. One whose name nobody has told stays without.
pub(super) fn name(connection: &Connection, engine: Engine) -> rusqlite::Result<()> {
    if engine.is_known() || !engine.is_named() {
        return Ok(());
    }
    let sql = "INSERT OR IGNORE INTO engines (engine, name) VALUES (?, ?)";
    let mut add = connection.prepare_cached(sql)?;
    add.execute((engine.number(), engine.name())).map(drop)
}
