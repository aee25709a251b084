//! Changing a whole book: it is read, changed one slab at a time, and written back at once.
//!
//! Only the rows of a database that differ are written, in one transaction. A book file is left as it is, and the
//! changed book goes to another file in its format.

use crate::check::{Damage, Numbers, Origin, gather_legible};
use crate::write::export::{ExportOptions, Losses, MissingLeaf, map, records, refused, write_file};
use crate::write::fix::{ChangedPositions, DifferingRows, Plan, mend};
use crate::{
    AtomicFile, BOOK_FILE, Book, BookFile, BookHeader, Context, Error, IfExists, LeftOut, Result,
    Store, spare,
};
use obook_converters::{Form, Format, Header};
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::mapping::EdaxError;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::restore_passes_by;
use obook_graph::slabs::{self, Slab, Slabs};
use obook_graph::{Graph, NodeId};
use obook_othello::RuleSet;
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
    /// A book file. The result goes to another file, in the format that its extension names, or else in the same.
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

/// The change that a rewrite makes to a book that is linked and computed.
pub(super) trait Work {
    /// Its counts, for the report and for a database's history.
    type Counts: Serialize;

    /// Looks at the whole book before the first slab changes, and may change its settings.
    fn begin(&mut self, _: &Path, _: &mut LinkedBook, _: &Context) -> Result<()> {
        Ok(())
    }

    /// Changes the positions of a slab of a book with these rules. Those with the mark [`KEPT`] stay, and their numbers are computed again.
    fn change(&mut self, slab: &mut Slab, rules: RuleSet) -> slabs::Result<()>;

    /// Changes what a database has beside its positions.
    fn change_beside(&self, _: &crate::Change<'_>) -> Result<()> {
        Ok(())
    }

    /// Ends. Of `before` positions, `kept` stay, in a book with these settings.
    fn end(self, header: &Header, before: u64, kept: u64) -> Self::Counts;
}

/// A linked book with the numbers that follow from its rules.
pub(super) struct LinkedBook {
    pub(super) book: Slabs,
    pub(super) header: BookHeader,
    /// The rules for recomputing its numbers.
    rules: Scoring,
    /// The repairs of linking.
    link: LinkReport,
    /// How many positions were added.
    restored: u64,
}

/// Changes a slab, and computes its numbers again.
type Change<'a> = &'a mut dyn FnMut(&mut Slab) -> slabs::Result<()>;

impl LinkedBook {
    /// Changes the slabs from the end of the game up, while `sink` takes what becomes of them, in a book with these settings. It
    /// returns how many positions stay, and how many of them lack a leaf. Returns what the sink made, the new settings, and the report
    /// of a dry run.
    fn change<W: Work, S>(
        mut self,
        mut work: W,
        path: &Path,
        context: &Context,
        sink: impl FnOnce(Slabs, &BookHeader, Change<'_>) -> Result<(S, u64, u64), EdaxError>,
    ) -> Result<(S, BookHeader, Report<W::Counts>)> {
        work.begin(path, &mut self, context)?;
        context.progress().step("computing", None);
        let before = self.book.len();
        let (sink, kept, todo) = sink(self.book, &self.header, &mut |slab| {
            work.change(slab, self.header.rules)?;
            negamax(slab.graph_mut(), self.rules);
            Ok(())
        })
        .map_err(|error| refused(path, error))?;
        let counts = work.end(&self.header.header, before, kept);
        let rewritten = Rewritten {
            output: path.to_owned(),
            dry_run: true,
            link: self.link,
            restored: self.restored,
            changed: None,
            todo,
            losses: Losses::default(),
            left_out: LeftOut::default(),
        };
        Ok((sink, self.header, Report { counts, rewritten }))
    }

    /// The rows of a database that differ.
    fn rows<W: Work>(
        self,
        work: W,
        path: &Path,
        context: &Context,
    ) -> Result<(DifferingRows, BookHeader, Report<W::Counts>)> {
        self.change(work, path, context, |book, _, change| {
            let rows = DifferingRows::of(book, |slab| {
                change(slab)?;
                Ok(slab.marked(KEPT))
            })?;
            let (kept, todo) = (rows.positions(), rows.missing.len() as u64);
            Ok((rows, kept, todo))
        })
    }
}

/// The effects that all rewrites share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
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
    /// For a file: data that its format can't hold, by kind.
    pub losses: Losses,
    /// For a file: the parts of it that don't become positions.
    #[serde(flatten)]
    pub left_out: LeftOut,
}

/// The result of a rewrite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Report<C> {
    /// The effects of this kind of rewrite.
    #[serde(flatten)]
    pub counts: C,
    /// The effects that all rewrites share.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// Reads a book, links and computes it, lets `work` change it, and writes the result to its target. Its counts go into a database's
