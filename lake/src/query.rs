//! Queries that run, in this process or on a cluster.

use crate::error::Result;
use crate::session::Address;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::serde::protobuf::CancelJobParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionContext;
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::TryStreamExt;
use std::sync::Arc;
use std::time::Duration;

/// A query that runs. If nobody waits for its end, it is cancelled: otherwise a cluster would compute it to the end.
pub(crate) struct Query {
    batches: SendableRecordBatchStream,
    /// The scheduler and the plan, as long as the query runs on a cluster.
    cluster: Option<(Address, Arc<dyn ExecutionPlan>)>,
}

impl Query {
    /// Starts a query.
    pub(crate) async fn start(session: &SessionContext, sql: &str) -> Result<Query> {
        let plan = session.sql(sql).await?.create_physical_plan().await?;
        let address = session.copied_config().get_extension::<Address>();
        Ok(Query {
            batches: execute_stream(Arc::clone(&plan), session.task_ctx())?,
            cluster: address.map(|address| (Address::clone(&address), plan)),
        })
    }

    /// The columns of the answer.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    /// The next rows; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let next = self.batches.try_next().await;
        if !matches!(next, Ok(Some(_))) {
            self.cluster = None;
        }
        Ok(next?)
    }

    /// All rows.
    pub(crate) async fn all(mut self) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        while let Some(batch) = self.next().await? {
            batches.push(batch);
        }
        Ok(batches)
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        /// How long to wait for the scheduler.
        const LIMIT: Duration = Duration::from_secs(2);
        let Some((address, plan)) = self.cluster.take() else {
            return;
        };
        let distributed = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>();
        let Some(job) = distributed.and_then(DistributedQueryExec::job_id) else {
            return;
        };
        let url = format!("http://{}:{}", address.host, address.port);
        // The runtime of this thread may be shutting down, and doesn't wait for destructors.
        let cancelled = std::thread::spawn(move || -> Option<()> {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().ok()?;
            let cancel = async {
                let mut client = SchedulerGrpcClient::connect(url).await.ok()?;
                let job_id = job.into();
                client.cancel_job(CancelJobParams { job_id }).await.ok()?;
                Some(())
            };
            runtime.block_on(async { tokio::time::timeout(LIMIT, cancel).await.ok()? })
        });
        if !matches!(cancelled.join(), Ok(Some(()))) {
            eprintln!(
                "obook-lake: {address}: can't reach the scheduler, which may continue the query"
            );
        }
    }
}
