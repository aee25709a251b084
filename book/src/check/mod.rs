//! Finding everything that would make an engine or a query stumble over a book, each with its board.
//!
//! There are three passes. Reading goes as far as possible through a damaged book and notes every fault. Then links and
//! leaves are checked against the rules of the game and the contents of the book, and finally the numbers of every
//! position against its leaf and its children. The result is a linked book in memory, which only needs negamax to be
//! repaired.

mod finding;
mod judge;
mod read;

pub use finding::{Example, Group, Kind, Severity};

use crate::{Book, BookHeader, Error, Progress, Result};
pub(crate) use finding::Findings;
pub(crate) use judge::{Origin, PossibleRules};
pub(crate) use read::Tables;

use foldhash::HashSet;
use judge::{check_demands, check_moves, check_numbers};
use obook_converters::Format;
use obook_graph::link;
use obook_graph::negamax;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, LinesFromStart};
use obook_model::RuleSet;
use obook_othello::CanonicalBoard;
use obook_store::kept_positions;
use read::{
    Duplicates, Gathered, find_duplicates_in_file, find_duplicates_in_tables, read_file,
    read_tables,
};
use serde::Serialize;
use std::path::Path;

/// The result of [`verify`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verification {
    /// `obook` for a database; otherwise the file's format.
    pub format: &'static str,
    /// The number of different positions that could be read.
    pub positions: u64,
    /// Whether the start position is among them.
    pub start: bool,
    /// Findings by kind, the worst kinds first.
    pub findings: Vec<Group>,
}

impl Verification {
    /// Returns whether nothing is wrong. Notes don't count.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.findings)
    }

    /// Returns the number of findings of this severity.
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

/// Checks a book. Of each kind of finding, the first `examples` are reported in full.
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
/// If the book can't be opened or read at all. Damage is a finding.
pub fn verify(book: &Book, examples: usize, progress: &Progress) -> Result<Verification> {
    Ok(inspect(book, examples, progress)?.report())
}

/// A book that was read and checked: the findings, and its positions in memory, linked.
pub(crate) struct Inspected {
    pub(crate) origin: Origin,
    pub(crate) graph: Graph,
    /// The rules that its numbers must follow; `None` if a damaged header hides them.
    pub(crate) rules: Option<negamax::Scoring>,
    pub(crate) findings: Findings,
    start: bool,
    pub(crate) positions: u64,
    /// Pass positions that Egaroucid's books leave out. They were added for computing.
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
    read_file(path, format, &mut gathered, progress)?;
    let again = |duplicates: &mut Duplicates<'_>| {
        progress.step("looking for duplicates", promised);
        find_duplicates_in_file(path, format, duplicates, progress)
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
    read_tables(&mut tables, path, &mut gathered, progress);
    let again = |duplicates: &mut Duplicates<'_>| {
        progress.step("looking for duplicates", None);
        find_duplicates_in_tables(&mut tables, path, duplicates)
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

/// Checks what was read. If there are duplicates, `again` reads the book once more to find them.
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
    findings.append(check_moves(&graph, origin, keep));
    let restored = if origin.is_edax() {
        HashSet::default()
    } else {
        restore_passes(&mut graph).map_err(&too_large)?
    };
    // Links that are right need not be found again.
    let wrong_links = [Kind::NoChild, Kind::MissingLink, Kind::LeafInBook];
    let wrong_links = wrong_links.iter().any(|kind| findings.count(*kind) > 0);
    if wrong_links || !origin.has_links() || !restored.is_empty() {
        link::link_shown(&mut graph, progress).map_err(&too_large)?;
    }
    findings.append(check_demands(&graph, origin, keep));
    let rules = header.map(|header| {
        let mut rules = PossibleRules::new(origin, header);
        rules.check(&graph);
        rules.closest()
    });
    if let Some(rules) = rules {
        findings.append(check_numbers(&graph, origin, rules, keep));
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
