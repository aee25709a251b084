//! Changing a whole book: it is read, changed one slab at a time, and written back at once.
//!
//! Only the rows of a database that differ are written, in one transaction. A book file is left as it is, and the
//! changed book goes to another file in its format.

use crate::check::{Damage, Numbers, Origin, gather_legible};
use crate::read::book::gather_file;
use crate::write::export::{ExportOptions, write_file};
use crate::write::fix::{ChangedPositions, DifferingRows, Plan, mend};
use crate::{
    AtomicFile, Book, BookFile, BookHeader, Context, Error, FileKind, IfExists, Result, Store,
    spare,
};
use foldhash::HashSet;
use obook_base::compression::{Compression, without_zst};
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::mapping::decide_no_leaf;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::restore_passes_by;
use obook_graph::slabs::{self, ADDED, ByKey, Slab, Slabs};
use obook_graph::{Graph, NodeId};
use obook_othello::Position;
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A book to change, and where the result goes.
#[derive(Debug)]
pub enum Target<'a> {
    /// A database that is open for writing. It is changed in place, as one change in its history.
    InPlace(&'a mut Store),
    /// Any book. Changes are only reported.
    DryRun(&'a Book),
    /// A book file. The result goes to another file in the same format.
    File {
        /// The book file.
        book: &'a BookFile,
        /// The file for the result.
        output: &'a Path,
        /// The action if it exists.
        if_exists: IfExists,
    },
}

/// The mark of a position that stays in the book.
pub const KEPT: u8 = 2;

/// A linked book with the numbers that follow from its rules.
pub(super) struct LinkedBook {
    pub book: Slabs,
    pub header: BookHeader,
    /// The rules for recomputing its numbers.
    rules: Scoring,
    form: Form,
}

/// The form in which the positions that stay are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As rows of a database.
    Rows,
    /// As records of a file.
    Records,
    /// Not at all.
    Nothing,
}

/// A changed book that is not written yet.
pub(super) struct Changed {
    pub header: BookHeader,
    /// The number of positions that stay.
    pub kept: u64,
    /// How many of them lack a leaf.
    todo: u64,
    staying: Staying,
}

/// The positions that stay, in their [`Form`].
enum Staying {
    Rows(DifferingRows),
    Records(ByKey),
}

impl LinkedBook {
    /// Lets `change` change the positions of each slab, from the end of the game up, and computes their numbers again. Those with
    /// the mark [`KEPT`] stay.
    pub(super) fn change(
        self,
        mut change: impl FnMut(&mut Slab) -> Result<(), slabs::Error>,
    ) -> Result<Changed, slabs::Error> {
        let LinkedBook {
            book,
            header,
            rules,
            form,
        } = self;
        let mut change = |slab: &mut Slab| {
            change(slab)?;
            negamax(slab.graph_mut(), rules);
            Ok::<(), slabs::Error>(())
        };
        if form == Form::Rows {
            let rows = DifferingRows::of(book, &HashSet::default(), |slab| {
                change(slab)?;
                Ok(slab.marked(KEPT))
            })?;
            return Ok(Changed {
                header,
                kept: rows.positions(),
                todo: rows.missing().len() as u64,
                staying: Staying::Rows(rows),
            });
        }
        let (mut kept, mut todo) = (0, 0);
        let records = book.finish_in_sets(record, u64::MAX, |slab| {
            change(slab)?;
            let graph = slab.graph();
            let stay = || graph.unfrozen().filter(|id| slab.mark(*id) & KEPT != 0);
            kept += stay().count() as u64;
            todo += stay().filter(|id| lacks_leaf(graph, *id)).count() as u64;
            let sets = graph.ids().map(|id| match slab.mark(id) & (KEPT | ADDED) {
                KEPT if form == Form::Records => ByKey::ALL,
                _ => 0,
            });
            Ok::<_, slabs::Error>(sets.collect())
        })?;
        Ok(Changed {
            header,
            kept,
            todo,
            staying: Staying::Records(records),
        })
    }
}

/// A position as a file has it.
fn record(slab: &Slab, id: NodeId) -> Position {
    let graph = slab.graph();
    let is_kept = |id| slab.mark(id) & KEPT != 0;
    let mut position = graph.position(id);
    decide_no_leaf(&mut position, |board| {
        graph.find(board).is_some_and(is_kept)
    });
    position
}

/// The effects that all rewrites share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rewritten {
    /// The database or file with the changed book; in a dry run, the book itself.
    pub output: PathBuf,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The repairs by linking the book first.
    pub link: LinkReport,
    /// Pass positions and finished games that were added first; books with Egaroucid's rules may lack them.
    pub restored: u64,
    /// For a database: kept positions whose rows changed.
    pub changed: Option<ChangedPositions>,
    /// Kept positions that lack a leaf: a legal move leads out of the book but was never searched. In a database they
    /// are listed in table `todo`.
    pub todo: u64,
}

/// The result of a rewrite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report<C> {
    /// The effects of this kind of rewrite.
    #[serde(flatten)]
    pub counts: C,
    /// The effects that all rewrites share.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// Reads a book, links and computes it, lets `work` [change](LinkedBook::change) it, and writes the result to its target. `work`
