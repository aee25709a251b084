//! A database in memory while it is repaired, written back with only the rows that changed.

use super::ChangedPositions;
use super::missing;
use crate::check::{Findings, Kind, Origin, Tables};
use crate::read::book::{PART, memory, records};
use crate::{Book, BookHeader, Change, Context, Error, Progress, Result, Store, load};
use obook_graph::link::is_linked;
use obook_graph::negamax::count_inconsistent;
use obook_graph::passes::restore_passes;
use obook_graph::slabs::Gathered;
use obook_graph::{Before, Differs, Graph, GraphBuilder, NodeId, Selection};
use obook_model::levels::MAX_LEVEL;
use obook_model::{Leaf, Position, RuleSet};
use obook_othello::CanonicalBoard;
use obook_rows::Table;
use obook_store::{Missing, TableChange, rows_differ, searched_rows_differ};
use rayon::prelude::*;
use rusqlite::Connection;

/// Examples kept for each kind of repair.
pub(super) const EXAMPLES: usize = 3;

/// The result of reading a possibly damaged database.
pub(crate) struct Legible {
    /// Keys whose rows must be deleted.
    pub(super) gone: Vec<[u8; 16]>,
    /// Whether some rows belong to no position.
    pub(super) orphans: bool,
    /// Faults in the rows; the positions passed on are free of them.
    pub(crate) repaired: Findings,
}

impl Legible {
    /// Passes on everything that can be kept, and whether its rows must be rewritten in any case.
    pub(super) fn walk(
        store: &Store,
        progress: &Progress,
        mut take: impl FnMut(Position, bool) -> Result<()>,
    ) -> Result<Legible> {
        // Even the counts of a damaged database may be unreadable.
        progress.step("reading", store.estimated_positions().ok());
        let mut repaired = Findings::new(EXAMPLES);
        let mut gone = Vec::new();
        let mut taken = Ok(());
        let mut transactions = store.read_transactions()?;
        // Rows hidden by damaged pages would look like missing ones.
        let structure = transactions.check_structure();
        let mut tables = Tables::Committed(transactions);
        let walked = tables.each(store.path(), &mut repaired, |row| {
            progress.advance(1);
            let position = row.position;
            let is_own = (position.as_ref()).is_some_and(|it| it.board.to_key() == row.key);
            if !is_own {
                gone.push(row.key);
            }
            if let (Some(position), Ok(())) = (position, &taken) {
                taken = take(position, !is_own || !row.sound);
            }
        });
        structure.end()?;
        walked?;
        taken?;
        Ok(Legible {
            orphans: repaired.count(Kind::Orphan) + repaired.count(Kind::Key) > 0,
            gone,
            repaired,
        })
    }

    /// Reads everything that can be kept; into temporary files if the context's memory is too small for a graph of it.
    ///
    /// # Errors
    /// As [`Draft::of_legible`], and if temporary files can't be written.
    pub(crate) fn gather(store: &Store, context: &Context) -> Result<(Gathered, Legible)> {
        let memory = records(memory(context));
        let mut gathered = Gathered::default();
        let mut parts = (Graph::builder(), 0);
        let legible = Legible::walk(store, context.progress(), |position, _| {
            let (part, positions) = &mut parts;
            part.push(position);
            *positions += 1;
            if *positions == PART {
                gathered.append(std::mem::take(&mut parts).0, memory)?;
            }
            Ok(())
        })?;
        gathered.append(parts.0, memory)?;
        Ok((gathered, legible))
    }
}

/// A database as it was read and as it will be written.
pub(crate) struct Draft {
    pub graph: Graph,
    before: Before,
    /// Keys whose rows must be deleted.
    gone: Vec<[u8; 16]>,
    /// Whether some rows belong to no position.
    orphans: bool,
    /// Positions whose rows must be rewritten in any case.
    stale: Vec<CanonicalBoard>,
    /// Faults in the rows; the graph is free of them.
    pub(super) repaired: Findings,
    /// The number of pass positions that were added.
    pub(super) restored: u64,
}

impl Draft {
    /// Reads a sound database, which must not be written to before [`Draft::write`].
    ///
    /// # Errors
    /// Those of [`load`], and for any row that makes no sense.
    pub(crate) fn read(store: Store, progress: &Progress) -> Result<Draft> {
        let graph = load(&Book::Database(store), progress)?;
        let before = graph.remember();
        Ok(Draft::of_sound(graph, before, Vec::new()))
    }

    /// A sound book, with its earlier state. Those of `stale` must be rewritten in any case.
    pub(crate) fn of_sound(graph: Graph, before: Before, stale: Vec<CanonicalBoard>) -> Draft {
        Draft {
            graph,
            before,
            gone: Vec::new(),
            orphans: false,
            stale,
            repaired: Findings::new(EXAMPLES),
            restored: 0,
        }
    }

