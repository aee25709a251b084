//! Engines outside: processes that obook talks to.

mod dialogue;
mod edax_book;
mod egaroucid;
mod nboard;
mod process;
mod searcher;
mod talk;
#[cfg(feature = "shogi")]
mod usi;

pub use process::{kill_engines, on_silence};
pub(crate) use searcher::Talking;
#[cfg(feature = "shogi")]
pub use usi::{DEEPEST, Go, ParseGoError, ShogiAnswer, ShogiSearcher};

use obook_othello::{Engine, Move};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;
use thiserror::Error;

/// An engine that runs as a process: how to start it and how to talk to it.
///
/// Node limits don't apply to it. Every answer is checked. If the process hangs or dies, or answers with an illegal or
/// excluded move or an impossible score or depth, it's restarted and asked once more. If that fails too, the search ends
/// with an error that says what happened, and the next search starts afresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The engine's name, as people know it.
    pub name: String,
    /// The protocol it speaks.
    pub protocol: Protocol,
    /// The program: a name to find as a shell would, or a path, which may be relative to `folder`.
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The folder to run it in, where its own files are. Defaults to the current folder.
    pub folder: Option<PathBuf>,
    /// The engine as which its searches are stored, on whose scale its levels are. Books of shogi don't tell engines apart.
    pub engine: Engine,
    /// The values of its options, by their names: only USI has them.
    pub options: BTreeMap<String, String>,
    /// How long to wait for an answer before the process counts as hung.
    pub patience: Duration,
}

impl Outside {
    /// The default for how long to wait for an answer.
    pub const PATIENCE: Duration = Duration::from_secs(3600);

    /// The program to pass to the system: a path such as `./edax` is relative to the folder it will run in.
    fn executable(&self) -> PathBuf {
        let is_name = self.program.parent() == Some(Path::new(""));
        match &self.folder {
            Some(folder) if !is_name => {
                let path = folder.join(&self.program);
                // Systems differ: some resolve a relative path from here, others from the new folder.
                std::path::absolute(&path).unwrap_or(path)
            }
            _ => self.program.clone(),
        }
    }
}

obook_base::named! {
    /// The protocol that an engine outside speaks.
    ///
    /// ```
    /// use obook_engine::Protocol;
    /// assert_eq!(Protocol::from_name("nboard"), Some(Protocol::NBoard));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Protocol {
        /// The NBoard protocol, which Edax, ntest and others speak.
        NBoard = "nboard",
        /// Egaroucid's console.
        Egaroucid = "egaroucid",
        /// Edax's console, which loads small books and deepens them.
        EdaxBook = "edax-book",
        /// USI, which engines for shogi speak.
        Usi = "usi",
    }
}

impl Protocol {
    /// Returns the protocol with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether it is for shogi. All others are for Othello.
    #[must_use]
    pub const fn is_for_shogi(self) -> bool {
        matches!(self, Protocol::Usi)
    }

    /// The engine whose scale levels are on by default. Shogi has no levels.
    #[must_use]
    pub const fn scale(self) -> Engine {
        match self {
            Protocol::NBoard | Protocol::EdaxBook | Protocol::Usi => Engine::Edax,
            Protocol::Egaroucid => Engine::Egaroucid,
        }
    }
}

/// An error of an outside engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It didn't answer in time.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// It ended, or closed its output.
    #[error("it ended{}", .0.map(|status| format!(", {status}")).unwrap_or_default())]
    Ended(Option<ExitStatus>),
    /// It wrote output without end.
    #[error("it writes more than any answer needs")]
    Endless,
    /// It wrote something that isn't an answer.
    #[error("expected {expected}, found “{found}”")]
    NoAnswer {
        /// The answer that the protocol has here.
        expected: &'static str,
        /// The engine's answer.
        found: String,
    },
    /// It answered from its own opening book.
    #[error("it answers from its own opening book, which must be turned off: “{0}”")]
    FromBook(String),
    /// It answered with an illegal move.
    #[error("it answers {0}, which is not legal")]
    Illegal(String),
    /// It has no such option: the name of that one, and the names of those that it has.
    #[error("it has no option {0}")]
    NoOption(String),
    /// It answered with an excluded move.
    #[error("it answers {0}, which was left out")]
    LeftOut(Move),
    /// It answered with a score that no game can have.
    #[error("it answers a score of {0}")]
    Score(i32),
    /// It answered with a depth that no search can have.
    #[error("it answers a depth of {0}")]
    Depth(u32),
    /// A file sent to it or received from it can't be written or read.
    #[error("{0}")]
    File(String),
}

/// Why there is no answer.
#[derive(Debug, Error)]
enum Failed {
    /// A limit ended the search.
    #[error("a limit ended the search")]
    Stopped,
    /// The engine did something wrong.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}
