//! obook's tables with arguments, such as `moves('f5d6')`. Their rows are found while a query is planned, by look-ups in this process;
//! so the query that runs has them as constants. Arguments are constants, too.

use crate::rows::{self, LEAF, mv, number, position_columns};
use crate::values::{literal, scalar, wrong};
use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider, view::ViewTable};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, col, lit};
use datafusion::prelude::SessionContext;
use obook_lake_files::data_type;
use obook_othello::{CanonicalBoard, Link, Position};
use obook_sql::functions::{Book, BookTable, Problem, SqlEngine, Value, add_tables};
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Makes the tables known to a session. `lake` is a session in this process that knows the lake's tables.
pub(crate) fn register(session: &SessionContext, lake: &SessionContext) {
    let Ok(()) = add_tables(&mut DataFusion { session, lake });
}

/// A session, which is told of tables.
struct DataFusion<'s> {
    session: &'s SessionContext,
    lake: &'s SessionContext,
}

impl SqlEngine for DataFusion<'_> {
    type Error = Infallible;

    fn add<T: BookTable>(&mut self, name: &str, table: T) -> std::result::Result<(), Infallible> {
        let of_book = OfBook {
            lake: self.lake.clone(),
            name: name.to_owned(),
            table,
        };
        self.session.register_udtf(name, Arc::new(of_book));
        Ok(())
    }
}

/// A table.
struct OfBook<T> {
    lake: SessionContext,
    name: String,
    table: T,
}

impl<T: BookTable> fmt::Debug for OfBook<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfBook({})", self.name)
    }
}

impl<T: BookTable> TableFunctionImpl for OfBook<T> {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let failed = |problem: Problem| wrong(problem.within(&self.name));
        let constant = |argument| {
            literal(argument).map(Some).ok_or_else(|| {
                failed(Problem::new(format!(
                    "{argument} is not a constant; in a lake, arguments of tables are"
                )))
            })
        };
        let arguments = arguments.exprs().iter().map(constant);
        let arguments: Vec<Option<Value<'_>>> = arguments.collect::<Result<_>>()?;
        let book = LakeBook {
            lake: self.lake.clone(),
            found: Mutex::default(),
        };
        let mut rows = Vec::new();
        let found = self.table.query(&self.name, Box::new(book), &arguments);
        for row in found.map_err(failed)? {
            let row = row.map_err(failed)?;
            let values = (0..T::COLUMNS.len()).map(|column| {
                let kind = T::COLUMNS[column].1;
                Ok(lit(scalar(kind, T::value(&row, column))?))
            });
            rows.push(values.collect::<Result<_>>()?);
        }
        let fields = T::COLUMNS.iter();
        let fields = fields.map(|(name, kind, _)| Field::new(*name, data_type(*kind), true));
        let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(Arc::new(ViewTable::new(plan(rows, &schema)?, None)))
    }
}

/// Rows as a plan.
fn plan(rows: Vec<Vec<Expr>>, schema: &SchemaRef) -> Result<LogicalPlan> {
    let schema = Arc::new(DFSchema::try_from(schema.clone())?);
    if rows.is_empty() {
        return Ok(LogicalPlan::EmptyRelation(
            datafusion::logical_expr::EmptyRelation {
                produce_one_row: false,
                schema,
            },
        ));
    }
    // The columns of constants have numbers for names.
    let names = (1..).zip(schema.fields());
    let columns = names.map(|(place, field)| col(format!("column{place}")).alias(field.name()));
    LogicalPlanBuilder::values_with_schema(rows, &schema)?
        .project(columns)?
        .build()
}

/// The book of a lake, with what was looked up.
struct LakeBook {
    lake: SessionContext,
    /// Positions, and boards that are none.
    found: Mutex<HashMap<CanonicalBoard, Option<Position>>>,
}

impl LakeBook {
    /// Looks positions up, all of them in one query per table.
    async fn look_up(&self, boards: Vec<CanonicalBoard>) -> Result<()> {
        let mut found: HashMap<_, Option<Position>> =
            boards.iter().map(|board| (*board, None)).collect();
        let keys = || {
            let keys = boards.iter().map(|board| board.to_key().to_vec());
            keys.map(|key| lit(ScalarValue::FixedSizeBinary(16, Some(key))))
                .collect()
        };
        for batch in self.read("positions", keys()).await? {
            let columns = columns(&batch, position_columns())?;
            for row in 0..batch.num_rows() {
                let position = rows::position(&columns, row)?;
                found.insert(position.board, Some(position));
            }
        }
        for batch in self.read("links", keys()).await? {
            let columns = columns(&batch, ["board", "move", "score"])?;
            for row in 0..batch.num_rows() {
                let board = rows::board(&columns[0], row)?;
                if let (Some(Some(position)), Some(mv)) =
                    (found.get_mut(&board), mv(&columns[1], row)?)
                {
                    let score = number(&columns[2], row, "score")?;
                    position.links.push(Link { mv, score });
                }
            }
        }
        for batch in self.read("leaves", keys()).await? {
            let boards = &columns(&batch, ["board"])?[0];
            let columns = columns(&batch, LEAF)?;
            for row in 0..batch.num_rows() {
                if let Some(Some(position)) = found.get_mut(&rows::board(boards, row)?) {
                    position.leaf = Some(rows::leaf(position, &columns, row)?);
                }
            }
        }
        for position in found.values_mut().flatten() {
            position.links.sort_by_key(|link| link.mv.code());
        }
        self.found.lock().expect("no thread panics").extend(found);
        Ok(())
    }

    async fn read(&self, table: &str, keys: Vec<Expr>) -> Result<Vec<RecordBatch>> {
        let table = self.lake.table(table).await?;
        let found = table.filter(col("board").in_list(keys, false))?;
        found.collect().await
    }
}

/// Columns of a batch by their names.
fn columns(
    batch: &RecordBatch,
    names: impl IntoIterator<Item = &'static str>,
) -> Result<Vec<ArrayRef>> {
    let columns = names.into_iter().map(|name| {
        let column = batch.column_by_name(name).cloned();
        column.ok_or_else(|| wrong(format!("the lake has no column {name}")))
    });
    columns.collect()
}

impl Book for LakeBook {
    fn position(&self, board: CanonicalBoard) -> obook_sql::functions::Result<Option<Position>> {
        self.expect(&[board])?;
        let found = self.found.lock().expect("no thread panics");
        Ok(found.get(&board).cloned().flatten())
    }

    fn expect(&self, boards: &[CanonicalBoard]) -> obook_sql::functions::Result<()> {
        let found = self.found.lock().expect("no thread panics");
        let unknown = boards.iter().filter(|board| !found.contains_key(*board));
        let unknown: BTreeSet<CanonicalBoard> = unknown.copied().collect();
        drop(found);
        if unknown.is_empty() {
            return Ok(());
        }
        let look_up = self.look_up(unknown.into_iter().collect());
        // A query is planned by a function that doesn't wait.
        let looked_up = block_in_place(|| Handle::current().block_on(look_up));
        looked_up.map_err(|error| Problem::new(error.strip_backtrace()))
    }
}
