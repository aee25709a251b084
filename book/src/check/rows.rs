//! Reading a damaged database as far as it goes: every fault is noted, and what can be saved of a position is.

use super::finding::{Discs, Findings, Kind};
use super::gathered::{self, Gathered, Seen};
use crate::store::{KeyRange, Met, RawCell, RawLeaf, RawPosition, Stray, scan_raw};
use crate::{Error, Progress, Result, Store};
use obook_converters::{
    Bounds, Engine, Fault, FaultKind, Leaf, Link, MoveOf, NoLeaf, Outcomes, Position,
};
use obook_othello::{Board, Move, Symmetry};
use rayon::prelude::*;
use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// The squares that hold discs from the start of every game: d4, e4, d5, e5.
const CENTRE: u64 = 0x0000_0018_1800_0000;

/// Rows that are judged at once: enough for all cores, few enough to need no memory.
const BATCH: usize = 1 << 15;
/// Positions that one core reads and judges at a time, and how many times that for each core is read ahead.
const PIECE: usize = 1 << 13;
const PIECES: usize = 4;
/// Rows that one core judges at a time.
const CHUNK: usize = 1 << 10;

/// Takes in everything that the tables hold; what SQLite can't read is a finding, and ends the reading.
pub(crate) fn gather(
    connection: &Connection,
    path: &Path,
    into: &mut Gathered,
    progress: &Progress,
) {
    if let Err(error) = integrity(connection, path, &mut into.findings) {
        into.findings.add(Kind::Sqlite, None, || error.to_string());
    }
    let Gathered { builder, findings } = into;
    let walked = each(connection, path, findings, |_, position| {
        progress.advance(1);
        if let Some(position) = position {
            builder.push(position);
        }
    });
    if let Err(error) = walked {
        findings.add(Kind::Sqlite, None, || error.to_string());
    }
}

/// Notes which positions stand in the tables more than once, on boards that are not canonical.
pub(crate) fn find_duplicates(
    connection: &Connection,
    path: &Path,
    seen: &mut Seen<'_>,
) -> Result<()> {
    // What is wrong with the rows is known already.
    each(connection, path, &mut Findings::new(0), |_, position| {
        if let Some(position) = position {
            seen.meet(position.board);
        }
    })
}

/// What becomes of the rows of a position: what can be saved, and whether anything was wrong.
pub(crate) struct Salvaged {
    pub(crate) key: [u8; 16],
    pub(crate) sound: bool,
}

/// Judges all rows on all cores, and shows what can be saved of each position in key order.
///
/// # Errors
/// Where SQLite can't read the tables; what stood before was shown.
pub(crate) fn each(
    connection: &Connection,
    path: &Path,
    findings: &mut Findings,
    mut visit: impl FnMut(Salvaged, Option<Position>),
) -> Result<()> {
    let keep = findings.keep();
    let mut rows: Vec<Met> = Vec::with_capacity(BATCH);
    let mut judge = |rows: &mut Vec<Met>| {
        let judged: Vec<_> = rows
            .par_chunks(CHUNK)
            .map(|rows| {
                let mut findings = Findings::new(keep);
                let positions: Vec<_> = rows
                    .iter()
                    .filter_map(|row| salvage(row, &mut findings))
                    .collect();
                (positions, findings)
            })
            .collect();
        rows.clear();
        for (positions, found) in judged {
            findings.append(found);
            for (salvaged, position) in positions {
                visit(salvaged, position);
            }
        }
    };
    let walked = scan_raw(connection, path, KeyRange::ALL, |met| {
        rows.push(met);
        if rows.len() == BATCH {
            judge(&mut rows);
        }
        Ok(())
    });
    judge(&mut rows);
    walked
}

/// As [`each`], several times as fast, for a database that nobody changes meanwhile, this connection included: every core
/// reads and judges a piece of it.
///
/// # Errors
/// Where SQLite can't read the tables.
pub(crate) fn each_in_pieces(
    store: &Store,
    findings: &mut Findings,
    mut visit: impl FnMut(Salvaged, Option<Position>),
) -> Result<()> {
    let path = store.path();
    let keep = findings.keep();
    let ranges = KeyRange::split(store.connection(), path, PIECE)?;
    let read = |range: &KeyRange| {
        let store = Store::open(path)?;
        let (mut positions, mut findings) = (Vec::with_capacity(PIECE), Findings::new(keep));
        scan_raw(store.connection(), path, *range, |met| {
            positions.extend(salvage(&met, &mut findings));
            Ok(())
        })?;
        Ok((positions, findings))
    };
    let together = PIECES * rayon::current_num_threads();
    let (sender, receiver) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for ranges in ranges.chunks(together) {
                let pieces: Vec<Result<_>> = ranges.par_iter().map(read).collect();
                // Nobody may want the rest.
                if sender.send(pieces).is_err() {
                    return;
                }
            }
        });
        for piece in receiver.into_iter().flatten() {
            let (positions, found) = piece?;
            findings.append(found);
            for (salvaged, position) in positions {
                visit(salvaged, position);
            }
        }
        Ok(())
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

