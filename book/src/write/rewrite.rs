//! Changing a whole book: it is read, changed one slab at a time, and written back at once.
//!
//! Only the rows of a database that differ are written, in one transaction. A book file is left as it is, and the
//! changed book goes to another file in its format.

use crate::check::{Numbers, Origin};
use crate::read::book::{gather_file, memory};
use crate::write::fix::{ChangedPositions, Compared, Draft, Legible, Plan, mend, sorter_budget};
use crate::{
    AtomicFile, Book, BookFile, BookHeader, Change, Context, Error, FileKind, IfExists, Progress,
    Result, Sorted, Sorter, Store, spare,
};
use obook_converters::{BookWriter, Compression, Format, Header, without_zst};
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::mapping::decide_no_leaf;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::restore_passes_in;
use obook_graph::slabs::{self, ADDED, Gathered, Slab, Slabs};
use obook_graph::{Graph, NodeId, Selection};
use obook_model::{Position, RuleSet};
use obook_store::Missing;
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
pub(super) struct LinkedBook<'a> {
    pub book: &'a mut Slabs,
    pub header: &'a mut BookHeader,
    /// The rules for recomputing its numbers.
    rules: Scoring,
    staying: &'a mut Staying,
}

impl LinkedBook<'_> {
    /// Lets `change` change the positions of each slab, from the end of the game up, and computes their numbers again. Those with
    /// the mark [`KEPT`] stay; returns how many they are.
    pub(super) fn change(
        &mut self,
        mut change: impl FnMut(&mut Slab) -> Result<(), slabs::Error>,
    ) -> Result<u64, slabs::Error> {
        self.book.sweep_up(|slab| {
            change(slab)?;
            negamax(slab.graph_mut(), self.rules);
            self.staying.take(slab)
        })?;
        Ok(self.staying.count)
    }
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
    work: impl FnOnce(&Path, &mut LinkedBook<'_>) -> Result<R>,
) -> Result<Report<R>> {
    match target {
        Target::DryRun(Book::Database(store)) => {
            let (changed, rows) = change_database(store, context, work)?;
            Ok(changed.report(store.path(), true, Some(rows.changed())))
        }
        Target::InPlace(store) => rewrite_database(store, context, work),
        Target::DryRun(Book::File(file)) => rewrite_file(file, None, context, work),
        Target::File {
            book,
            output,
            if_exists,
        } => {
            spare(book.path(), output)?;
            let file = AtomicFile::create(output, FileKind::Book, if_exists, context)?;
            rewrite_file(book, Some((output, file)), context, work)
        }
    }
}

/// A changed book that is not written yet.
struct Changed<R> {
    counts: R,
    header: BookHeader,
    link: LinkReport,
    restored: u64,
    todo: u64,
}

impl<R> Changed<R> {
    fn report(self, output: &Path, dry_run: bool, changed: Option<ChangedPositions>) -> Report<R> {
        let rewritten = Rewritten {
            output: output.to_owned(),
            dry_run,
            link: self.link,
            restored: self.restored,
            changed,
            todo: self.todo,
        };
        Report {
            counts: self.counts,
            rewritten,
        }
    }
}

