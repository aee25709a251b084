//! Reading a database that may be damaged.

use super::{FindingKind, Findings, Tables};
use crate::read::book::memory;
use crate::{Context, Result, Store};
use obook_graph::slabs::Gathered;
use obook_othello::CanonicalBoard;

/// Examples kept for each kind of fault.
const EXAMPLES: usize = 3;

/// The rows of a database that are no position, and the faults in all others.
#[derive(Debug)]
pub(crate) struct Damage {
    /// Keys whose rows are no position.
    pub(crate) gone: Vec<[u8; 16]>,
    /// Positions whose rows must be written again, because some of them have faults.
    pub(crate) stale: Vec<CanonicalBoard>,
    /// The faults. The positions that were gathered are free of them.
    pub(crate) faults: Findings,
}

impl Damage {
    /// None.
    pub(crate) fn none() -> Damage {
        Damage {
            gone: Vec::new(),
            stale: Vec::new(),
            faults: Findings::new(EXAMPLES),
        }
    }

    /// Whether some rows belong to no position.
    pub(crate) fn has_orphans(&self) -> bool {
        self.faults.count(FindingKind::Orphan) + self.faults.count(FindingKind::Key) > 0
    }
}

/// Gathers whatever is legible in a database, without the faults in its rows.
///
/// # Errors
/// [`StoreError::Corrupt`](crate::StoreError::Corrupt) if the database's page structure is damaged; and if it can't be read or temporary
/// files can't be written.
pub(crate) fn gather_legible(store: &Store, context: &Context) -> Result<(Gathered, Damage)> {
    let progress = context.progress();
    // Even the counts of a damaged database may be unreadable.
    progress.step("reading", store.estimated_positions().ok());
    let mut gathered = Gathered::within(memory(context));
    let mut damage = Damage::none();
    let mut taken = Ok(());
    let mut transactions = store.read_transactions()?;
    // Rows hidden by damaged pages would look like missing ones.
    let structure = transactions.check_structure();
    let mut tables = Tables::Committed(transactions);
    let walked = tables.each(store.path(), &mut damage.faults, |row| {
        progress.advance(1);
        let position = row.position;
        let is_own = (position.as_ref()).is_some_and(|it| it.board.to_key() == row.key);
        if !is_own {
            damage.gone.push(row.key);
        }
        if let (Some(position), Ok(())) = (position, &taken) {
            if !is_own || !row.sound {
                damage.stale.push(position.board);
            }
            taken = gathered.push(position);
        }
    });
    structure.end()?;
    walked?;
    taken?;
    Ok((gathered, damage))
}
