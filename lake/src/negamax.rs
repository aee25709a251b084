//! Negamax on a lake: layer by layer, from few empty squares to many. A layer is a query that joins its links with the numbers of the
//! layer below; the rules themselves are those of `obook negamax`, as a function that travels to executors.
//!
//! A pass keeps the number of empty squares. So the positions that passes lead to come first, in a query of their own.

use crate::error::{Error, Result};
use crate::new_lake::NewLake;
use crate::place::Place;
use crate::progress;
use crate::query::Query;
use crate::rows::{LEAF, number_columns, position_columns};
use crate::session::{MOST_SCRIPT, register};
use crate::values::value;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::prelude::SessionContext;
use indicatif::ProgressBar;
use obook_converters::Header;
use obook_lake_files::{
    ColumnType, Limits, Manifest, Partition, SCRIPT, Shape, TableEntry, TableWriter, Value,
};
use obook_othello::RuleSet;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// The amount of work that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Done {
    layers: usize,
    positions: u64,
    links: u64,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Done {
            layers,
            positions,
            links,
        } = self;
        write!(f, "{positions} positions, {links} links in {layers} layers")
    }
}

/// Computes a lake's numbers and writes them as a new lake, which appears when it is complete.
pub(crate) async fn negamax(
    session: &SessionContext,
    mut manifest: Manifest,
    lake: &Place,
    out: &Place,
) -> Result<Done> {
    let script = lake.read(session, SCRIPT, MOST_SCRIPT).await?;
    let new = NewLake::create(session, out).await?;
    let mut run = Run::new(session, &manifest, new).await?;
    let done = run.layers().await?;
    for table in &mut manifest.tables {
        let written = match &*table.shape.name {
            "positions" => &run.positions,
            "links" => &run.links,
            _ => &Vec::new(),
        };
        match written.is_empty() {
            true => run.new.copy(session, lake, table).await?,
            false => {
                table.files = written.iter().flat_map(|it| it.files.clone()).collect();
                table.rows = written.iter().map(|it| it.rows).sum();
            }
        }
    }
    run.new.discard(PASSED).await?;
    run.new.commit(&manifest, &script).await?;
    Ok(done)
}

/// The table of the positions that passes lead to.
const PASSED: &str = "passed";

/// The computation of all layers.
struct Run<'s> {
    session: &'s SessionContext,
    /// The shapes of the tables positions and links.
    shapes: [Shape; 2],
    /// The layers that have positions, from few empty squares to many.
    layers: Vec<i64>,
    /// The layers with passes.
    passes: BTreeSet<i64>,
    /// The rules and errors, as arguments in SQL.
    rules: String,
    new: NewLake<'s>,
    progress: ProgressBar,
    /// The tables positions and links, by layers.
    positions: Vec<TableEntry>,
    links: Vec<TableEntry>,
}

