//! Reading a damaged book as far as possible. Every fault is noted, and whatever can be saved of a position is.

use super::finding::{FindingKind, Findings};
use crate::database::unread;
use crate::{Error, Progress, Result};
use foldhash::HashSet;
use obook_base::returned;
use obook_base::sqlite::KeyRange;
use obook_converters::{BookReader, ErrorKind, FaultKind, Format, Legible};
use obook_graph::slabs::Gathered;
use obook_graph::sort::Layers;
use obook_othello::{CanonicalBoard, Engine, Position};
use obook_sql::rows::{Fault as RowFault, Faults, Joined, Wrong, scan};
use obook_store::ReadTransactions;
use rusqlite::Connection;
use std::path::Path;
use std::thread;

/// The part of a book that has been read.
pub(super) struct Reading {
    pub(super) positions: Gathered,
    /// The numbers of records by number of empty squares.
    pub(super) counts: Vec<u64>,
    pub(super) findings: Findings,
}

impl Reading {
    /// Nothing yet. `memory` is what the whole check may use, in bytes.
    pub(super) fn new(keep: usize, memory: u64) -> Reading {
        Reading {
            positions: Gathered::within(memory),
            counts: vec![0; Layers::all().len()],
            findings: Findings::new(keep),
        }
    }

    /// Adds a record.
    pub(super) fn take(&mut self, legible: Legible, format: Format) -> Result<()> {
        match legible {
            Legible::Damage(error) => {
                let kind = match error.kind() {
                    ErrorKind::Count { .. } => FindingKind::Count,
                    _ => FindingKind::Damaged,
                };
                self.findings.add(kind, None, || error.to_string());
                Ok(())
            }
            Legible::Record {
                position,
                discs,
                faults,
                place: (number, offset),
            } => {
                let (player, opponent) = discs;
                let key = ((u128::from(player) << 64) | u128::from(opponent)).to_be_bytes();
                for fault in faults {
                    self.findings.add(kind_of_fault(&fault.kind), key, || {
                        format!("position {number} (byte {offset}): {}", fault.remark())
                    });
                }
                let Some(position) = position else {
                    return Ok(());
                };
                // The oldest format never was canonical, and readers of the text make boards canonical.
                if format.holds().canonical && key != position.board.to_key() {
                    self.findings.add(FindingKind::NotCanonical, key, || {
                        let expected = position.board.board().to_text();
                        format!("position {number} (byte {offset}): expected {expected}")
                    });
                }
                push(&mut self.positions, &mut self.counts, position)
            }
        }
    }
}

/// Counts a position and gathers it.
fn push(positions: &mut Gathered, counts: &mut [u64], position: Position) -> Result<()> {
    counts[position.board.board().empties() as usize] += 1;
    Ok(positions.push(position)?)
}

/// Memory for a board that was seen, in bytes, while the set of them grows.
const SEEN: u64 = 60;

/// Finds the boards that occur more than once. Used only if there are any. `read` passes on all boards in the order of the book.
/// If they don't fit in memory, it is called for some layers after others.
pub(super) fn find_duplicates(
    counts: &[u64],
    memory: u64,
    keep: usize,
    mut read: impl FnMut(&mut dyn FnMut(CanonicalBoard)) -> Result<()>,
) -> Result<Findings> {
    let mut count = 0;
    // With their places in the book.
    let mut first: Vec<(u64, CanonicalBoard)> = Vec::new();
    let mut layers = 0..0;
    while layers.end < counts.len() {
        layers = layers.end..layers.end + 1;
        let mut boards = counts[layers.start];
        while let Some(more) = counts.get(layers.end)
            && (boards + more).saturating_mul(SEEN) <= memory / 2
        {
            boards += more;
            layers.end += 1;
        }
        if boards == 0 {
            continue;
        }
        let mut seen = HashSet::default();
        let (mut place, mut found) = (0, 0);
        read(&mut |board| {
            place += 1;
            if layers.contains(&(board.board().empties() as usize)) && !seen.insert(board) {
                found += 1;
                if found <= keep {
                    first.push((place, board));
                }
            }
        })?;
        count += found;
        first.sort_unstable();
        first.truncate(keep);
    }
    let mut findings = Findings::new(keep);
    let mut first = first.into_iter();
    for _ in 0..count {
        let key = first.next().map(|(_, board)| board.to_key());
        findings.add(FindingKind::Duplicate, key, || {
            String::from("the position is in the book more than once")
        });
    }
    Ok(findings)
}

/// The kind of finding for a fault.
fn kind_of_fault(fault: &FaultKind) -> FindingKind {
    match fault {
        FaultKind::Overlap => FindingKind::Overlap,
        FaultKind::EmptyCentre => FindingKind::EmptyCentre,
        FaultKind::IllegalMove { .. } => FindingKind::IllegalMove,
        FaultKind::DuplicateMove { .. } => FindingKind::DuplicateMove,
        FaultKind::ScoreWithoutMove { .. } => FindingKind::ScoreWithoutMove,
        _ => FindingKind::OutOfRange,
    }
}

/// The number of records checked at once: enough for all cores, and little memory.
const BATCH: usize = 1 << 16;

