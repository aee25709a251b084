//! What was read, on its way to a graph.

use super::finding::{Discs, Findings, Kind};
use obook_converters::{ErrorKind, Fault, FaultKind, Format};
use obook_graph::{Graph, GraphBuilder};
use obook_model::Position;
use obook_othello::CanonicalBoard;

/// What became of a record, or of the file.
pub(crate) enum Legible {
    /// A record.
    Record {
        /// What could be saved, on its canonical board.
        position: Option<Position>,
        /// Its board as the file has it.
        discs: Discs,
        /// What is wrong with it.
        faults: Vec<Fault>,
        /// Which record, from 1, and where it begins.
        place: (u64, u64),
    },
    /// Nothing more can be read.
    Damage(obook_converters::Error),
}

/// Positions and findings so far.
pub(crate) struct Gathered {
    pub(crate) builder: GraphBuilder,
    pub(crate) findings: Findings,
}

impl Gathered {
    pub(crate) fn new(keep: usize) -> Gathered {
        Gathered {
            builder: Graph::builder(),
            findings: Findings::new(keep),
        }
    }

    /// Takes in what became of a record.
    pub(crate) fn take(&mut self, legible: Legible, format: Format) {
        match legible {
            Legible::Damage(error) => {
                let kind = match error.kind() {
                    ErrorKind::Count { .. } => Kind::Count,
                    _ => Kind::Damaged,
                };
                self.findings.add(kind, None, || error.to_string());
            }
            Legible::Record {
                position,
                discs,
                faults,
                place: (number, offset),
            } => {
                for fault in faults {
                    self.findings.add(kind(&fault.kind), discs, || {
                        format!("position {number} (byte {offset}): {}", fault.remark())
                    });
                }
                let Some(position) = position else { return };
                // The oldest format never was canonical, and the readers of a text canonicalise.
                let demands = !matches!(format, Format::Egbk | Format::EdaxText);
                if demands && discs != position.board.into() {
                    self.findings.add(Kind::NotCanonical, discs, || {
                        let expected = position.board.board().to_text();
                        format!("position {number} (byte {offset}): expected {expected}")
                    });
                }
                self.builder.push(position);
            }
        }
    }
}

/// Finds the boards that come more than once, when it is known that there are some.
pub(crate) struct Duplicates<'a> {
    graph: &'a Graph,
    seen: Vec<bool>,
    findings: &'a mut Findings,
}

impl<'a> Duplicates<'a> {
    pub(crate) fn new(graph: &'a Graph, findings: &'a mut Findings) -> Duplicates<'a> {
        Duplicates {
            graph,
            seen: vec![false; graph.len()],
            findings,
        }
    }

    pub(crate) fn visit(&mut self, board: CanonicalBoard) {
        let Some(id) = self.graph.find(board) else {
            return;
        };
        if std::mem::replace(&mut self.seen[id.index()], true) {
            self.findings.add(Kind::Duplicate, Some(board.into()), || {
                String::from("the position stands in the book more than once")
            });
        }
    }
}

/// The kind of finding that a fault is.
pub(crate) fn kind(fault: &FaultKind) -> Kind {
    match fault {
        FaultKind::Overlap => Kind::Overlap,
        FaultKind::EmptyCentre => Kind::EmptyCentre,
        FaultKind::IllegalMove { .. } => Kind::IllegalMove,
        FaultKind::DuplicateMove { .. } => Kind::DuplicateMove,
        FaultKind::ScoreWithoutMove { .. } => Kind::ScoreWithoutMove,
        _ => Kind::OutOfRange,
    }
}