impl<'s> Run<'s> {
    async fn new(
        session: &'s SessionContext,
        manifest: &Manifest,
        new: NewLake<'s>,
    ) -> Result<Run<'s>> {
        let table = |name: &str| {
            manifest.table(name).ok_or_else(|| {
                Error::Other(format!(
                    "the lake has no table {name}: export the book again"
                ))
            })
        };
        let (positions, links) = (table("positions")?, table("links")?);
        let is_by_key = |table: &TableEntry| {
            let first = table.shape.columns[0].kind;
            table.shape.partition == Some(Partition::Layer) && first == ColumnType::Key
        };
        let columns = links.shape.columns.iter().map(|column| &*column.name);
        let has_columns = columns.eq(["board", "move", "score", "child"]);
        if !has_columns || !is_by_key(positions) || !is_by_key(links) {
            let problem = "the lake's tables positions and links are not those of a book";
            return Err(Error::Other(problem.to_owned()));
        }
        let layers = positions.files.iter().filter(|file| file.rows > 0);
        let layers: BTreeSet<i64> = layers.filter_map(|file| file.part).collect();
        let sql = "SELECT DISTINCT layer FROM links WHERE move = 64";
        let passes = Query::start(session, sql).await?.all().await?;
        let passes = passes.iter().flat_map(|batch| {
            let column = batch.column(0);
            (0..batch.num_rows()).filter_map(|row| integer(column, row))
        });
        Ok(Run {
            session,
            shapes: [positions.shape.clone(), links.shape.clone()],
            layers: layers.into_iter().collect(),
            passes: passes.collect(),
            rules: rules(session).await?,
            new,
            progress: progress::of_rows(positions.rows),
            positions: Vec::new(),
            links: Vec::new(),
        })
    }

    async fn layers(&mut self) -> Result<Done> {
        let mut done = Done::default();
        let mut below = None;
        for layer in self.layers.clone() {
            let mut children = match below {
                Some(below) if below + 1 == layer => {
                    let name = format!("below_{layer}");
                    self.register(&name, "positions", below)?;
                    select(&name)
                }
                _ => nothing(),
            };
            if self.passes.contains(&layer) {
                let passed = format!(
                    "AND p.board IN (SELECT child FROM links WHERE layer = {layer} AND move = 64)"
                );
                let sql = self.sql(layer, &children, &passed);
                if let (Some(_), _) = self.write(&sql, PASSED, false).await? {
                    let name = format!("passed_{layer}");
                    self.register(&name, PASSED, layer)?;
                    children = format!("{children} UNION ALL {}", select(&name));
                }
            }
            let sql = self.sql(layer, &children, "");
            let (positions, links) = self.write(&sql, "positions", true).await?;
            done.layers += 1;
            done.positions += positions.as_ref().map_or(0, |table| table.rows);
            done.links += links.as_ref().map_or(0, |table| table.rows);
            self.positions.extend(positions);
            self.links.extend(links);
            below = Some(layer);
        }
        self.progress.finish_and_clear();
        Ok(done)
    }

    /// Makes a layer of a written table known.
    fn register(&self, name: &str, table: &str, layer: i64) -> Result<()> {
        let shape = Shape {
            partition: None,
            ..self.shapes[0].clone()
        };
        let url = self.new.url(&format!("{table}/layer={layer}/"))?;
        register(self.session, name, &shape, url)
    }

    /// The query for a layer's positions with their numbers and links.
    fn sql(&self, layer: i64, children: &str, condition: &str) -> String {
        let columns = self.shapes[0].columns.iter();
        let columns: Vec<String> = columns.map(|column| format!("p.{}", column.name)).collect();
        let columns = columns.join(", ");
        let numbers = number_columns()
            .map(|name| format!("'{name}', c.{name}"))
            .join(", ");
        let position: Vec<String> = position_columns().map(|name| format!("p.{name}")).collect();
        let position = position.join(", ");
        let leaf = LEAF.map(|name| format!("f.{name}")).join(", ");
        let rules = &self.rules;
        format!(
            "WITH child AS ({children}),
             linked AS (
               SELECT k.board, array_agg(named_struct(
                 'move', k.move, 'child', k.child, 'is_known', c.board IS NOT NULL, {numbers})) AS links
               FROM links AS k LEFT JOIN child AS c ON c.board = k.child
               WHERE k.layer = {layer} GROUP BY k.board)
             SELECT {columns}, judged({rules}, {position}, f.board IS NOT NULL, {leaf}, linked.links) AS judged
             FROM positions AS p
               LEFT JOIN (SELECT * FROM leaves WHERE layer = {layer}) AS f ON f.board = p.board
               LEFT JOIN linked ON linked.board = p.board
             WHERE p.layer = {layer} {condition}
             ORDER BY p.board"
        )
    }

    /// Runs a query and writes its rows as a table of positions, and their links if they are wanted.
    async fn write(
        &mut self,
        sql: &str,
        name: &str,
        with_links: bool,
    ) -> Result<(Option<TableEntry>, Option<TableEntry>)> {
        let [positions, links] = self.shapes.clone();
        let (folder, name) = (self.new.folder(), name.to_owned());
        let table = |shape: Shape| TableWriter::new(folder, shape, Limits::default());
        let mut positions = table(Shape { name, ..positions })?;
        let mut links = table(links)?;
        let mut query = Query::start(self.session, sql).await?;
        while let Some(batch) = query.next().await? {
            let links = with_links.then_some(&mut links);
            write_batch(&batch, &self.shapes[0], &mut positions, links)?;
            if with_links {
                self.progress.inc(batch.num_rows() as u64);
            }
        }
        let written = (finished(positions)?, finished(links)?);
        for table in [&written.0, &written.1].into_iter().flatten() {
            self.new.publish(table).await?;
        }
        Ok(written)
    }
}

