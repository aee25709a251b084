//! Changing a whole book: it is read into memory and worked on there, and what became of it goes back at once.
//!
//! Of a database only what differs is written, in one transaction. A book file stays as it is, and the changed book goes
//! into another file of its format.

use crate::Store;
use crate::check::rules_of_file;
use crate::write::fix::{ChangedPositions, Draft};
use crate::write::write_file::write_file;
use crate::{
    AtomicFile, Book, BookFile, BookHeader, Context, Error, FileKind, IfExists, Progress, Result,
    spare,
};
use foldhash::HashSet;
use obook_graph::link::{LinkReport, link_shown};
use obook_graph::mapping::decide_no_leaf;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::negamax;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, GraphBuilder, Selection};
use obook_model::RuleSet;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Where a changed book goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Back to where it came from, which must be a database.
    InPlace,
    /// Nowhere: what would change is only reported.
    DryRun,
    /// To another file; the book must be a file, and this one is of the same format.
    File(PathBuf, IfExists),
}

/// A book in memory, linked, with the numbers that its rules give.
pub(super) struct LinkedBook<'a> {
    pub graph: &'a mut Graph,
    pub header: &'a mut BookHeader,
    /// The rules by which its numbers are to be computed again.
    pub rules: negamax::Scoring,
}

/// What a rewrite did, whatever it was for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rewritten {
    /// The database or file that holds the book now; with a dry run, the book.
    pub output: PathBuf,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What linking had to mend before.
    pub link: LinkReport,
    /// Pass positions and ends of games that were put in before, which books by Egaroucid's rules may lack.
    pub restored: u64,
    /// Of a database, the positions that stay with other rows than before.
    pub changed: Option<ChangedPositions>,
    /// Positions that stay and lack a leaf: a legal move leads out of the book, but none was searched. Those of a
    /// database stand in table `todo`.
    pub todo: u64,
}

/// Reads a book, links and computes it, lets `work` change it and say which positions stay, and brings what became of it
/// to its destination. The history of a database gets an entry with what `work` said.
///
/// # Errors
/// Where the book can't be read, is damaged or does not fit the destination, where `work` fails, and where the
/// destination can't be written; everything is then as before.
pub(super) fn rewrite<R: Serialize>(
    path: &Path,
    to: &Destination,
    context: &Context,
    work: impl FnOnce(LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<(R, Rewritten)> {
    let progress = context.progress();
    match (Book::open(path, context)?, to) {
        (Book::Database(store), Destination::DryRun) => {
            let mut header = store.header()?;
            let mut draft = read(&store, header.rules, progress)?;
            let (link, (report, kept)) = compute(
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
            Ok((report, rewritten))
        }
        (Book::Database(store), Destination::InPlace) => {
            drop(store);
            rewrite_database(path, context, work)
        }
        (Book::Database(_), Destination::File(..)) => Err(Error::NeedsNoOutput {
            path: path.to_owned(),
        }),
        (Book::File(_), Destination::InPlace) => Err(Error::NeedsOutput {
            path: path.to_owned(),
        }),
        (Book::File(file), to) => rewrite_file(path, &file, to, context, work),
    }
}

fn rewrite_database<R: Serialize>(
    path: &Path,
    context: &Context,
    work: impl FnOnce(LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<(R, Rewritten)> {
    let progress = context.progress();
    let mut store = Store::open_for_writing(path, context)?;
    // From here on no other process can write, so what is read is what the changes will replace.
    let update = store.change()?;
    let reading = update.store().reader()?;
    let old = reading.header()?;
    let mut header = old.clone();
    let mut draft = read(&reading, header.rules, progress)?;
    let (link, (report, kept)) = compute(
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
    update.replace_todo(&missing)?;
    if header != old {
        update.set_header(&header)?;
    }
    update.forget_sources()?;
    update.mark_fixed()?;
    update.commit(&report)?;
    let rewritten = Rewritten {
        output: path.to_owned(),
        dry_run: false,
        link,
        restored: draft.restored,
        changed: Some(changed),
        todo: missing.len() as u64,
    };
    Ok((report, rewritten))
}

/// Reads a database that is not damaged: what goes can't be judged by what makes no sense.
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

/// The rules that a database says it follows.
fn own_rules(_: &Graph, header: &BookHeader) -> negamax::Scoring {
    header.negamax_rules()
}

/// Links and computes a book by the rules that it is found to follow then, and lets `work` change it.
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
    to: &Destination,
    context: &Context,
    work: impl FnOnce(LinkedBook<'_>) -> Result<(R, Selection)>,
) -> Result<(R, Rewritten)> {
    let progress = context.progress();
    let output = match to {
        Destination::File(to, if_exists) => Some((to.as_path(), {
            spare(path, to)?;
            AtomicFile::create(to, FileKind::Book, *if_exists, context)?
        })),
        Destination::DryRun | Destination::InPlace => None,
    };
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
    let (_, (report, kept)) = compute(path, &mut graph, &mut header, rules, progress, work)?;
    let rewritten = Rewritten {
        output: output.as_ref().map_or(path, |(path, _)| path).to_owned(),
        dry_run: output.is_none(),
        // A file's links are found anew whenever it is read.
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
    Ok((report, rewritten))
}