/// What can be saved of a row with all that belongs to it; `None` where there is no row of `positions`.
fn salvage(met: &Met, findings: &mut Findings) -> Option<(Salvaged, Option<Position>)> {
    match met {
        Ok(raw) => {
            let before = findings.total();
            let position = Rows::new(raw, findings).and_then(Rows::position);
            let sound = findings.total() == before;
            Some((
                Salvaged {
                    key: raw.key,
                    sound,
                },
                position,
            ))
        }
        Err(Stray::Orphan { table, key }) => {
            findings.add(Kind::Orphan, discs(*key), || {
                format!("a row of {table} without a row of positions")
            });
            None
        }
        Err(Stray::BadKey { table, found }) => {
            findings.add(Kind::Key, None, || {
                format!("a row of {table} has {found} as its key: expected 16 bytes")
            });
            None
        }
    }
}

fn discs(key: [u8; 16]) -> Discs {
    let both = u128::from_be_bytes(key);
    Discs {
        player: (both >> 64) as u64,
        opponent: both as u64,
    }
}

/// The rows of one position under inspection.
struct Rows<'a> {
    raw: &'a RawPosition,
    discs: Discs,
    board: Board,
    /// To the canonical board.
    symmetry: Symmetry,
    findings: &'a mut Findings,
}

