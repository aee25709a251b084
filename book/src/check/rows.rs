//! Reading a damaged database as far as it goes: every fault is noted, and what can be saved of a position is.

use super::finding::{Discs, Findings, Kind};
use super::gathered::{self, Duplicates, Gathered};
use crate::{Error, Progress, Result};
use obook_rows::{Fault, Faults, Joined, KeyRange, Wrong, scan};
use obook_store::{ReadTransactions, unread};
use rusqlite::Connection;
use std::path::Path;

/// The tables of a database under inspection.
#[derive(Debug)]
pub(crate) enum Tables<'c> {
    /// As they were last committed: all cores read them.
    Committed(ReadTransactions),
    /// As a transaction sees them that has changed them.
    Uncommitted(&'c Connection),
}

impl Tables<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        match self {
            Tables::Committed(transactions) => transactions.first().connection(),
            Tables::Uncommitted(connection) => connection,
        }
    }

    /// Reads all rows, and shows what can be saved of each position in key order.
    ///
    /// # Errors
    /// Where SQLite can't read the tables of the database at `path`; what stood before was shown.
    pub(crate) fn each(
        &mut self,
        path: &Path,
        findings: &mut Findings,
        mut visit: impl FnMut(Joined),
    ) -> Result<()> {
        let transactions = match self {
            Tables::Uncommitted(connection) => {
                return scan(connection, KeyRange::ALL, findings, visit).map_err(unread(path));
            }
            Tables::Committed(transactions) => transactions,
        };
        let keep = findings.keep();
        let read = |connection: &Connection, range| {
            let (mut found, mut rows) = (Findings::new(keep), Vec::new());
            let ended = scan(connection, range, &mut found, |joined| rows.push(joined));
            (rows, found, ended.map_err(unread(path)))
        };
        transactions.each_piece(read, |(rows, found, ended)| {
            findings.append(found);
            rows.into_iter().for_each(&mut visit);
            ended
        })
    }
}

/// Takes in everything that the tables hold; what SQLite can't read is a finding, and ends the reading.
pub(crate) fn gather(
    tables: &mut Tables<'_>,
    path: &Path,
    into: &mut Gathered,
    progress: &Progress,
) {
    if let Err(error) = integrity(tables.connection(), path, &mut into.findings) {
        into.findings.add(Kind::Sqlite, None, || error.to_string());
    }
    let Gathered { builder, findings } = into;
    let walked = tables.each(path, findings, |joined| {
        progress.advance(1);
        if let Some(position) = joined.position {
            builder.push(position);
        }
    });
    if let Err(error) = walked {
        findings.add(Kind::Sqlite, None, || error.to_string());
    }
}

/// Notes which positions stand in the tables more than once, on boards that are not canonical.
pub(crate) fn find_duplicates(
    tables: &mut Tables<'_>,
    path: &Path,
    duplicates: &mut Duplicates<'_>,
) -> Result<()> {
    // What is wrong with the rows is known already.
    tables.each(path, &mut Findings::new(0), |joined| {
        if let Some(position) = joined.position {
            duplicates.visit(position.board);
        }
    })
}

/// SQLite's own check.
fn integrity(connection: &Connection, path: &Path, findings: &mut Findings) -> Result<()> {
    let failed = || Error::sqlite(path, "check");
    let mut check = connection
        .prepare("PRAGMA integrity_check")
        .map_err(failed())?;
    let mut rows = check.query([]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let said: String = row.get(0).map_err(failed())?;
        if said != "ok" {
            findings.add(Kind::Sqlite, None, || said);
        }
    }
    Ok(())
}

/// Every fault is a finding, and the reading goes on.
impl Faults for Findings {
    const BY_THE_RULES: bool = true;

    fn add(&mut self, fault: Fault) -> Result<(), obook_rows::Error> {
        let discs = fault.key().map(|key| {
            let both = u128::from_be_bytes(key);
            Discs {
                player: (both >> 64) as u64,
                opponent: both as u64,
            }
        });
        self.add(kind(&fault), discs, || fault.to_string());
        Ok(())
    }
}

/// The kind of finding that a fault is.
fn kind(fault: &Fault) -> Kind {
    match fault {
        Fault::BadKey { .. } => Kind::Key,
        Fault::Orphan { .. } => Kind::Orphan,
        Fault::Row { wrong, .. } => match wrong {
            Wrong::Game(fault) => gathered::kind(fault),
            Wrong::NotCanonical(_) => Kind::NotCanonical,
            Wrong::Empties { .. } => Kind::Empties,
            Wrong::Engine(_) => Kind::Engine,
            Wrong::OutOfRange { .. } | Wrong::NoMove { .. } => Kind::OutOfRange,
            Wrong::Half(_) => Kind::Half,
            Wrong::ScoreWithoutMove => Kind::ScoreWithoutMove,
        },
    }
}
