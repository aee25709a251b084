//! How a command can fail, and which exit status that gives.

use crate::advice::{on_learning, on_search, sentence};
use crate::sql::Problem;
use crate::words::Teller;
use obook_games::names::TypedError;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The reason why a command ends early or with a status other than 0.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command failed.
    #[error("{}", sentence(.0))]
    Command(#[from] obook::Error),
    /// Another reason, in a sentence.
    #[error("{0}")]
    Other(String),
    /// The moves that were typed make no line.
    #[error("{what}{0}", what = match .0 {
        TypedError::Line(_) => "the moves make no line: ",
        TypedError::Name(_) => "",
    })]
    Moves(#[from] TypedError),
    /// The same for shogi.
    #[error("{0}")]
    Shogi(#[from] obook_shogi::ReadError),
    /// Standard output can't be written.
    #[error("can't write to standard output: {0}")]
    Output(#[from] io::Error),
    /// An engine gave no answer.
    #[error("{}", on_search(.0))]
    Search(#[from] obook_engine::SearchError),
    /// Machines can't work together over NATS.
    #[cfg(feature = "nats")]
    #[error(transparent)]
    Machines(#[from] obook_learn::nats::Error),
    /// SQL was refused or failed.
    #[error(transparent)]
    Sql(#[from] Problem),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The command worked; what it found and reported makes the exit status 1.
    #[error("see standard output")]
    Told,
    /// The command failed, and exit status 1 already means something else.
    #[error(transparent)]
    Trouble(Box<Failure>),
}

/// Whether a file couldn't be read while others were.
static HAS_UNREAD: AtomicBool = AtomicBool::new(false);

/// Whether a file couldn't be read while others were: then the exit status is 1.
pub(crate) fn has_unread() -> bool {
    HAS_UNREAD.load(Ordering::Relaxed)
}

/// Passes on all that can be read, and only reports the errors of single files. If nothing can be read, the last error is passed on.
pub(crate) fn legible<T, E: Into<Failure>>(
    mut all: impl Iterator<Item = Result<T, E>>,
) -> impl Iterator<Item = Result<T, E>> {
    let tell = |teller: &Teller, error: Option<E>| {
        if let Some(error) = error {
            HAS_UNREAD.store(true, Ordering::Relaxed);
            teller.tell(error.into());
        }
    };
    let (mut is_any_read, mut last, mut teller) = (false, None, Teller::default());
    std::iter::from_fn(move || {
        loop {
            match all.next() {
                Some(Ok(item)) => {
                    is_any_read = true;
                    tell(&teller, last.take());
                    return Some(Ok(item));
                }
                Some(Err(error)) => tell(&teller, last.replace(error)),
                None => {
                    tell(&teller, last.take_if(|_| is_any_read));
                    std::mem::take(&mut teller).finish();
                    return last.take().map(Err);
                }
            }
        }
    })
}

impl Failure {
    /// The file at `path` doesn't suit the argument that names it.
    pub(crate) fn file(path: &Path, problem: impl Display) -> Failure {
        Failure::Other(format!("{}: {problem}", path.display()))
    }

    /// Gives another exit status than that of a report that says 1.
    pub(crate) fn apart(self) -> Failure {
        match self {
            Failure::Told | Failure::Interrupted => self,
            failure => Failure::Trouble(Box::new(failure)),
        }
    }

    /// Gives exit status 1 if a report says so.
    pub(crate) fn told_if(is_status_1: bool) -> Result<(), Failure> {
        match is_status_1 {
            true => Err(Failure::Told),
            false => Ok(()),
        }
    }

    /// Whether the reader has closed the output.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let first: &(dyn Error + 'static) = self;
        let causes = std::iter::successors(Some(first), |&error| error.source());
        let mut of_system = causes.filter_map(|error| error.downcast_ref::<io::Error>());
        of_system.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<obook::StoreError> for Failure {
    fn from(error: obook::StoreError) -> Failure {
        Failure::Command(error.into())
    }
}

impl From<obook_learn::Error> for Failure {
    fn from(error: obook_learn::Error) -> Failure {
        match error {
            obook_learn::Error::Book(error) => error.into(),
            obook_learn::Error::Engine(error) => error.into(),
            obook_learn::Error::Broken { source, .. } => (*source).into(),
            // Searches that don't reach standard output are not leased.
            obook_learn::Error::HandOut(error) => Failure::Other(format!(
                "can't write the searches to standard output: {error}; none of them is handed out"
            )),
            other => Failure::Other(on_learning(&other)),
        }
    }
}
