//! Finding everything that would make an engine or a query stumble over a book, each with its board.
//!
//! There are three passes. Reading goes as far as possible through a damaged book and notes every fault. Then links and
//! leaves are checked against the rules of the game and the contents of the book, and finally the numbers of every
//! position against its leaf and its children. The result is a linked book, which only needs negamax to be repaired.
//!
//! The checks of a position depend on it, its children and the lines that lead to it. So a book that doesn't fit in
//! memory is checked in slabs: see [`obook_graph::slabs`].

mod damage;
mod finding;
mod judge;
mod read;

pub use finding::{Example, FindingKind, Group, Severity};

use crate::database::OTHELLO;
use crate::read::book::memory;
use crate::{Book, BookFile, BookHeader, Context, Error, Result};
pub(crate) use damage::{Damage, gather_legible};
pub(crate) use finding::Findings;
pub(crate) use judge::{Numbers, Origin};
pub(crate) use read::Tables;

use judge::{check_demands, check_moves};
use obook_converters::{Format, Legible};
use obook_graph::LinesFromStart;
use obook_graph::link::link_counted;
use obook_graph::negamax::Scoring;
use obook_graph::passes::lacking_passes;
use obook_graph::slabs::Slabs;
use obook_othello::{CanonicalBoard, RuleSet};
use obook_store::kept_rows;
use read::{Reading, each_record, find_duplicates, read_tables};
use serde::Serialize;
use std::path::Path;

/// The result of [`verify`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
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
        let is_so = |group: &&Group| group.severity == severity;
        let groups = self.findings.iter().filter(is_so);
        groups.map(|group| group.count).sum()
    }
}

pub(crate) fn is_sound(findings: &[Group]) -> bool {
    let mut findings = findings.iter();
    findings.all(|group| group.severity == Severity::Note)
}

/// Checks a book. Of each kind of finding, the first `examples` are reported in full. A book that needs more memory than the context
/// allows goes through temporary files.
///
/// ```
/// use obook::{Context, Book, check::verify};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// let context = Context::default();
/// let book = Book::open(path, &context)?;
/// let report = verify(&book, 3, &context)?;
/// assert_eq!(report.positions, 2247);
/// assert!(report.is_sound() && report.findings.is_empty());
/// # Ok::<(), obook::Error>(())
/// ```
///
/// # Errors
/// If the book can't be opened or read at all, or temporary files can't be written. Damage is a finding.
pub fn verify(book: &Book, examples: usize, context: &Context) -> Result<Verification> {
    Ok(inspect(book, examples, context)?.report)
}

/// A book that was read and checked: the findings, and its positions, linked.
pub(crate) struct Inspected {
    pub(crate) origin: Origin,
    /// With pass positions that Egaroucid's books leave out. They were added for computing.
    pub(crate) book: Slabs,
    /// The rules that its numbers must follow; `None` if a damaged header hides them.
    pub(crate) rules: Option<Scoring>,
    pub(crate) report: Verification,
}

pub(crate) fn inspect(book: &Book, keep: usize, context: &Context) -> Result<Inspected> {
    match book {
        Book::File(file) => inspect_file(file, keep, context),
        Book::Database(store) => {
            let transactions = store.read_transactions()?;
            let header = BookHeader::read(transactions.first());
            let tables = Tables::Committed(transactions);
            inspect_database(tables, store.path(), header, keep, context)
        }
    }
}

fn inspect_file(file: &BookFile, keep: usize, context: &Context) -> Result<Inspected> {
    let (path, format, header) = (file.path(), file.format(), file.header());
    let promised = header.header.count.and_then(|count| count.try_into().ok());
    let progress = context.progress();
    progress.step("reading", promised);
    let mut reading = Reading::new(keep, memory(context));
    each_record(path, format, progress, |it| reading.take(it, format))?;
    let again = |visit: &mut dyn FnMut(CanonicalBoard)| {
        progress.step("looking for duplicates", promised);
        each_record(path, format, progress, |it| {
            if let Legible::Record { position, .. } = it {
                position.iter().for_each(|position| visit(position.board));
            }
            Ok(())
        })
    };
    let origin = Origin::File(format);
    judge(path, origin, Some(header), reading, again, context)
}