/// The rules by which a lake's numbers are computed, as arguments in SQL.
async fn rules(session: &SessionContext) -> Result<String> {
    let sql = "SELECT rules, midgame_error, endcut_error FROM book";
    let batches = Query::start(session, sql).await?.all().await?;
    let missing = || Error::Other("table book is empty: the lake is not one of a book".to_owned());
    let batch = batches.iter().find(|batch| batch.num_rows() > 0);
    let batch = batch.ok_or_else(missing)?;
    let name = match value(batch.column(0), 0) {
        Value::Text(name) => String::from_utf8_lossy(name).into_owned(),
        _ => return Err(missing()),
    };
    let rules = RuleSet::from_name(&name).ok_or_else(|| {
        let known = RuleSet::ALL.map(RuleSet::name).join(", ");
        Error::Other(format!(
            "table book, column rules: found {name}, expected one of {known}"
        ))
    })?;
    let number =
        |column: usize| integer(batch.column(column), 0).and_then(|it| i32::try_from(it).ok());
    let header = Header {
        midgame_error: number(1),
        endcut_error: number(2),
        ..Header::default()
    };
    let (midgame, endcut) = header.errors();
    Ok(format!("'{rules}', {midgame}, {endcut}"))
}

/// The numbers of a table's positions.
fn select(table: &str) -> String {
    format!("SELECT board, {} FROM {table}", number_columns().join(", "))
}

/// The same columns, and no rows.
fn nothing() -> String {
    format!("{} WHERE false", select("positions"))
}

fn integer(column: &ArrayRef, row: usize) -> Option<i64> {
    match value(column, row) {
        Value::Integer(number) => Some(number),
        _ => None,
    }
}

/// The files of a table, if it got rows.
fn finished(table: TableWriter<'_>) -> Result<Option<TableEntry>> {
    let written = (!table.is_empty()).then(|| table.finish());
    Ok(written.transpose()?)
}

/// Writes positions with their links.
fn write_batch(
    batch: &RecordBatch,
    shape: &Shape,
    positions: &mut TableWriter<'_>,
    mut links: Option<&mut TableWriter<'_>>,
) -> Result<()> {
    let judged = batch.column_by_name("judged");
    let judged = judged.expect("the query has it").as_struct();
    let columns = shape.columns.iter().map(|it| {
        let computed = judged.column_by_name(&it.name);
        let found = computed.or_else(|| batch.column_by_name(&it.name));
        found.expect("the query has it")
    });
    let columns: Vec<&ArrayRef> = columns.collect();
    let boards = batch.column_by_name("board").expect("the query has it");
    let list = judged
        .column_by_name("links")
        .expect("it is made so")
        .as_list::<i32>();
    for row in 0..batch.num_rows() {
        let values: Vec<Value<'_>> = columns.iter().map(|it| value(it, row)).collect();
        positions.push(&values)?;
        let Some(links) = links.as_deref_mut() else {
            continue;
        };
        let found = list.value(row);
        let found = found.as_struct();
        for link in 0..found.len() {
            let [mv, score, child] = [0, 1, 2].map(|column| value(found.column(column), link));
            links.push(&[value(boards, row), mv, score, child])?;
        }
    }
    Ok(())
}