impl<'a> Rows<'a> {
    /// `None` where the key is no board of a game.
    fn new(raw: &'a RawPosition, findings: &'a mut Findings) -> Option<Rows<'a>> {
        let discs = discs(raw.key);
        let fault = |kind| Fault {
            player: discs.player,
            opponent: discs.opponent,
            kind,
        };
        let wrong = match discs.board() {
            None => FaultKind::Overlap,
            Some(_) if (discs.player | discs.opponent) & CENTRE != CENTRE => FaultKind::EmptyCentre,
            Some(board) => {
                let (canonical, symmetry) = board.canonicalize();
                if canonical.board() != board {
                    findings.add(Kind::NotCanonical, discs, || {
                        format!("expected {}", canonical.board().to_text())
                    });
                }
                return Some(Rows {
                    raw,
                    discs,
                    board,
                    symmetry,
                    findings,
                });
            }
        };
        findings.add(gathered::kind(&wrong), discs, || {
            gathered::remark(&fault(wrong))
        });
        None
    }

    fn position(mut self) -> Option<Position> {
        let raw = self.raw;
        let empties = self.board.empties();
        if raw.empties != RawCell::Integer(empties.into()) {
            self.findings.add(Kind::Empties, self.discs, || {
                format!(
                    "the column empties is {}: expected {empties}",
                    show(raw.empties)
                )
            });
        }
        let engine = self.engine(raw.engine, Engine::Edax);
        let mut position = Position::new(self.board.canonical(), engine);
        position.value = self.number("value", raw.value, -64, 64);
        position.bounds = self.bounds();
        position.level = self.number("level", raw.level, 0, u8::MAX.into());
        position.outcomes = self.outcomes();
        position.lines = self.number("lines", raw.lines, 0, u32::MAX.into());
        for (number, link) in (1..=u8::MAX).zip(&raw.links) {
            let mv = self.mv(link.mv, MoveOf::Link(number));
            let score = self.number("score of a link", link.score, -64, 64);
            position.links.extend(mv.map(|mv| Link { mv, score }));
        }
        position.no_leaf = match self.number("column unsearched", raw.unsearched, 0, 1) {
            Some(0) => Some(NoLeaf::AllMovesInBook),
            Some(1..=u8::MAX) => Some(NoLeaf::Undefined),
            None => None,
        };
        let leaf = raw.leaf.and_then(|leaf| self.leaf(leaf, engine));
        leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
        Some(position)
    }

    /// The engine, or `assumed` where the cell names none.
    fn engine(&mut self, cell: RawCell, assumed: Engine) -> Engine {
        match cell {
            RawCell::Integer(1) => return Engine::Edax,
            RawCell::Integer(2) => return Engine::Egaroucid,
            _ => {}
        }
        self.findings.add(Kind::Engine, self.discs, || {
            format!(
                "the engine is {}: expected 1 (edax) or 2 (egaroucid)",
                show(cell)
            )
        });
        assumed
    }

    fn number<T: TryFrom<i64>>(
        &mut self,
        field: &str,
        cell: RawCell,
        min: i64,
        max: i64,
    ) -> Option<T> {
        match cell {
            RawCell::Null => return None,
            RawCell::Integer(number) if (min..=max).contains(&number) => {
                if let Ok(number) = number.try_into() {
                    return Some(number);
                }
            }
            _ => {}
        }
        self.findings.add(Kind::OutOfRange, self.discs, || {
            format!("the {field} is {}: expected {min} to {max}", show(cell))
        });
        None
    }

    fn bounds(&mut self) -> Option<Bounds> {
        let (min, max) = (i16::MIN.into(), i16::MAX.into());
        let [lower, upper] = ["lower bound", "upper bound"];
        let lower = self.number(lower, self.raw.bounds[0], min, max);
        let upper = self.number(upper, self.raw.bounds[1], min, max);
        self.all_or_none("lower and upper", &self.raw.bounds);
        Some(Bounds {
            lower: lower?,
            upper: upper?,
        })
    }

    fn outcomes(&mut self) -> Option<Outcomes> {
        let raw = self.raw.outcomes;
        let mut count = |field, cell| self.number(field, cell, 0, u32::MAX.into());
        let wins = count("number of wins", raw[0]);
        let draws = count("number of draws", raw[1]);
        let losses = count("number of losses", raw[2]);
        self.all_or_none("wins, draws and losses", &raw);
        Some(Outcomes {
            wins: wins?,
            draws: draws?,
            losses: losses?,
        })
    }

    fn all_or_none(&mut self, fields: &str, cells: &[RawCell]) {
        let unknown = cells.iter().filter(|cell| **cell == RawCell::Null).count();
        if unknown > 0 && unknown < cells.len() {
            self.findings.add(Kind::Half, self.discs, || {
                format!("some of {fields} are NULL and some are not: expected all or none")
            });
        }
    }

    /// A legal move, on the canonical board.
    fn mv(&mut self, cell: RawCell, of: MoveOf) -> Option<Move> {
        if let RawCell::Integer(code) = cell
            && let Some(mv) = u8::try_from(code).ok().and_then(Move::from_code)
        {
            if self.board.play(mv).is_some() {
                return Some(self.symmetry.play(mv));
            }
            let fault = Fault {
                player: self.discs.player,
                opponent: self.discs.opponent,
                kind: FaultKind::IllegalMove {
                    of,
                    code: mv.code(),
                },
            };
            self.findings
                .add(Kind::IllegalMove, self.discs, || gathered::remark(&fault));
        } else {
            self.findings.add(Kind::OutOfRange, self.discs, || {
                format!("the move of {of} is {}: expected 0 to 64", show(cell))
            });
        }
        None
    }

    fn leaf(&mut self, raw: RawLeaf, engine: Engine) -> Option<Leaf> {
        let engine = self.engine(raw.engine, engine);
        let level = self.number("leaf's level", raw.level, 0, u8::MAX.into());
        let mv = match raw.mv {
            RawCell::Null if self.board.is_over() => None,
            RawCell::Null => {
                self.findings.add(Kind::ScoreWithoutMove, self.discs, || {
                    String::from(
                        "the leaf has no move: expected a legal one, for the game is not over",
                    )
                });
                return None;
            }
            cell => Some(self.mv(cell, MoveOf::Leaf)?),
        };
        let score = match raw.score {
            RawCell::Integer(_) => self.number("leaf's score", raw.score, -64, 64)?,
            other => {
                self.findings.add(Kind::OutOfRange, self.discs, || {
                    format!("the leaf's score is {}: expected -64 to 64", show(other))
                });
                return None;
            }
        };
        Some(Leaf {
            mv,
            score,
            level,
            engine,
        })
    }
}

fn show(cell: RawCell) -> String {
    match cell {
        RawCell::Null => String::from("NULL"),
        RawCell::Integer(number) => number.to_string(),
        RawCell::Other => String::from("no whole number"),
    }
}
