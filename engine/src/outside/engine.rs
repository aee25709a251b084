//! An engine outside: how it is started, and how it is spoken to.

use super::protocol::Protocol;
use obook_model::Engine;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An engine that is a process: how it is started, and how it is spoken to.
///
/// It has no limit of nodes. Each answer is checked: a process that hangs, dies, or answers a move that is illegal or
/// left out, or a score or depth that can't be, is started anew and asked once more; then the position is given up, with
/// an error that says what happened, and the next one is searched as if nothing had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// What people call it.
    pub name: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The program: a name, found as a shell finds it, or a path, which may start at the folder.
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
    /// How long an answer may take where nothing else is said.
    pub const PATIENCE: Duration = Duration::from_secs(3600);

    /// The program as the system is told it: a path such as `./edax` is one of the folder where it is to run.
    pub(super) fn executable(&self) -> PathBuf {
        let is_name = self.program.parent() == Some(Path::new(""));
        match &self.folder {
            Some(folder) if !is_name => {
                let path = folder.join(&self.program);
                // The system may look for it from here, or from the folder itself.
                std::path::absolute(&path).unwrap_or(path)
            }
            _ => self.program.clone(),
        }
    }
}
