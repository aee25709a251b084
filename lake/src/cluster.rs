//! A cluster: one scheduler, and executors that do the work. They are processes of this program, so each has obook's functions.

use crate::error::{Error, Result};
use crate::session::{Address, runtime, state};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use ballista_scheduler::scheduler_server::SchedulerServer;
use clap::Args;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};

const SCHEDULER_EXAMPLES: &str = "Examples:
  obook-lake scheduler
  RUST_LOG=info obook-lake scheduler --bind 10.0.0.1 --port 50060";

const EXECUTOR_EXAMPLES: &str = "Examples:
  obook-lake executor --cores 1
  obook-lake executor --on df://10.0.0.1:50060 --bind 10.0.0.2 --memory 8000";

/// The port of a scheduler.
const PORT: u16 = 50050;

/// Executors ask for work. A scheduler that hands it out counts the tasks of each, and its count is wrong for ever once a query is
/// interrupted or an executor is lost (<https://github.com/apache/datafusion-ballista/issues/2418>).
const POLICY: TaskSchedulingPolicy = TaskSchedulingPolicy::PullStaged;

/// Run a scheduler, which divides queries among executors
#[derive(Debug, Args)]
#[command(after_help = SCHEDULER_EXAMPLES)]
pub(crate) struct SchedulerArguments {
    /// The address to listen at; there is no password, so anyone who reaches it can read what executors can read
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    bind: IpAddr,
    /// The port; 0 finds one that is free
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Seconds without a sign of life after which an executor's work goes to others; busy ones give one every 5 seconds
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(10..))]
    patience: u64,
}

pub(crate) async fn schedule(arguments: &SchedulerArguments) -> Result<()> {
    let address = SocketAddr::new(arguments.bind, arguments.port);
    let failed = |problem: String| Error::Other(format!("scheduler at {address}: {problem}"));
    let listener = listen(address).map_err(|error| failed(error.to_string()))?;
    let address = listener.local_addr()?;
    let config = SchedulerConfig {
        bind_host: arguments.bind.to_string(),
        external_host: arguments.bind.to_string(),
        bind_port: address.port(),
        scheduling_policy: POLICY,
        executor_timeout_seconds: arguments.patience,
        expire_dead_executor_interval_seconds: arguments.patience.div_ceil(4).max(1),
        override_session_builder: Some(Arc::new(|config| {
            state(config)
                .map_err(|error| datafusion::error::DataFusionError::Internal(error.to_string()))
        })),
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        ..SchedulerConfig::default()
    };
    let served = async {
        let cluster = BallistaCluster::new_from_config(&config).await?;
        let scheduler: SchedulerServer<LogicalPlanNode, PhysicalPlanNode> =
            create_scheduler(cluster, Arc::new(config)).await?;
        eprintln!("obook-lake: scheduler at df://{address}");
        start_grpc_service_with_listener(listener, scheduler).await
    };
    let served = served.await;
    served.map_err(|error: BallistaError| failed(error.to_string()))
}

/// Listens. Connections inherit that they send at once: otherwise each answer waits 40 ms for an acknowledgement.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(1024)
}

/// Run an executor, which computes parts of queries
#[derive(Debug, Args)]
#[command(after_help = EXECUTOR_EXAMPLES)]
pub(crate) struct ExecutorArguments {
    /// The scheduler
    #[arg(long, default_value = "df://127.0.0.1:50050", value_name = "URL")]
    on: Address,
    /// The address to listen at; the scheduler and the other executors must reach it
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    bind: IpAddr,
    /// The first of two ports [default: two that are free]
    #[arg(long)]
    port: Option<u16>,
    /// Tasks at a time [default: the number of processors]
    #[arg(long, value_name = "NUMBER")]
    cores: Option<usize>,
    /// Memory for joins, sorts and groups, in megabytes; beyond it they go to the disk
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// The folder for what executors hand to each other [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
}

pub(crate) async fn execute(arguments: &ExecutorArguments) -> Result<()> {
    let ports = match arguments.port {
        Some(port) => [port, port.saturating_add(1)],
        None => free_ports(arguments.bind)?,
    };
    let config = SessionConfig::new_with_ballista();
    let functions = BallistaFunctionRegistry::from(&state(config)?);
    let own = tempfile::tempdir()?;
    let work = arguments.work.as_deref().unwrap_or(own.path()).to_owned();
    let defaults = ExecutorProcessConfig::default();
    let config = ExecutorProcessConfig {
        bind_host: arguments.bind.to_string(),
        external_host: Some(arguments.bind.to_string()),
        port: ports[0],
        grpc_port: ports[1],
        scheduler_host: arguments.on.host.clone(),
        scheduler_port: arguments.on.port,
        // Executors may start before the scheduler.
        scheduler_connect_timeout_seconds: 10,
        vcores: arguments.cores.unwrap_or(defaults.vcores),
        memory_pool_size: arguments.memory.map(|megabytes| megabytes << 20),
        work_dir: Some(work.display().to_string()),
        task_scheduling_policy: POLICY,
        override_runtime_producer: Some(Arc::new(move |_| {
            runtime(RuntimeEnvBuilder::new().with_temp_file_path(work.clone()))
        })),
        override_function_registry: Some(Arc::new(functions)),
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        ..defaults
    };
    let address = SocketAddr::new(arguments.bind, ports[0]);
    eprintln!("obook-lake: executor at {address}");
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|error| Error::Other(format!("executor at {address}: {error}")))
}

/// Two ports that no program listens on.
fn free_ports(address: IpAddr) -> Result<[u16; 2]> {
    let listen = || std::net::TcpListener::bind((address, 0));
    let (one, other) = (listen()?, listen()?);
    Ok([one.local_addr()?.port(), other.local_addr()?.port()])
}
