//! Look-ups by key open one layer's files: `board = board('f5')` is only true in the layer of that board.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator, TableScan, lit};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use obook_lake_files::layer;
use std::collections::BTreeSet;

/// Adds `layer = …` to scans of tables that are divided by layers, if the filter says which boards they look for.
#[derive(Debug)]
pub(crate) struct LayerOfBoard;

impl OptimizerRule for LayerOfBoard {
    fn name(&self) -> &str {
        "layer_of_board"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::TableScan(mut scan) = plan else {
            return Ok(Transformed::no(plan));
        };
        let filter = is_divided(&scan)
            .then(|| scan.filters.iter().find_map(layers))
            .flatten()
            .map(|layers| {
                let layer = Expr::Column(Column::new(Some(scan.table_name.clone()), "layer"));
                match layers.first().filter(|_| layers.len() == 1) {
                    Some(only) => layer.eq(lit(*only)),
                    None => layer.in_list(layers.iter().map(|layer| lit(*layer)).collect(), false),
                }
            })
            .filter(|filter| !scan.filters.contains(filter));
        Ok(match filter {
            None => Transformed::no(LogicalPlan::TableScan(scan)),
            Some(filter) => {
                scan.filters.push(filter);
                Transformed::yes(LogicalPlan::TableScan(scan))
            }
        })
    }
}

/// Whether the table is a lake's, divided by the layers of its boards.
fn is_divided(scan: &TableScan) -> bool {
    let schema = scan.source.schema();
    let is = |name: &str, data_type: &DataType| {
        let field = schema.field_with_name(name);
        field.is_ok_and(|field| field.data_type() == data_type)
    };
    is("board", &DataType::FixedSizeBinary(16)) && is("layer", &DataType::Int64)
}

/// The layers of the boards that a filter lets through, if it names them.
fn layers(filter: &Expr) -> Option<BTreeSet<i64>> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::Eq => match (&**left, &**right) {
                (column, key) | (key, column) if is_board(column) => {
                    Some(BTreeSet::from([layer_of(key)?]))
                }
                _ => None,
            },
            Operator::And => layers(left).or_else(|| layers(right)),
            Operator::Or => Some(layers(left)?.union(&layers(right)?).copied().collect()),
            _ => None,
        },
        Expr::InList(InList {
            expr,
            list,
            negated: false,
        }) if is_board(expr) => list.iter().map(layer_of).collect(),
        _ => None,
    }
}

/// Whether an expression is the column `board`, possibly as bytes of any length.
fn is_board(expression: &Expr) -> bool {
    match expression {
        Expr::Column(column) => column.name == "board",
        Expr::Cast(cast) => is_board(&cast.expr),
        _ => false,
    }
}

fn layer_of(key: &Expr) -> Option<i64> {
    match key {
        Expr::Literal(
            ScalarValue::FixedSizeBinary(_, Some(key))
            | ScalarValue::Binary(Some(key))
            | ScalarValue::BinaryView(Some(key)),
            _,
        ) => layer(key.as_slice().try_into().ok()?),
        _ => None,
    }
}
