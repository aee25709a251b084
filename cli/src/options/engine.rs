//! `--engine` and `--jobs`.

use crate::engines::{choose, of_any_game};
use crate::options::values::jobs;
use crate::prelude::*;
use clap::Args;
use obook_engine::{EngineChoice, Outside};
use std::num::NonZeroUsize;
use std::thread;

/// The engine to search with.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArg {
    /// Engine: inside, a name from engines.toml, or a command such as 'edax -nboard' (see `obook engines`)
    #[arg(
        long,
        value_name = "NAME|COMMAND",
        default_value = "inside",
        hide_default_value = true,
        add = ArgValueCompleter::new(complete::engines)
    )]
    engine: String,
}

/// The engine to search with, and the number of searches at once.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    engine: EngineArg,
    /// Number of searches at once, each with its own thread or process [default: one per core]
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
}

impl EngineArg {
    /// The engine that was asked for.
    pub(crate) fn choice(&self) -> Result<EngineChoice, Failure> {
        choose(&self.engine)
    }
}

impl EngineArgs {
    /// The engine that was asked for.
    pub(crate) fn choice(&self) -> Result<EngineChoice, Failure> {
        self.engine.choice()
    }

    /// The engine that was asked for, if it plays shogi.
    pub(crate) fn for_shogi(&self) -> Result<Option<Outside>, Failure> {
        Ok(match of_any_game(&self.engine.engine)? {
            EngineChoice::Outside(outside) => Some(outside).filter(|it| it.protocol.is_for_shogi()),
            EngineChoice::Inside => None,
        })
    }

    /// The number of searches at once.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(cores)
    }
}

/// The number of cores.
pub(crate) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