/// history.
///
/// A book that needs more memory than the context allows goes through temporary files.
///
/// # Errors
/// If the book can't be read or is damaged, if `work` fails, or if the target can't be written. Everything is then as
/// before.
pub(super) fn rewrite<W: Work>(
    target: Target<'_>,
    work: W,
    context: &Context,
) -> Result<Report<W::Counts>> {
    match target {
        Target::DryRun(Book::Database(store)) => {
            let path = store.path();
            let book = read_database(store, context)?;
            let (rows, _, mut report) = book.rows(work, path, context)?;
            report.rewritten.changed = Some(rows.changed());
            Ok(report)
        }
        Target::InPlace(store) => {
            // From here on no other process can write: what is read is what the changes replace.
            let update = store.change()?;
            let store = update.store();
            let (old, path) = (store.header()?, store.path());
            work.change_beside(&update)?;
            let book = read_database(store, context)?;
            let (rows, header, mut report) = book.rows(work, path, context)?;
            context.progress().step("writing", None);
            let plan = Plan::fix(Some(header.negamax_rules()));
            rows.write(&update, &Damage::none(), plan)?;
            if header != old {
                update.set_header(&header)?;
            }
            update.forget_sources()?;
            update.commit(&report.counts)?;
            report.rewritten.changed = Some(rows.changed());
            report.rewritten.dry_run = false;
            Ok(report)
        }
        Target::DryRun(Book::File(file)) => {
            let (_, _, report) = changed_file(file, work, file.format(), context)?;
            Ok(report)
        }
        Target::File {
            book: file,
            output,
            if_exists,
        } => {
            let (path, progress) = (file.path(), context.progress());
            let format = Format::from_extension(output).unwrap_or(file.format());
            spare(path, output)?;
            let written = AtomicFile::create(output, BOOK_FILE, if_exists, context)?;
            let (book, header, mut report) = changed_file(file, work, format, context)?;
            let book = records(book, format).map_err(Error::of_slabs(path))?;
            write_file(&book, written, output, &header, format, progress)?;
            report.rewritten.output = output.to_owned();
            report.rewritten.dry_run = false;
            Ok(report)
        }
    }
}

/// Reads, links and computes a database. Refuses damage, since a cut can't judge rows that make no sense.
fn read_database(store: &Store, context: &Context) -> Result<LinkedBook> {
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
    context.progress().step("linking", Some(book.len()));
    let (link, rules) = compute(&mut book, rules, mend, context).map_err(&failed)?;
    match faults.total() {
        0 => Ok(LinkedBook {
            book,
            header,
            rules,
            link,
            restored,
        }),
        places => {
            let path = path.to_owned();
            Err(Error::Damaged { path, places })
        }
    }
}

/// Reads, links and computes a file.
fn read_file(file: &BookFile, context: &Context) -> Result<LinkedBook> {
    let header = file.header().clone();
    let (mut book, _) = file.slabs(context)?;
    let rules = Numbers::new(Origin::File(file.format()), &header, 0);
    let computed = compute(&mut book, rules, |_| {}, context);
    let (_, rules) = computed.map_err(Error::of_slabs(file.path()))?;
    Ok(LinkedBook {
        book,
        header,
        rules,
        // The links of a file are found again whenever it is read.
        link: LinkReport::default(),
        restored: 0,
    })
}

/// Changes the book of a file, and brings it into the form of `format`. Returns the header to write, too.
fn changed_file<W: Work>(
    file: &BookFile,
    work: W,
    format: Format,
    context: &Context,
) -> Result<(Slabs, Header, Report<W::Counts>)> {
    let book = read_file(file, context)?;
    let mut options = ExportOptions::new(format);
    if !matches!(file.format().form(), Ok(Form::Edax)) {
        // Books of other forms lack leaves. Links that become leaves are counted as losses.
        options.missing_leaf = MissingLeaf::Demote;
    }
    let (made, _, mut report) =
        book.change(work, file.path(), context, |mut book, header, change| {
            let mut todo = 0;
            book.sweep_up(|slab| {
                change(slab)?;
                let graph = slab.graph();
                let waits = |id: &NodeId| slab.mark(*id) & KEPT != 0 && lacks_leaf(graph, *id);
                todo += graph.unfrozen().filter(waits).count() as u64;
                Ok(())
            })?;
            book.retain(|mark| mark & KEPT != 0)?;
            let mut kept = book.len();
            // A format that is only read has no form.
            let Ok(form) = format.form() else {
                let header = header.header.clone();
                return Ok(((book, header, Losses::default()), kept, todo));
            };
            let (header, losses) = map(&mut book, header, form, &options, context.progress())?;
            if form == Form::Edax {
                // Some positions became leaves, and none lacks one.
                (kept, todo) = (book.len(), 0);
            }
            Ok(((book, header, losses), kept, todo))
        })?;
    let (book, header, losses) = made;
    report.rewritten.losses = losses;
    report.rewritten.left_out = LeftOut::of(file.account());
    Ok((book, header, report))
}

/// Links a book that `mend` mends, and computes it by the rules that its numbers follow.
fn compute(
    book: &mut Slabs,
    mut possible: Numbers,
    mut mend: impl FnMut(&mut Graph),
    context: &Context,
) -> slabs::Result<(LinkReport, Scoring)> {
    let progress = context.progress();
    let mut report = LinkReport::default();
    book.sweep_up(|slab| {
        let graph = slab.graph_mut();
        mend(graph);
        report += link_counted(graph, progress)?;
        if let Some(rules) = possible.only() {
            negamax(graph, rules);
        }
        Ok(())
    })?;
    if let Some(rules) = possible.only() {
        return Ok((report, rules));
    }
    progress.step("computing", None);
    book.scan(|slab| possible.check(slab.graph()))?;
    let (rules, _) = possible.closest();
    book.sweep_up(|slab| {
        negamax(slab.graph_mut(), rules);
        Ok(())
    })?;
    Ok((report, rules))
}
