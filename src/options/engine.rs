//! `--engine` and `--jobs`.

use crate::engines::{NoEngine, choose};
use clap::Args;
use obook_engine::EngineChoice;
use std::num::NonZeroUsize;
use std::thread;

/// Which engine searches.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArg {
    /// Search with this engine: inside, a name of engines.toml, or a command such as 'edax -nboard' (see `obook engines`)
    #[arg(
        long,
        value_name = "NAME|COMMAND",
        default_value = "inside",
        hide_default_value = true
    )]
    engine: String,
}

/// Which engine searches, and how many searches run side by side.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    engine: EngineArg,
    /// Run so many searches side by side, each on a thread or a process of its own [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl EngineArg {
    /// The engine that was asked for.
    pub(crate) fn choice(&self) -> Result<EngineChoice, NoEngine> {
        choose(&self.engine)
    }
}

impl EngineArgs {
    /// The engine that was asked for.
    pub(crate) fn choice(&self) -> Result<EngineChoice, NoEngine> {
        self.engine.choice()
    }

    /// How many searches run side by side.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(cores)
    }
}
