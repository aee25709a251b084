//! Changing a whole book: it is read into memory, changed there, and written back at once.
//!
//! Only the rows of a database that differ are written, in one transaction. A book file is left as it is, and the
//! changed book goes to another file in its format.

use crate::check::rules_of_file;
use crate::write::fix::{ChangedPositions, Draft, Plan};
use crate::{
    AtomicFile, Book, BookFile, BookHeader, Context, Error, FileKind, IfExists, Progress, Result,
    Store, spare,
};
use foldhash::HashSet;
use obook_converters::{BookWriter, Compression, Format, Header, without_zst};
use obook_graph::link::{LinkReport, link_shown};
use obook_graph::mapping::decide_no_leaf;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, GraphBuilder, Selection, negamax};
use obook_model::{Position, RuleSet};
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

impl Target<'_> {
    /// The path of the book.
    fn path(&self) -> &Path {
        match self {
            Target::InPlace(store) => store.path(),
            Target::DryRun(book) => book.path(),
            Target::File { book, .. } => book.path(),
        }
    }
}

/// A linked book in memory, with the numbers that follow from its rules.
pub(super) struct LinkedBook<'a> {
    pub graph: &'a mut Graph,
    pub header: &'a mut BookHeader,
    /// The rules for recomputing its numbers.
    pub rules: negamax::Scoring,
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

