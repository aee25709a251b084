//! Everything that would make an engine or a query stumble over a book, each with its board.
//!
//! Three passes: reading, which takes in a damaged book as far as it goes and notes every fault; links and leaves
//! against the rules of the game and the contents of the book; and the numbers of every position against leaf and
//! children. What was read ends up linked in memory, so that mending is a negamax away.

mod demands;
mod finding;
mod gathered;
mod numbers;
mod origin;
mod records;
mod rows;
mod structure;

pub use finding::{Example, Group, Kind, Severity};

use crate::{Book, BookHeader, Error, Progress, Result};
pub(crate) use finding::Findings;
use foldhash::HashSet;
use gathered::{Duplicates, Gathered};
use obook_converters::Format;
use obook_graph::link;
use obook_graph::negamax;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, LinesFromStart};
use obook_model::RuleSet;
use obook_othello::CanonicalBoard;
use obook_store::kept_positions;
pub(crate) use origin::Origin;
pub(crate) use rows::Tables;
use serde::Serialize;
use std::path::Path;

/// What [`verify`] found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verification {
    /// `obook` for a database, else the file's format.
    pub format: &'static str,
    /// Positions that could be read, each counted once.
    pub positions: u64,
    /// Whether the start position is among them.
    pub start: bool,
    /// Findings by kind, the gravest kinds first.
    pub findings: Vec<Group>,
}

impl Verification {
    /// Whether anything is wrong; notes alone are not.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.findings)
    }

    /// Findings of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        let groups = self.findings.iter();
        groups
            .filter(|group| group.severity == severity)
            .map(|group| group.count)
            .sum()
    }
}

pub(crate) fn is_sound(findings: &[Group]) -> bool {
    findings
        .iter()
        .all(|group| group.severity == Severity::Note)
}

/// Checks a book, and keeps `examples` findings of each kind.
///
/// ```
/// use obook_book::{Context, Book, Progress, check::verify};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// let book = Book::open(path.as_ref(), &Context::default())?;
/// let report = verify(&book, 3, &Progress::hidden())?;
/// assert_eq!(report.positions, 2247);
/// assert!(report.is_sound() && report.findings.is_empty());
/// # Ok::<(), obook_book::Error>(())
/// ```
///
/// # Errors
/// Where the book can't be opened or read at all; damage is a finding.
pub fn verify(book: &Book, examples: usize, progress: &Progress) -> Result<Verification> {
    Ok(inspect(book, examples, progress)?.report())
}

/// A book that was read and judged: the findings, and its positions in memory, linked.
pub(crate) struct Inspected {
    pub(crate) origin: Origin,
    pub(crate) graph: Graph,
    /// The rules that its numbers have to follow; `None` where a damaged header hides them.
    pub(crate) rules: Option<negamax::Scoring>,
    pub(crate) findings: Findings,
    start: bool,
    pub(crate) positions: u64,
    /// Positions that an Egaroucid book does not hold, put in to compute through passes.
    pub(crate) restored: HashSet<CanonicalBoard>,
}

impl Inspected {
    pub(crate) fn report(self) -> Verification {
        Verification {
            format: match self.origin {
                Origin::File(format) => format.name(),
                Origin::Database(_) => "obook",
            },
            positions: self.positions,
            start: self.start,
            findings: self.findings.into_groups(),
        }
    }
}

pub(crate) fn inspect(book: &Book, keep: usize, progress: &Progress) -> Result<Inspected> {
    match book {
        Book::File(file) => {
            inspect_file(book.path(), file.format(), &book.header()?, keep, progress)
        }
        Book::Database(store) => {
            let transactions = store.read_transactions()?;
            let header = transactions.first().header();
            let tables = Tables::Committed(transactions);
            inspect_database(tables, store.path(), header, keep, progress)
        }
    }
}

fn inspect_file(
    path: &Path,
    format: Format,
    header: &BookHeader,
    keep: usize,
    progress: &Progress,
) -> Result<Inspected> {
    let promised = header.header.count.and_then(|count| count.try_into().ok());
    progress.step("reading", promised);
    let mut gathered = Gathered::new(keep);
    records::gather(path, format, &mut gathered, progress)?;
    let again = |duplicates: &mut Duplicates<'_>| {
        progress.step("looking for duplicates", promised);
        records::find_duplicates(path, format, duplicates, progress)
    };
    judge(
        path,
        Origin::File(format),
        Some(header),
        gathered,
        again,
        progress,
    )
}