/// Passes on what can be read of each record of the file at `path`, in its order.
///
/// # Errors
/// If it can't be opened or is not of this format, or the error of `visit`. Damage further on is passed on.
pub(super) fn each_record(
    path: &Path,
    format: Format,
    progress: &Progress,
    mut visit: impl FnMut(Legible) -> Result<()>,
) -> Result<()> {
    let mut book = BookReader::open(path, Some(format))?;
    loop {
        let records = book.read_legible(BATCH);
        if records.is_empty() {
            return Ok(());
        }
        progress.advance(records.len() as u64);
        records.into_iter().try_for_each(&mut visit)?;
    }
}

/// The tables of a database under inspection.
#[derive(Debug)]
pub(crate) enum Tables<'c> {
    /// As last committed. All cores read them.
    Committed(ReadTransactions),
    /// As seen by a transaction that has changed them.
    Uncommitted(&'c Connection),
}

impl Tables<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        match self {
            Tables::Committed(transactions) => transactions.first().connection(),
            Tables::Uncommitted(connection) => connection,
        }
    }

    /// Reads all rows, and passes on what can be saved of each position, in key order.
    ///
    /// # Errors
    /// If SQLite can't read the tables of the database at `path`. Everything before that was passed on.
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
        let keep = findings.keep;
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

/// Reads the tables of a database, and lets SQLite check a large one meanwhile. If SQLite can't read on, that is a finding.
///
/// # Errors
/// If a temporary file can't be written.
pub(super) fn read_tables(
    tables: &mut Tables<'_>,
    path: &Path,
    into: &mut Reading,
    progress: &Progress,
) -> Result<()> {
    let keep = into.findings.keep;
    let checker = match tables {
        Tables::Committed(transactions) => transactions.take_checker(),
        Tables::Uncommitted(_) => None,
    };
    let Some(checker) = checker else {
        into.findings
            .append(integrity(tables.connection(), path, keep));
        return read_rows(tables, path, into, progress);
    };
    let (found, read) = thread::scope(|scope| {
        let check = scope.spawn(move || integrity(checker.connection(), path, keep));
        let read = read_rows(tables, path, into, progress);
        (returned(check.join()), read)
    });
    into.findings.prepend(found);
    read
}

/// Reads the rows of the tables.
fn read_rows(
    tables: &mut Tables<'_>,
    path: &Path,
    into: &mut Reading,
    progress: &Progress,
) -> Result<()> {
    let mut taken = Ok(());
    let mut is_used = [false; 256];
    let walked = tables.each(path, &mut into.findings, |joined| {
        progress.advance(1);
        if let Some(position) = joined.position.filter(|_| taken.is_ok()) {
            let leaf = position.leaf.map(|leaf| leaf.engine);
            for engine in leaf.into_iter().chain([position.engine]) {
                is_used[usize::from(engine.to_byte())] = true;
            }
            taken = push(&mut into.positions, &mut into.counts, position);
        }
    });
    if let Err(error) = walked {
        (into.findings).add(FindingKind::Sqlite, None, || error.to_string());
    }
    find_unnamed(tables.connection(), &is_used, &mut into.findings);
    taken
}

/// Notes the engines that nothing names: obook doesn't know them, and they aren't in table `engines`.
fn find_unnamed(connection: &Connection, is_used: &[bool; 256], findings: &mut Findings) {
    let used = (1..=u8::MAX).filter(|byte| is_used[usize::from(*byte)]);
    let used = used.filter_map(Engine::from_byte);
    for engine in used.filter(|engine| !engine.is_known()) {
        let sql = "SELECT count(*) FROM engines WHERE engine = ?";
        let number = engine.number();
        let named = connection.query_row(sql, [number], |row| row.get::<_, i64>(0));
        // A table that can't be read names nothing.
        if named.unwrap_or_default() == 0 {
            findings.add(FindingKind::Unnamed, None, || {
                format!("{engine}: add it with INSERT INTO engines VALUES ({number}, 'its name')")
            });
        }
    }
}

/// Runs SQLite's own check.
fn integrity(connection: &Connection, path: &Path, keep: usize) -> Findings {
    let mut findings = Findings::new(keep);
    let mut add = |answer| findings.add(FindingKind::Sqlite, None, || answer);
    let mut check = || {
        let mut check = connection.prepare("PRAGMA integrity_check")?;
        let mut rows = check.query([])?;
        while let Some(row) = rows.next()? {
            let answer: String = row.get(0)?;
            if answer != "ok" {
                add(answer);
            }
        }
        Ok(())
    };
    if let Err(error) = check() {
        add(Error::sqlite(path, "check")(error).to_string());
    }
    findings
}

/// Every fault is a finding; none stops the reading.
impl Faults for Findings {
    const BY_THE_RULES: bool = true;

    fn add(&mut self, fault: RowFault) -> Result<(), obook_sql::rows::Error> {
        self.add(kind_of_row_fault(&fault.wrong), fault.key, || {
            fault.to_string()
        });
        Ok(())
    }
}

/// The kind of finding for a fault in the tables.
fn kind_of_row_fault(wrong: &Wrong) -> FindingKind {
    match wrong {
        Wrong::BadKey { .. } => FindingKind::Key,
        Wrong::Orphan(_) => FindingKind::Orphan,
        Wrong::Game(fault) => kind_of_fault(&fault.kind),
        Wrong::NotCanonical(_) => FindingKind::NotCanonical,
        Wrong::Empties { .. } => FindingKind::Empties,
        Wrong::Engine(_) => FindingKind::Engine,
        Wrong::OutOfRange(_) => FindingKind::OutOfRange,
        Wrong::Half(_) => FindingKind::Half,
        Wrong::ScoreWithoutMove => FindingKind::ScoreWithoutMove,
    }
}
