//! A lake's tables, views and functions in DataFusion, in this process or on a cluster.

use crate::error::{Error, Result};
use crate::layer_rule::LayerOfBoard;
use crate::place::{Place, Stores};
use crate::small_tables::SmallTables;
use crate::{functions, tables};
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::arrow::datatypes::DataType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder};
use datafusion::logical_expr::col;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::{SessionConfig, SessionContext};
use obook_lake_files::{Manifest, Partition, SCRIPT, Shape};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The address of a scheduler: `df://127.0.0.1:50050`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Address, &'static str> {
        let parts = text.strip_prefix("df://").and_then(|rest| {
            let (host, port) = rest.trim_end_matches('/').rsplit_once(':')?;
            let host = Some(host.to_owned()).filter(|host| !host.is_empty())?;
            let port = port.parse().ok()?;
            Some(Address { host, port })
        });
        parts.ok_or("expected an address such as df://127.0.0.1:50050")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "df://{}:{}", self.host, self.port)
    }
}

/// A session that knows obook's functions, on the cluster of a scheduler or in this process.
pub(crate) async fn session(on: Option<&Address>, parts: Option<u16>) -> Result<SessionContext> {
    match on {
        None => {
            let mut config = SessionConfig::new();
            settings(&mut config, parts);
            let mut rules = PhysicalOptimizer::new().rules;
            rules.insert(0, Arc::new(SmallTables));
            let pool = FairSpillPool::new(half_of_the_free_memory());
            let bounded = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(pool));
            let state = SessionStateBuilder::new_from_existing(state(config)?)
                .with_physical_optimizer_rules(rules)
                .with_runtime_env(runtime(bounded)?);
            Ok(SessionContext::new_with_state(state.build()))
        }
        Some(address) => {
            // Later errors would not say that no scheduler listens there.
            let place = format!("{}:{}", address.host, address.port);
            let reached = tokio::net::TcpStream::connect(place).await;
            reached.map_err(|error| no_cluster(address, error))?;
            // Ballista 55 plans a join with an empty table again and again for ever if it may change plans while they run. If it may
            // hand the smaller side of a join to all executors, rows can lose their order (its issue 2065).
            let mut config = SessionConfig::new_with_ballista()
                .with_ballista_adaptive_query_planner(false)
                .with_ballista_broadcast_join_threshold_bytes(0)
                .with_ballista_broadcast_join_threshold_rows(0);
            // A query in one part joins by hash, in memory; executors then lose the order of rows that the plan relies on.
            settings(&mut config, parts.map(|parts| parts.max(2)));
            config.set_extension(Arc::new(address.clone()));
            let state = state(config)?;
            let session = SessionContext::remote_with_state(&address.to_string(), state).await;
            let session = session.map_err(|error| no_cluster(address, error))?;
            // A session on a cluster only keeps the functions that Ballista knows.
            for function in functions::all() {
                session.register_udf(function);
            }
            Ok(session)
        }
    }
}

fn no_cluster(address: &Address, error: impl fmt::Display) -> Error {
    let problem = format!("{address}: {error}; start one with `obook-lake scheduler`");
    Error::Other(problem)
}

/// A state with obook's functions: for sessions, for the scheduler and for executors.
pub(crate) fn state(config: SessionConfig) -> Result<SessionState> {
    let mut state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime(RuntimeEnvBuilder::new())?)
        .with_default_features()
        .with_optimizer_rule(Arc::new(LayerOfBoard))
        .build();
    for function in functions::all() {
        state.register_udf(Arc::new(function))?;
    }
    Ok(state)
}

/// The memory of sorts and joins, in bytes: beyond it they use the disk.
fn half_of_the_free_memory() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    usize::try_from(system.available_memory() / 2).unwrap_or(usize::MAX)
}

/// An environment that finds lakes in folders and in buckets.
pub(crate) fn runtime(builder: RuntimeEnvBuilder) -> DataFusionResult<Arc<RuntimeEnv>> {
    let stores = Arc::new(Stores::default());
    builder.with_object_store_registry(stores).build_arc()
}

/// Sets the options that both kinds of sessions share.
fn settings(config: &mut SessionConfig, parts: Option<u16>) {
    let options = config.options_mut();
    if let Some(parts) = parts {
        options.execution.target_partitions = parts.into();
    }
    // Texts come as plain strings, as SQLite's do.
    options.execution.parquet.schema_force_view_types = false;
    options.sql_parser.map_string_types_to_utf8view = false;
    // A hash join keeps one side in memory; a merge join goes to the disk.
    options.optimizer.prefer_hash_join = false;
}

/// The longest script for DuckDB, in bytes.
pub(crate) const MOST_SCRIPT: u64 = 1 << 20;

/// Makes a lake's tables and views known to a session.
pub(crate) async fn open(session: &SessionContext, place: &Place) -> Result<Manifest> {
    let here = self::session(None, None).await?;
    let manifest = place.manifest(&here).await?;
    for session in [session, &here] {
        for table in &manifest.tables {
            let name = &table.shape.name;
            let url = place.url(&format!("{name}/"))?;
            register(session, name, &table.shape, url)?;
        }
    }
    tables::register(session, &here);
    let script = place.read(&here, SCRIPT, MOST_SCRIPT).await?;
    for view in views(&script) {
        session.sql(&view).await?;
    }
    Ok(manifest)
}

/// The statements that create views, from the script for DuckDB. They are plain SQL.
fn views(script: &str) -> Vec<String> {
    const BEGIN: &str = "CREATE OR REPLACE TEMP VIEW ";
    let views = script.split(BEGIN).skip(1);
    let views = views.filter(|view| !view.contains("read_parquet("));
    views
        .filter_map(|view| Some(format!("CREATE VIEW {}", &view[..view.rfind(';')?])))
        .collect()
}

/// Makes a table known whose files are at an address.
pub(crate) fn register(
    session: &SessionContext,
    name: &str,
    shape: &Shape,
    url: ListingTableUrl,
) -> Result<()> {
    let partition = shape.partition.map(Partition::name);
    let partition = partition.map(|name| (name.to_owned(), DataType::Int64));
    let key = shape.columns[..shape.key].iter();
    let order = key.map(|column| col(&*column.name).sort(true, false));
    let options = ListingOptions::new(Arc::new(ParquetFormat::default()))
        .with_file_extension(".parquet")
        .with_table_partition_cols(partition.into_iter().collect())
        .with_file_sort_order(vec![order.collect()]);
    let config = ListingTableConfig::new(url)
        .with_listing_options(options)
        .with_schema(Arc::new(shape.schema()));
    session.register_table(name, Arc::new(ListingTable::try_new(config)?))?;
    Ok(())
}