/// also gets the book's path. Its counts go into a database's history.
///
/// A book that needs more memory than the context allows goes through temporary files.
///
/// # Errors
/// If the book can't be read or is damaged, if `work` fails, or if the target can't be written. Everything is then as
/// before.
pub(super) fn rewrite<R: Serialize>(
    target: Target<'_>,
    context: &Context,
    work: impl FnOnce(&Path, LinkedBook) -> Result<(R, Changed)>,
) -> Result<Report<R>> {
    match target {
        Target::DryRun(Book::Database(store)) => {
            let (book, link, restored) = read_database(store, context)?;
            let (counts, changed) = work(store.path(), book)?;
            Ok(report(store.path(), counts, &changed, link, restored, true))
        }
        Target::InPlace(store) => {
            // From here on no other process can write: what is read is what the changes replace.
            let update = store.change()?;
            let reading = update.store().reader()?;
            let old = reading.header()?;
            let (book, link, restored) = read_database(&reading, context)?;
            let (counts, changed) = work(update.store().path(), book)?;
            let Staying::Rows(rows) = &changed.staying else {
                unreachable!("a database has rows");
            };
            context.progress().step("writing", None);
            rows.write(&update, &Damage::none())?;
            Plan::fix(Some(changed.header.negamax_rules())).record(&update, rows.missing())?;
            if changed.header != old {
                update.set_header(&changed.header)?;
            }
            update.forget_sources()?;
            update.commit(&counts)?;
            Ok(report(
                store.path(),
                counts,
                &changed,
                link,
                restored,
                false,
            ))
        }
        Target::DryRun(Book::File(file)) => {
            let (counts, changed) = work(file.path(), read_file(file, Form::Nothing, context)?)?;
            // The links of a file are found again whenever it is read.
            let link = LinkReport::default();
            Ok(report(file.path(), counts, &changed, link, 0, true))
        }
        Target::File {
            book: file,
            output,
            if_exists,
        } => {
            spare(file.path(), output)?;
            let written = AtomicFile::create(output, FileKind::Book, if_exists, context)?;
            let (counts, changed) = work(file.path(), read_file(file, Form::Records, context)?)?;
            let Staying::Records(records) = &changed.staying else {
                unreachable!("a file has records");
            };
            let options = ExportOptions {
                compression: without_zst(output).map(|_| Compression::default()),
                ..ExportOptions::new(file.format())
            };
            let (header, progress) = (&changed.header.header, context.progress());
            write_file(records, written, output, header, &options, progress)?;
            let link = LinkReport::default();
            Ok(report(output, counts, &changed, link, 0, false))
        }
    }
}

fn report<R>(
    output: &Path,
    counts: R,
    changed: &Changed,
    link: LinkReport,
    restored: u64,
    dry_run: bool,
) -> Report<R> {
    let rewritten = Rewritten {
        output: output.to_owned(),
        dry_run,
        link,
        restored,
        changed: match &changed.staying {
            Staying::Rows(rows) => Some(rows.changed()),
            Staying::Records(_) => None,
        },
        todo: changed.todo,
    };
    Report { counts, rewritten }
}

/// Reads, links and computes a database. Refuses damage, since a cut can't judge rows that make no sense. Also returns what linking
/// repaired, and how many positions were added.
fn read_database(store: &Store, context: &Context) -> Result<(LinkedBook, LinkReport, u64)> {
    let path = store.path();
    let failed = Error::of_slabs(path);
    let header = store.header()?;
    let origin = Origin::Database(header.rules);
    let (gathered, Damage { mut faults, .. }) = gather_legible(store, context)?;
    let (mut book, _) = Slabs::new(gathered).map_err(&failed)?;
    let restored = restore_passes_by(&mut book, header.rules).map_err(&failed)?;
    book.remember();
    let rules = Numbers::new(origin, &header, 0);
    let mend = |graph: &mut Graph| mend(graph, origin, &mut faults);
    let (link, rules) = compute(&mut book, rules, mend, context).map_err(&failed)?;
    match faults.total() {
        0 => {
            let form = Form::Rows;
            Ok((
                LinkedBook {
                    book,
                    header,
                    rules,
                    form,
                },
                link,
                restored,
            ))
        }
        places => {
            let path = path.to_owned();
            Err(Error::Damaged { path, places })
        }
    }
}

/// Reads, links and computes a file.
fn read_file(file: &BookFile, form: Form, context: &Context) -> Result<LinkedBook> {
    let failed = Error::of_slabs(file.path());
    let reader = file.reader()?;
    let header = BookHeader::of(&reader);
    let gathered = gather_file(reader, context)?;
    let (mut book, _) = Slabs::new(gathered).map_err(&failed)?;
    restore_passes_by(&mut book, header.rules).map_err(&failed)?;
    let rules = Numbers::new(Origin::File(file.format()), &header, 0);
    let (_, rules) = compute(&mut book, rules, |_| {}, context).map_err(&failed)?;
    Ok(LinkedBook {
        book,
        header,
        rules,
        form,
    })
}

/// Links a book that `mend` mends, and computes it by the rules that its numbers follow.
fn compute(
    book: &mut Slabs,
    mut possible: Numbers,
    mut mend: impl FnMut(&mut Graph),
    context: &Context,
) -> Result<(LinkReport, Scoring), slabs::Error> {
    let progress = context.progress();
    progress.step("linking", Some(book.len()));
    let mut report = LinkReport::default();
    book.sweep_up(|slab| {
        let graph = slab.graph_mut();
        mend(graph);
        report += link_counted(graph, progress)?;
        if let Some(rules) = possible.only() {
            negamax(graph, rules);
        }
        Ok::<(), slabs::Error>(())
    })?;
    if let Some(rules) = possible.only() {
        return Ok((report, rules));
    }
    progress.step("computing", None);
    book.scan(|slab| possible.check(slab.graph()))?;
    let (rules, _) = possible.closest();
    book.sweep_up(|slab| {
        negamax(slab.graph_mut(), rules);
        Ok::<(), slabs::Error>(())
    })?;
    Ok((report, rules))
}
