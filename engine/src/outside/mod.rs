//! Engines outside: processes that are spoken to.

mod protocol;

pub use protocol::Protocol;

use crate::{SearchError, Searcher};
use obook_converters::Engine;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// An engine that is a process: how it is started, and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// What people call it.
    pub name: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The program: found as a shell finds it, or by its path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs, and where its own files are; the current folder, if not given.
    pub folder: Option<PathBuf>,
    /// On whose scale its levels are.
    pub scale: Engine,
    /// How long one answer may take before the process counts as hanging.
    pub patience: Duration,
}

impl Outside {
    /// How long an answer may take where nothing else is said: a deep search takes hours on some machines.
    pub const PATIENCE: Duration = Duration::from_secs(24 * 3600);

    /// A process of its own.
    pub(crate) fn start(&self) -> Result<Box<dyn Searcher>, SearchError> {
        Err(SearchError::NotStarted {
            engine: self.name.clone(),
            program: self.program.clone(),
            source: io::Error::from(io::ErrorKind::Unsupported),
        })
    }
}