fn rewrite_database<R: Serialize>(
    store: &mut Store,
    context: &Context,
    work: impl FnOnce(&Path, &mut LinkedBook<'_>) -> Result<R>,
) -> Result<Report<R>> {
    // From here on no other process can write: what is read is what the changes replace.
    let update = store.change()?;
    let reading = update.store().reader()?;
    let old = reading.header()?;
    let (changed, rows) = change_database(&reading, context, work)?;
    context.progress().step("writing", None);
    let (rows, missing) = rows.write(&update)?;
    Plan::fix(Some(changed.header.negamax_rules())).record(&update, &missing)?;
    if changed.header != old {
        update.set_header(&changed.header)?;
    }
    update.forget_sources()?;
    update.commit(&changed.counts)?;
    Ok(changed.report(store.path(), false, Some(rows)))
}

/// The rows of a changed database, and which of them differ.
enum ChangedRows {
    /// In memory, with the positions that stay.
    Draft(Draft, Selection),
    /// In temporary files.
    Compared(Compared),
}

impl ChangedRows {
    fn changed(&self) -> ChangedPositions {
        match self {
            ChangedRows::Draft(draft, kept) => draft.changed(kept),
            ChangedRows::Compared(compared) => compared.changed(),
        }
    }

    /// Updates the tables. Also returns the positions that lack a leaf, in key order.
    fn write(self, update: &Change<'_>) -> Result<(ChangedPositions, Vec<Missing>)> {
        match self {
            ChangedRows::Draft(draft, kept) => {
                Ok((draft.write(update, &kept)?, draft.missing(&kept)))
            }
            ChangedRows::Compared(compared) => compared.write(update),
        }
    }
}

/// Changes a database without writing to it. Refuses damage, since a cut can't judge rows that make no sense.
fn change_database<R>(
    store: &Store,
    context: &Context,
    work: impl FnOnce(&Path, &mut LinkedBook<'_>) -> Result<R>,
) -> Result<(Changed<R>, ChangedRows)> {
    let path = store.path();
    let failed = Error::of_slabs(path);
    let mut header = store.header()?;
    let origin = Origin::Database(header.rules);
    let (gathered, Legible { mut repaired, .. }) = Legible::gather(store, context)?;
    let (mut book, restored) = complete(gathered, header.rules, context).map_err(&failed)?;
    let before = book.only().map(|slab| slab.graph().remember());
    let rules = Numbers::new(origin, &header, 0);
    let mend = |graph: &mut Graph| mend(graph, origin, &mut repaired);
    let (link, rules) = compute(&mut book, rules, mend, context).map_err(&failed)?;
    let places = repaired.total();
    if places > 0 {
        let path = path.to_owned();
        return Err(Error::Damaged { path, places });
    }
    let mut staying = Staying::new(&book, Form::Rows, context);
    let linked = &mut LinkedBook {
        book: &mut book,
        header: &mut header,
        rules,
        staying: &mut staying,
    };
    let changed = Changed {
        counts: work(path, linked)?,
        header,
        link,
        restored,
        todo: staying.todo,
    };
    let positions = book.len();
    let rows = match book.into_only().zip(before) {
        Some((slab, before)) => {
            let (kept, added) = (slab.marked(KEPT), slab.marked(ADDED));
            let graph = slab.into_graph();
            let added = graph.ids().filter(|id| added.contains(*id));
            let added = added.map(|id| graph.board(id)).collect();
            ChangedRows::Draft(Draft::of_sound(graph, before, added), kept)
        }
        None => {
            context.progress().step("comparing", None);
            let budget = sorter_budget(memory(context));
            let compared = Compared::with(store, staying.finish()?, positions, budget)?;
            ChangedRows::Compared(compared)
        }
    };
    Ok((changed, rows))
}

/// Puts a book into slabs, with the pass positions and finished games that its rules allow it to lack. Also returns how many these
/// are.
fn complete(
    gathered: Gathered,
    rules: RuleSet,
    context: &Context,
) -> Result<(Slabs, u64), slabs::Error> {
    let (mut book, _) = Slabs::new(gathered, memory(context))?;
    let restored = match rules {
        RuleSet::Edax => 0,
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax => restore_passes_in(&mut book)?,
    };
    Ok((book, restored))
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

/// The positions that stay.
struct Staying {
    form: Form,
    /// Takes them if the book is in temporary files.
    sorter: Option<Sorter>,
    count: u64,
    /// How many of them lack a leaf.
    todo: u64,
}

impl Staying {
    fn new(book: &Slabs, form: Form, context: &Context) -> Staying {
        let is_on_disk = book.only().is_none() && form != Form::Nothing;
        let budget = sorter_budget(memory(context));
        Staying {
            form,
            sorter: is_on_disk.then(|| Sorter::with_budget(budget)),
            count: 0,
            todo: 0,
        }
    }

    /// Takes those of a slab.
    fn take(&mut self, slab: &Slab) -> Result<(), slabs::Error> {
        let graph = slab.graph();
        let kept = graph.unfrozen().filter(|id| slab.mark(*id) & KEPT != 0);
        let counts = kept.map(|id| (1, u64::from(lacks_leaf(graph, id))));
        let (count, todo) =
            counts.reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
        self.count += count;
        self.todo += todo;
        let Some(sorter) = &mut self.sorter else {
            return Ok(());
        };
        for place in graph.unfrozen_places() {
            let id = graph.id(place);
            let position = match self.form {
                Form::Nothing => None,
                Form::Rows => (slab.mark(id) & KEPT != 0).then(|| graph.position(id)),
                Form::Records => record(slab, id),
            };
            position.map_or(Ok(()), |position| sorter.push(&position))?;
        }
        Ok(())
    }

    /// Those of a book in temporary files, by key.
    fn finish(self) -> Result<Sorted> {
        Ok(self.sorter.unwrap_or_default().finish()?)
    }
}

/// A position as a file has it; `None` if it goes, or was put in only to link the book.
fn record(slab: &Slab, id: NodeId) -> Option<Position> {
    let graph = slab.graph();
    let is_kept = |id| slab.mark(id) & KEPT != 0;
    if slab.mark(id) & (KEPT | ADDED) != KEPT {
        return None;
    }
    let mut position = graph.position(id);
    decide_no_leaf(&mut position, |board| {
        graph.find(board).is_some_and(is_kept)
    });
    Some(position)
}

fn rewrite_file<R>(
    file: &BookFile,
    output: Option<(&Path, AtomicFile)>,
    context: &Context,
    work: impl FnOnce(&Path, &mut LinkedBook<'_>) -> Result<R>,
) -> Result<Report<R>> {
    let path = file.path();
    let failed = Error::of_slabs(path);
    let format = file.format();
    let reader = file.reader()?;
    let mut header = BookHeader::of(&reader);
    let gathered = gather_file(reader, context)?;
    let (mut book, _) = complete(gathered, header.rules, context).map_err(&failed)?;
    let rules = Numbers::new(Origin::File(format), &header, 0);
    let (_, rules) = compute(&mut book, rules, |_| {}, context).map_err(&failed)?;
    let form = output.as_ref().map_or(Form::Nothing, |_| Form::Records);
    let mut staying = Staying::new(&book, form, context);
    let linked = &mut LinkedBook {
        book: &mut book,
        header: &mut header,
        rules,
        staying: &mut staying,
    };
    let changed = Changed {
        counts: work(path, linked)?,
        header,
        // The links of a file are found again whenever it is read.
        link: LinkReport::default(),
        restored: 0,
        todo: staying.todo,
    };
    let Some((output, file)) = output else {
        return Ok(changed.report(path, true, None));
    };
    let progress = context.progress();
    let header = &changed.header.header;
    match book.only() {
        Some(slab) => {
            let ids = slab.graph().ids_by_key();
            let stays = |id: &NodeId| slab.mark(*id) & (KEPT | ADDED) == KEPT;
            let count = slab.graph().ids().filter(stays).count() as u64;
            let records = ids.filter_map(|id| record(slab, id)).map(Ok);
            write_records(file, output, format, header, count, records, progress)?;
        }
        None => {
            let sorted = staying.finish()?;
            let records = sorted.positions()?.map(|position| Ok(position?));
            write_records(
                file,
                output,
                format,
                header,
                sorted.taken(),
                records,
                progress,
            )?;
        }
    }
    Ok(changed.report(output, false, None))
}

/// Writes a book file of `count` positions, compressed if its name ends in `.zst`, and publishes it.
///
/// # Errors
/// If it can't be written, or a position lacks something that the format needs; and the first error of `positions`.
fn write_records(
    mut output: AtomicFile,
    path: &Path,
    format: Format,
    header: &Header,
    count: u64,
    positions: impl Iterator<Item = Result<Position>>,
    progress: &Progress,
) -> Result<()> {
    progress.step("writing", Some(count));
    let header = Header {
        count: i64::try_from(count).ok(),
        ..header.clone()
    };
    let handle = output.file().try_clone();
    let handle = handle.map_err(Error::io(path, "write"))?;
    let compression = without_zst(path).map(|_| Compression::default());
    let name = path.display().to_string();
    let mut writer = BookWriter::new(handle, format, &header, compression)?.named(&name);
    for position in positions {
        progress.advance(1);
        writer.write(&position?)?;
    }
    writer.finish()?;
    output.commit()
}
