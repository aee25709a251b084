//! The options for a NATS server.

use crate::options::values::lease;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Credentials and certificates for a NATS server.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "NATS server")]
pub(crate) struct ServerArgs {
    /// Credentials file, as written by `nsc`
    #[arg(long, value_name = "FILE")]
    pub(crate) creds: Option<PathBuf>,
    /// Use TLS, and trust servers with a certificate from these authorities (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// Key of the client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}

/// The options by which a learner searches on other machines.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "NATS server")]
pub(crate) struct LearnArgs {
    /// Search on the machines that run `obook work` with this NATS server; --engine then only says whose levels are meant
    #[arg(long, value_name = "URL", conflicts_with = "jobs")]
    pub(crate) nats: Option<String>,
    /// Lease time: give up on a machine that has been silent for this long
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "30s", hide_short_help = true, requires = "nats")]
    pub(crate) lease: Duration,
    /// Let two machines make one search in N, to compare them
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        hide_short_help = true,
        requires = "nats"
    )]
    pub(crate) check_one_in: u64,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}
