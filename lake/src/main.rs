//! The program `obook-lake`: SQL and negamax on a book that was exported as a lake, on one machine or many.
#![forbid(unsafe_code)]

mod answer;
mod cluster;
mod error;
mod functions;
mod layer_rule;
mod negamax;
mod rows;
mod session;
mod shell;
mod tables;

use answer::{Look, answer};
use clap::{Parser, Subcommand};
use error::{Error, Result};
use obook_answers::Screen;
use obook_lake_files::Lake;
use session::Address;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  obook export book.obook book.lake --format parquet
  obook-lake query book.lake \"SELECT layer, count(*) FROM positions GROUP BY layer ORDER BY layer\"
  obook-lake scheduler &
  obook-lake executor &
  obook-lake query book.lake \"SELECT value FROM positions WHERE board = board('f5')\" --on df://127.0.0.1:50050";

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
    Query {
        /// The folder of the lake
        lake: PathBuf,
        /// The query
        sql: String,
        #[command(flatten)]
        look: Look,
        #[command(flatten)]
        place: Place,
    },
    /// Answer queries at a prompt, or those of a script from standard input
    Shell {
        /// The folder of the lake
        lake: PathBuf,
        #[command(flatten)]
        look: Look,
        #[command(flatten)]
        place: Place,
    },
    Scheduler(cluster::SchedulerArguments),
    Executor(cluster::ExecutorArguments),
    /// Compute the numbers of all positions from the leaves up, as `obook negamax` does, and write them as a new lake
    Negamax {
        /// The folder of the lake
        lake: PathBuf,
        /// The folder of the new lake
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Read everything once, and compare it with the checksums of the manifest
    Check {
        /// The folder of the lake
        lake: PathBuf,
    },
}

/// Where queries run.
#[derive(Debug, clap::Args)]
struct Place {
    /// A scheduler, whose executors do the work; they must find the lake at the same path [default: this process]
    #[arg(long, value_name = "URL")]
    on: Option<Address>,
}

#[tokio::main]
async fn main() -> ExitCode {
    // RUST_LOG=info shows what schedulers and executors do.
    env_logger::init();
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe: it has read enough.
        Err(Error::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "obook-lake: {}",
                obook_answers::text::printable(&error.to_string())
            );
            ExitCode::FAILURE
        }
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
            let session = session::session(place.on.as_ref()).await?;
            session::open(&session, &lake).await?;
            let out = &mut io::stdout().lock();
            answer(&session, &sql, look, Screen::of_stdout(), out).await?;
            Ok(())
        }
        Command::Shell { lake, look, place } => {
            let session = session::session(place.on.as_ref()).await?;
            session::open(&session, &lake).await?;
            shell::run(&session, look).await
        }
        Command::Scheduler(arguments) => cluster::schedule(&arguments).await,
        Command::Executor(arguments) => cluster::execute(&arguments).await,
        Command::Negamax { lake, out, place } => {
            let session = session::session(place.on.as_ref()).await?;
            let done = negamax::negamax(&session, &lake, &out).await?;
            writeln!(io::stdout(), "{}: {done}", out.display())?;
            Ok(())
        }
        Command::Check { lake } => check(&lake),
    }
}

/// Compares a lake with its checksums.
fn check(folder: &Path) -> Result<()> {
    let lake = Lake::open(folder)?;
    lake.check(|_| ())?;
    let tables = &lake.manifest().tables;
    let files: usize = tables.iter().map(|table| table.files.len()).sum();
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    let folder = folder.display();
    writeln!(
        io::stdout(),
        "{folder}: {rows} rows in {files} files, and nothing is wrong"
    )?;
    Ok(())
}