/// Inspects the tables of the database at `path`.
pub(crate) fn inspect_database(
    mut tables: Tables<'_>,
    path: &Path,
    header: Result<BookHeader>,
    keep: usize,
    progress: &Progress,
) -> Result<Inspected> {
    progress.step("reading", kept_positions(tables.connection()));
    let mut gathered = Gathered::new(keep);
    let header = match header {
        Ok(header) => Some(header),
        Err(error) => {
            gathered
                .findings
                .add(Kind::Header, None, || error.to_string());
            None
        }
    };
    rows::gather(&mut tables, path, &mut gathered, progress);
    let again = |duplicates: &mut Duplicates<'_>| {
        progress.step("looking for duplicates", None);
        rows::find_duplicates(&mut tables, path, duplicates)
    };
    let rules = header.as_ref().map_or(RuleSet::Edax, |header| header.rules);
    judge(
        path,
        Origin::Database(rules),
        header.as_ref(),
        gathered,
        again,
        progress,
    )
}

/// Judges what was read. `again` reads the book once more, to find duplicates, if there are any.
fn judge(
    path: &Path,
    origin: Origin,
    header: Option<&BookHeader>,
    gathered: Gathered,
    again: impl FnOnce(&mut Duplicates<'_>) -> Result<()>,
    progress: &Progress,
) -> Result<Inspected> {
    let too_large = Error::too_large(path);
    let Gathered {
        builder,
        mut findings,
    } = gathered;
    let keep = findings.keep();
    let (mut graph, built) = builder.finish().map_err(&too_large)?;
    let positions = graph.len() as u64;
    if built.duplicates > 0 {
        again(&mut Duplicates::new(&graph, &mut findings))?;
    }
    progress.step("checking", None);
    findings.append(structure::check(&graph, origin, keep));
    let restored = if origin.is_edax() {
        HashSet::default()
    } else {
        restore_passes(&mut graph).map_err(&too_large)?
    };
    // Links that were found to be as they should need not be found anew.
    let wrong_links = [Kind::NoChild, Kind::MissingLink, Kind::LeafInBook];
    let wrong_links = wrong_links.iter().any(|kind| findings.count(*kind) > 0);
    if wrong_links || !origin.has_links() || !restored.is_empty() {
        link::link_shown(&mut graph, progress).map_err(&too_large)?;
    }
    findings.append(demands::check(&graph, origin, keep));
    let rules = header.map(|header| match origin {
        Origin::Database(_) => header.negamax_rules(),
        Origin::File(format) => rules_of_file(&graph, format, header),
    });
    if let Some(rules) = rules {
        findings.append(numbers::check(&graph, origin, rules, keep));
    }
    let lines = LinesFromStart::new(&graph);
    if lines.has_start() {
        let places = (0..graph.len()).rev();
        for id in places
            .map(|place| graph.id(place))
            .filter(|id| !lines.reach(*id))
        {
            findings.add(Kind::Unreachable, Some(graph.board(id).into()), || {
                String::from("no line of the book leads here")
            });
        }
    }
    findings.set_lines(|board| {
        let id = graph.find(board.canonical())?;
        lines.to(&graph, id)
    });
    Ok(Inspected {
        origin,
        graph,
        rules,
        findings,
        start: lines.has_start(),
        positions,
        restored,
    })
}

/// The rules that the numbers of a linked book file follow: its format can't say which of Egaroucid's two fixes, with leaves
/// or without, was the last, so it is taken to be the one that contradicts fewer values.
pub(crate) fn rules_of_file(
    graph: &Graph,
    format: Format,
    header: &BookHeader,
) -> negamax::Scoring {
    let origin = Origin::File(format);
    if origin.is_edax() {
        return header.negamax_rules();
    }
    let fixes = [true, false].map(|edax_compliant| negamax::Scoring::Egaroucid { edax_compliant });
    numbers::closest(graph, origin, &fixes)
}
