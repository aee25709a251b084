//! The program `obook-lake`: SQL and negamax on a book that was exported as a lake, on one machine or many.
#![forbid(unsafe_code)]

mod answer;
mod cluster;
mod error;
mod functions;
mod judged;
mod layer_rule;
mod negamax;
mod new_lake;
mod place;
mod progress;
mod query;
mod rows;
mod session;
mod shell;
mod small_tables;
mod tables;
mod values;

use answer::{Look, answer};
use clap::{Parser, Subcommand};
use datafusion::prelude::SessionContext;
use error::{Error, Result};
use obook_lake_files::{Lake, Manifest};
use obook_sql::answers::text::printable;
use place::Place;
use serde::Serialize;
use session::Address;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Mutex;

const EXAMPLES: &str = "Examples:
  obook export book.obook book.lake --format parquet
  obook-lake query book.lake \"SELECT layer, count(*) FROM positions GROUP BY layer ORDER BY layer\"
  obook-lake scheduler &
  obook-lake executor &
  obook-lake query book.lake \"SELECT value FROM positions WHERE board = board('f5')\" --on df://127.0.0.1:50050";

const QUERY_EXAMPLES: &str = "Examples:
  obook-lake query book.lake \"SELECT square, kind, score FROM moves('f5d6')\"
  obook-lake query book.lake \"SELECT layer, count(*) FROM positions GROUP BY layer\" --format csv
  AWS_REGION=eu-central-1 obook-lake query s3://bucket/book.lake \"SELECT count(*) FROM links\"";

const SHELL_EXAMPLES: &str = "Examples:
  obook-lake shell book.lake
  obook-lake shell book.lake --format ndjson < questions.sql

A statement ends with a semicolon and may take several lines. Ctrl-C clears the input; Ctrl-D, exit and quit leave. A script ends at its \
first error.";

const NEGAMAX_EXAMPLES: &str = "Examples:
  obook-lake negamax book.lake --out new.lake
  obook-lake negamax book.lake --out new.lake --on df://127.0.0.1:50050 --parts 2

The rules are those of the book. Its links must be complete, as `obook link` leaves them. On a cluster, --parts should be the number of \
cores that the executors have together.";

/// Ask a book that is a folder of Parquet files, on one machine or many
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer a query
    #[command(after_help = QUERY_EXAMPLES)]
    Query {
        /// The lake: a folder, or s3://BUCKET/PATH
        lake: Place,
        /// The query
        #[arg(allow_hyphen_values = true)]
        sql: String,
        #[command(flatten)]
        look: Look,
        #[command(flatten)]
        place: ClusterArgs,
    },
    /// Answer queries at a prompt, or those of a script from standard input
    #[command(after_help = SHELL_EXAMPLES)]
    Shell {
        /// The lake: a folder, or s3://BUCKET/PATH
        lake: Place,
        #[command(flatten)]
        look: Look,
        #[command(flatten)]
        place: ClusterArgs,
    },
    Scheduler(cluster::SchedulerArguments),
    Executor(cluster::ExecutorArguments),
    /// Compute the numbers of all positions from the leaves up, as `obook negamax` does, and write them as a new lake
    #[command(after_help = NEGAMAX_EXAMPLES)]
    Negamax {
        /// The lake: a folder, or s3://BUCKET/PATH
        lake: Place,
        /// The new lake
        #[arg(long, value_name = "LAKE")]
        out: Place,
        #[command(flatten)]
        place: ClusterArgs,
        /// Say what was done as JSON
        #[arg(long)]
        json: bool,
    },
    /// Read everything once, and compare it with the checksums of the manifest
    Check {
        /// The folder of the lake
        lake: Place,
        /// Say what was read as JSON
        #[arg(long)]
        json: bool,
    },
}

/// The place where queries run.
#[derive(Debug, clap::Args)]
struct ClusterArgs {
    /// A scheduler, whose executors do the work; all must find the lake at the same place [default: this process]
    #[arg(long, value_name = "URL")]
    on: Option<Address>,
    /// The number of parts that joins and groups are divided into [default: the processors here, or 16 on a cluster, where 2 is the least]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    parts: Option<u16>,
}

impl ClusterArgs {
    /// Opens a lake there.
    async fn open(&self, lake: &Place) -> Result<(SessionContext, Manifest)> {
        let session = session::session(self.on.as_ref(), self.parts).await?;
        let manifest = session::open(&session, lake).await?;
        Ok((session, manifest))
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    // RUST_LOG=info shows what schedulers and executors do.
    env_logger::init();
    match interruptible(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe: it has read enough.
        Err(Error::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let status = match error {
                Error::Interrupted => INTERRUPTED.into(),
                _ => ExitCode::FAILURE,
            };
            eprintln!("obook-lake: {}", printable(&error.to_string()));
            status
        }
    }
}

/// The exit status of a program that a signal ended.
const INTERRUPTED: u8 = 130;

/// Runs a command until it is done or interrupted. An interrupted command leaves no part of its output behind.
async fn interruptible(cli: Cli) -> Result<()> {
    let (interrupt, interrupted) = tokio::sync::oneshot::channel();
    let interrupt = Mutex::new(Some(interrupt));
    let watched = ctrlc::set_handler(move || {
        let interrupt = interrupt.lock().ok().and_then(|mut it| it.take());
        interrupt.map(|interrupt| interrupt.send(()));
    });
    watched.map_err(|error| Error::Other(format!("signals: {error}")))?;
    tokio::select! {
        done = run(cli) => done,
        _ = interrupted => Err(Error::Interrupted),
    }
}

async fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Query {
            lake,
            sql,
            look,
            place,
        } => {
            let (session, _) = place.open(&lake).await?;
            answer(&session, &sql, look).await
        }
        Command::Shell { lake, look, place } => {
            let (session, _) = place.open(&lake).await?;
            shell::run(&session, look).await
        }
        Command::Scheduler(arguments) => cluster::schedule(&arguments).await,
        Command::Executor(arguments) => cluster::execute(&arguments).await,
        Command::Negamax {
            lake,
            out,
            place,
            json,
        } => {
            let (session, manifest) = place.open(&lake).await?;
            let done = negamax::negamax(&session, manifest, &lake, &out).await?;
            say(&out, &done, json)
        }
        Command::Check { lake, json } => say(&lake, &check(&lake)?, json),
    }
}

/// Says what was done with a lake.
fn say(lake: impl Display, done: &(impl Display + Serialize), json: bool) -> Result<()> {
    let mut out = io::stdout().lock();
    match json {
        true => writeln!(out, "{}", serde_json::json!(done))?,
        false => writeln!(out, "{lake}: {done}")?,
    }
    Ok(())
}

/// The numbers of rows and files that were compared.
#[derive(Debug, Serialize)]
struct Checked {
    rows: u64,
    files: usize,
}

impl Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked { rows, files } = self;
        write!(f, "{rows} rows in {files} files, and nothing is wrong")
    }
}

/// Compares a lake with its checksums.
fn check(lake: &Place) -> Result<Checked> {
    let folder = lake.folder().ok_or_else(|| {
        Error::Other(format!(
            "{lake}: only a folder can be checked: copy the lake to this machine"
        ))
    })?;
    let lake = Lake::open(folder, None)?;
    let tables = &lake.manifest().tables;
    let checked = Checked {
        rows: tables.iter().map(|table| table.rows).sum(),
        files: tables.iter().map(|table| table.files.len()).sum(),
    };
    let progress = progress::of_rows(checked.rows);
    lake.check(|rows| progress.inc(rows))?;
    progress.finish_and_clear();
    Ok(checked)
}