    /// Reads whatever is legible and leaves out the rest. Finished games get their score. Pass positions between two
    /// others are added, except with Edax's rules, whose books hold their own.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the database's page structure is damaged; and if the positions don't fit in memory.
    pub(crate) fn of_legible(store: &Store, rules: RuleSet, progress: &Progress) -> Result<Draft> {
        let mut builder = GraphBuilder::default();
        let mut stale = Vec::new();
        let Legible {
            gone,
            orphans,
            mut repaired,
        } = Legible::walk(store, progress, |position, is_stale| {
            if is_stale {
                stale.push(position.board);
            }
            builder.push(position);
            Ok(())
        })?;
        let too_large = Error::too_large(store.path());
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        let mut restored = 0;
        if rules != RuleSet::Edax {
            let boards = restore_passes(&mut graph).map_err(&too_large)?;
            restored = boards.len() as u64;
            stale.extend(boards);
        }
        let before = graph.remember();
        mend(&mut graph, Origin::Database(rules), &mut repaired);
        Ok(Draft {
            graph,
            before,
            gone,
            orphans,
            stale,
            repaired,
            restored,
        })
    }

    /// Some layers of a book, the lowest of them frozen. They are repaired by `rules`, if given.
    pub(super) fn of_layers(
        mut graph: Graph,
        stale: Vec<CanonicalBoard>,
        rules: Option<RuleSet>,
        repaired: &mut Findings,
    ) -> Draft {
        let before = graph.remember();
        if let Some(rules) = rules {
            mend(&mut graph, Origin::Database(rules), repaired);
        }
        Draft::of_sound(graph, before, stale)
    }

    /// The kept positions that lack a leaf, in key order.
    pub(crate) fn missing(&self, kept: &Selection) -> Vec<Missing> {
        missing(
            &self.graph,
            |id| kept.contains(id),
            |id| self.before.leaf(id),
        )
    }

    /// The changes that [`Draft::write`] would make in the kept positions.
    pub(crate) fn changed(&self, kept: &Selection) -> ChangedPositions {
        let differs = self.differs(kept);
        let count = |differs_in: fn(&Differs) -> bool| {
            differs.iter().filter(|it| differs_in(it)).count() as u64
        };
        ChangedPositions {
            any: count(|it| *it != Differs::default()),
            positions: count(|it| it.numbers),
            links: count(|it| it.links),
            leaves: count(|it| it.leaf),
        }
    }

    /// Whether any rows must be rewritten in any case.
    pub(super) fn has_stale(&self) -> bool {
        !self.stale.is_empty()
    }

    /// How each position differs from its rows. Removed positions don't differ.
    pub(super) fn differs(&self, kept: &Selection) -> Vec<Differs> {
        let graph = &self.graph;
        let mut differs = graph.since(&self.before);
        for board in &self.stale {
            let id = graph.find(*board).expect("what is stale is in the graph");
            differs[id.index()] = Differs::ALL;
        }
        for id in graph.ids().filter(|id| !kept.contains(*id)) {
            differs[id.index()] = Differs::default();
        }
        differs
    }

    /// Whether a table has exactly the graph's rows, and differs only in derived columns.
    fn differ_in_derived(
        &self,
        update: &Change<'_>,
        table: Table,
        differs: &[Differs],
    ) -> Result<bool> {
        let rows = match table {
            Table::Positions => self.graph.len(),
            Table::Links => self.graph.link_count(),
            Table::Leaves => return Ok(false),
        };
        let same_keys = self.gone.is_empty() && self.stale.is_empty();
        Ok(same_keys
            && !differs.iter().any(|it| searched_rows_differ(*it, table))
            && update.count(table)? == rows as u64)
    }

    /// Updates the tables to the kept positions.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub(crate) fn write(&self, update: &Change<'_>, kept: &Selection) -> Result<ChangedPositions> {
        let graph = &self.graph;
        drop_illegible(update, &self.gone, self.orphans)?;
        let differs = self.differs(kept);
        let removed = graph.ids().filter(|id| !kept.contains(*id));
        let mut removed: Vec<[u8; 16]> = removed.map(|id| graph.board(id).to_key()).collect();
        removed.sort_unstable();
        let write = |table: Table| {
            let changed = differs.iter().filter(|it| rows_differ(**it, table)).count() as u64;
            if changed == 0 && removed.is_empty() {
                return Ok(0);
            }
            let rows = TableChange {
                changed: changed + removed.len() as u64,
                all: graph.len() as u64,
                derived: removed.is_empty() && self.differ_in_derived(update, table, &differs)?,
            };
            if !rows.is_large_part() {
                drop_rows(update, table, removed.iter().copied().map(Ok))?;
            }
            let all = graph.ids_by_key().filter(|id| kept.contains(*id));
            let differing = graph
                .ids_by_key()
                .filter(|id| rows_differ(differs[id.index()], table));
            let position = |id| Ok(graph.position(id));
            update.replace_rows(table, rows, all.map(position), differing.map(position))?;
            Ok::<_, Error>(changed)
        };
        let none = Differs::default();
        Ok(ChangedPositions {
            any: differs.iter().filter(|it| **it != none).count() as u64,
            positions: write(Table::Positions)?,
            links: write(Table::Links)?,
            leaves: write(Table::Leaves)?,
        })
    }
}

