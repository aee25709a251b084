//! Joins with small tables: a table of names is kept in memory, so that a large one need not be sorted for it.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::logical_expr::JoinType;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode, SortMergeJoinExec};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use std::sync::Arc;

/// The most rows of a small table.
const SMALL: usize = 1 << 11;

/// Joins by hash if one side is a small table.
///
/// It has to come before the rules that sort the sides of a join.
#[derive(Debug)]
pub(crate) struct SmallTables;

impl PhysicalOptimizerRule for SmallTables {
    fn name(&self) -> &str {
        "small_tables"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let by_hash = |plan: Arc<dyn ExecutionPlan>| {
            let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() else {
                return Ok(Transformed::no(plan));
            };
            if join.join_type() != JoinType::Inner {
                return Ok(Transformed::no(plan));
            }
            let is_left = is_small(join.left())?;
            if !is_left && !is_small(join.right())? {
                return Ok(Transformed::no(plan));
            }
            let join = HashJoinExec::try_new(
                Arc::clone(join.left()),
                Arc::clone(join.right()),
                join.on().to_vec(),
                join.filter().clone(),
                &JoinType::Inner,
                None,
                PartitionMode::CollectLeft,
                join.null_equality(),
                false,
            )?;
            Ok(Transformed::yes(match is_left {
                true => Arc::new(join),
                false => join.swap_inputs(PartitionMode::CollectLeft)?,
            }))
        };
        plan.transform_up(by_hash).map(|it| it.data)
    }
}

/// Whether it is known that there are few rows.
fn is_small(side: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let known = StatisticsContext::new().compute(side.as_ref(), &StatisticsArgs::new())?;
    Ok(matches!(known.num_rows, Precision::Exact(rows) if rows <= SMALL))
}