/// Inspects the tables of the database at `path`.
pub(crate) fn inspect_database(
    mut tables: Tables<'_>,
    path: &Path,
    header: Result<BookHeader>,
    keep: usize,
    context: &Context,
) -> Result<Inspected> {
    let progress = context.progress();
    let known = kept_rows(tables.connection(), &OTHELLO, "positions");
    progress.step("reading", known);
    let mut reading = Reading::new(keep, memory(context));
    let header = header.inspect_err(|error| {
        let findings = &mut reading.findings;
        findings.add(FindingKind::Header, None, || error.to_string());
    });
    read_tables(&mut tables, path, &mut reading, progress)?;
    let again = |visit: &mut dyn FnMut(CanonicalBoard)| {
        progress.step("looking for duplicates", None);
        // The faults of the rows are known already. A board that is not canonical may be there again.
        tables.each(path, &mut Findings::new(0), |joined| {
            joined.position.iter().for_each(|it| visit(it.board));
        })
    };
    let header = header.as_ref().ok();
    let origin = Origin::Database(header.map_or(RuleSet::Edax, |header| header.rules));
    judge(path, origin, header, reading, again, context)
}

/// Checks what was read. If there are duplicates, `again` reads the boards of the book once more to find them.
fn judge(
    path: &Path,
    origin: Origin,
    header: Option<&BookHeader>,
    reading: Reading,
    again: impl FnMut(&mut dyn FnMut(CanonicalBoard)) -> Result<()>,
    context: &Context,
) -> Result<Inspected> {
    use FindingKind::{LeafInBook, MissingLink, NoChild};
    let failed = Error::of_slabs(path);
    let (progress, memory) = (context.progress(), memory(context));
    let mut findings = reading.findings;
    let keep = findings.keep;
    let (mut book, duplicates) = Slabs::new(reading.positions).map_err(&failed)?;
    let positions = book.len();
    if duplicates > 0 {
        findings.append(find_duplicates(&reading.counts, memory, keep, again)?);
    }
    progress.step("checking", None);
    let mut moves = Findings::new(keep);
    book.grow(|slab, passes| {
        moves.prepend(check_moves(slab.graph(), origin, keep));
        if !origin.is_edax() {
            lacking_passes(slab.graph(), |_| true, passes);
        }
        Ok(())
    })
    .map_err(&failed)?;
    // Links that are right need not be found again.
    let wrong_links = [NoChild, MissingLink, LeafInBook];
    let wrong_links = wrong_links.iter().any(|kind| moves.count(*kind) > 0);
    let relink = wrong_links || !origin.has_links() || book.len() > positions;
    findings.append(moves);
    if relink {
        progress.step("linking", Some(book.len()));
    }
    let mut demands = Findings::new(keep);
    let mut numbers = header.map(|header| Numbers::new(origin, header, keep));
    book.sweep_up(|slab| {
        if relink {
            link_counted(slab.graph_mut(), progress)?;
        }
        demands.prepend(check_demands(slab.graph(), origin, keep));
        if let Some(numbers) = &mut numbers {
            numbers.check(slab.graph());
        }
        Ok(())
    })
    .map_err(&failed)?;
    findings.append(demands);
    let rules = numbers.map(|numbers| {
        let (rules, contradictions) = numbers.closest();
        findings.append(contradictions);
        rules
    });
    let mut unreachable = Findings::new(keep);
    let lines = LinesFromStart::new(&mut book, |board| {
        unreachable.add(FindingKind::Unreachable, board.to_key(), || {
            String::from("no line of the book leads here")
        });
    })
    .map_err(&failed)?;
    let start = lines.has_start();
    if start {
        findings.append(unreachable);
    }
    findings.set_lines(lines).map_err(&failed)?;
    let report = Verification {
        format: origin.format().map_or("obook", Format::name),
        positions,
        start,
        findings: findings.into_groups(),
    };
    Ok(Inspected {
        origin,
        book,
        rules,
        report,
    })
}