/// Deletes what could not be kept.
pub(super) fn drop_illegible(update: &Change<'_>, gone: &[[u8; 16]], orphans: bool) -> Result<()> {
    for table in Table::ALL {
        drop_rows(update, table, gone.iter().copied().map(Ok))?;
    }
    if orphans {
        drop_orphans(update.connection()).map_err(update.failed())?;
    }
    Ok(())
}

/// The positions that lack a leaf, in key order, if the book is fixed already: [`Plan::fix`](super::Plan::fix) would change
/// nothing. The pass positions that its rules need must be there. Frozen positions don't count.
pub(crate) fn missing_if_fixed(graph: &Graph, header: &BookHeader) -> Option<Vec<Missing>> {
    let is_fixed = is_mended(graph, Origin::Database(header.rules))
        && is_linked(graph)
        && count_inconsistent(graph, header.negamax_rules()) == 0;
    is_fixed.then(|| missing(graph, |id| !graph.is_frozen(id), |id| graph.leaf(id)))
}

/// Corrects levels and the scores of finished games.
pub(crate) fn mend(graph: &mut Graph, origin: Origin, repaired: &mut Findings) {
    cap_levels(graph, origin, repaired);
    finish_games(graph, origin.is_edax(), repaired);
}

/// Whether the levels and the scores of finished games need no [mending](mend).
fn is_mended(graph: &Graph, origin: Origin) -> bool {
    graph.unfrozen().all(|id| {
        impossible_levels(graph, id, origin) == [None; 2]
            && wrong_final_score(graph, id, origin.is_edax()).is_none()
    })
}

/// The levels of a position and of its leaf, if they are impossible.
fn impossible_levels(graph: &Graph, id: NodeId, origin: Origin) -> [Option<u8>; 2] {
    let of_leaf = graph.leaf(id).and_then(|leaf| leaf.level);
    [graph.level(id), of_leaf].map(|level| level.filter(|level| !origin.can_have(*level)))
}

/// The fault of a finished game whose score is wrong or, with Edax's rules, missing.
fn wrong_final_score(graph: &Graph, id: NodeId, edax: bool) -> Option<Kind> {
    let board = graph.board(id).board();
    if !board.is_over() {
        return None;
    }
    match graph.leaf(id) {
        Some(leaf) => (leaf.score != board.final_score()).then_some(Kind::FinalScore),
        None => edax.then_some(Kind::NoFinalScore),
    }
}

/// Lowers impossible levels to the highest possible one, as Edax does when it reads a book.
fn cap_levels(graph: &mut Graph, origin: Origin, repaired: &mut Findings) {
    let beyond = |id: &NodeId| impossible_levels(graph, *id, origin) != [None; 2];
    let beyond: Vec<NodeId> = graph.unfrozen().filter(beyond).collect();
    for id in beyond {
        let board = graph.board(id);
        let [own, of_leaf] = impossible_levels(graph, id, origin);
        if let Some(level) = own {
            repaired.add(Kind::Level, Some(board.into()), || {
                format!("the level was {level} and is {MAX_LEVEL} now")
            });
            graph.set_level(id, graph.engine(id), Some(MAX_LEVEL));
        }
        if let Some(level) = of_leaf
            && let Some(leaf) = graph.leaf(id)
        {
            repaired.add(Kind::Level, Some(board.into()), || {
                format!("the leaf's level was {level} and is {MAX_LEVEL} now")
            });
            let level = Some(MAX_LEVEL);
            graph.set_leaf(id, Leaf { level, ..leaf });
        }
    }
}

/// Gives finished games the score on their board if theirs is wrong or, with Edax's rules, missing.
fn finish_games(graph: &mut Graph, edax: bool, repaired: &mut Findings) {
    let wrong = |id: NodeId| Some((id, wrong_final_score(graph, id, edax)?));
    let wrong: Vec<(NodeId, Kind)> = graph.unfrozen().filter_map(wrong).collect();
    for (id, kind) in wrong {
        let board = graph.board(id);
        let score = board.board().final_score();
        repaired.add(kind, Some(board.into()), || {
            format!("the final score is {score:+} now")
        });
        let leaf = Leaf {
            mv: None,
            score,
            level: graph.level(id),
            engine: graph.engine(id),
        };
        graph.set_leaf(id, leaf);
    }
}

/// Deletes the rows that a table has for these keys.
pub(super) fn drop_rows(
    update: &Change<'_>,
    table: Table,
    keys: impl Iterator<Item = Result<[u8; 16]>>,
) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE board = ?", table.name());
    let mut delete = update.connection().prepare(&sql).map_err(update.failed())?;
    for key in keys {
        delete.execute([key?]).map_err(update.failed())?;
    }
    Ok(())
}

/// Deletes rows with malformed keys, and links and leaves without a position.
fn drop_orphans(connection: &Connection) -> rusqlite::Result<()> {
    for table in Table::ALL.map(Table::name) {
        connection.execute(
            &format!("DELETE FROM {table} WHERE typeof(board) <> 'blob' OR length(board) <> 16"),
            [],
        )?;
    }
    for table in ["links", "leaves"] {
        connection.execute(
            &format!("DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM positions WHERE positions.board = {table}.board)"),
            [],
        )?;
    }
    Ok(())
}