/// Reads a book, links and computes it, lets `work` change it and choose the positions to keep, and writes the result
/// to its target. `work` also gets the book's path. Its counts go into a database's history.
///
/// # Errors
/// If the book can't be read or is damaged, if `work` fails, or if the target can't be written. Everything is then as
/// before.
pub(super) fn rewrite<R: Serialize>(
    target: Target<'_>,
    context: &Context,
    work: impl FnOnce(&Path, LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<Report<R>> {
    let progress = context.progress();
    let path = &target.path().to_owned();
    let work = |book: LinkedBook<'_>| work(path, book);
    match target {
        Target::DryRun(Book::Database(store)) => {
            let mut header = store.header()?;
            let mut draft = read(store, header.rules, progress)?;
            let (link, (counts, kept)) = compute(
                path,
                &mut draft.graph,
                &mut header,
                own_rules,
                progress,
                work,
            )?;
            let rewritten = Rewritten {
                output: path.to_owned(),
                dry_run: true,
                link,
                restored: draft.restored,
                changed: Some(draft.changed(&kept)),
                todo: draft.missing(&kept).len() as u64,
            };
            Ok(Report { counts, rewritten })
        }
        Target::InPlace(store) => rewrite_database(path, store, progress, work),
        Target::DryRun(Book::File(file)) => rewrite_file(path, file, None, progress, work),
        Target::File {
            book,
            output,
            if_exists,
        } => {
            spare(path, output)?;
            let file = AtomicFile::create(output, FileKind::Book, if_exists, context)?;
            rewrite_file(path, book, Some((output, file)), progress, work)
        }
    }
}

fn rewrite_database<R: Serialize>(
    path: &Path,
    store: &mut Store,
    progress: &Progress,
    work: impl FnOnce(LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<Report<R>> {
    // From here on no other process can write: what is read is what the changes replace.
    let update = store.change()?;
    let reading = update.store().reader()?;
    let old = reading.header()?;
    let mut header = old.clone();
    let mut draft = read(&reading, header.rules, progress)?;
    let (link, (counts, kept)) = compute(
        path,
        &mut draft.graph,
        &mut header,
        own_rules,
        progress,
        work,
    )?;
    progress.step("writing", None);
    let changed = draft.write(&update, &kept)?;
    let missing = draft.missing(&kept);
    Plan::fix(Some(header.negamax_rules())).record(&update, &missing)?;
    if header != old {
        update.set_header(&header)?;
    }
    update.forget_sources()?;
    update.commit(&counts)?;
    let rewritten = Rewritten {
        output: path.to_owned(),
        dry_run: false,
        link,
        restored: draft.restored,
        changed: Some(changed),
        todo: missing.len() as u64,
    };
    Ok(Report { counts, rewritten })
}

/// Reads a database and refuses damage, since a cut can't judge rows that make no sense.
fn read(store: &Store, rules: RuleSet, progress: &Progress) -> Result<Draft> {
    let draft = Draft::of_legible(store, rules, progress)?;
    match draft.repaired.total() {
        0 => Ok(draft),
        places => Err(Error::Damaged {
            path: store.path().to_owned(),
            places,
        }),
    }
}

/// The rules named in a database.
fn own_rules(_: &Graph, header: &BookHeader) -> negamax::Scoring {
    header.negamax_rules()
}

/// Links and computes a book by its rules, then lets `work` change it.
fn compute<W>(
    path: &Path,
    graph: &mut Graph,
    header: &mut BookHeader,
    rules: impl FnOnce(&Graph, &BookHeader) -> negamax::Scoring,
    progress: &Progress,
    work: impl FnOnce(LinkedBook<'_>) -> Result<W>,
) -> Result<(LinkReport, W)> {
    let linked = link_shown(graph, progress).map_err(Error::too_large(path))?;
    progress.step("computing", None);
    let rules = rules(graph, header);
    negamax::negamax(graph, rules);
    let done = work(LinkedBook {
        graph,
        header,
        rules,
    })?;
    Ok((linked, done))
}

fn rewrite_file<R>(
    path: &Path,
    file: &BookFile,
    output: Option<(&Path, AtomicFile)>,
    progress: &Progress,
    work: impl FnOnce(LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<Report<R>> {
    let format = file.format();
    let reader = file.reader()?;
    let mut header = BookHeader::of(&reader);
    let too_large = Error::too_large(path);
    let (mut graph, _) = GraphBuilder::gather(reader, progress)?
        .finish()
        .map_err(&too_large)?;
    let restored = match header.rules {
        RuleSet::Edax => HashSet::default(),
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax => {
            restore_passes(&mut graph).map_err(&too_large)?
        }
    };
    let rules = |graph: &Graph, header: &BookHeader| rules_of_file(graph, format, header);
    let (_, (counts, kept)) = compute(path, &mut graph, &mut header, rules, progress, work)?;
    let rewritten = Rewritten {
        output: output.as_ref().map_or(path, |(path, _)| path).to_owned(),
        dry_run: output.is_none(),
        // The links of a file are found again whenever it is read.
        link: LinkReport::default(),
        restored: 0,
        changed: None,
        todo: (graph.ids())
            .filter(|id| kept.contains(*id) && lacks_leaf(&graph, *id))
            .count() as u64,
    };
    if let Some((path, output)) = output {
        let stay = |id: &_| kept.contains(*id) && !restored.contains(&graph.board(*id));
        let ids: Vec<_> = graph.ids_by_key().filter(stay).collect();
        let stays = |board| graph.find(board).is_some_and(|id| kept.contains(id));
        let positions = ids.iter().map(|id| {
            let mut position = graph.position(*id);
            decide_no_leaf(&mut position, stays);
            position
        });
        write_file(output, path, format, &header.header, positions, progress)?;
    }
    Ok(Report { counts, rewritten })
}

/// Writes a book file, compressed if its name ends in `.zst`, and publishes it.
///
/// # Errors
/// If it can't be written, or a position lacks something that the format needs.
pub(crate) fn write_file(
    mut output: AtomicFile,
    path: &Path,
    format: Format,
    header: &Header,
    positions: impl ExactSizeIterator<Item = Position>,
    progress: &Progress,
) -> Result<()> {
    progress.step("writing", Some(positions.len() as u64));
    let header = Header {
        count: i64::try_from(positions.len()).ok(),
        ..header.clone()
    };
    let handle = output.file().try_clone();
    let handle = handle.map_err(Error::io(path, "write"))?;
    let compression = without_zst(path).map(|_| Compression::default());
    let name = path.display().to_string();
    let mut writer = BookWriter::new(handle, format, &header, compression)?.named(&name);
    for position in positions {
        progress.advance(1);
        writer.write(&position)?;
    }
    writer.finish()?;
    output.commit()
}
