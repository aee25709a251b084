//! Where words go: data on standard output, everything else on standard error.

use crate::commands::query::Problem;
use obook_book::Error;
use std::io::{self, BufWriter, Write};

/// What ends a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command failed.
    #[error(transparent)]
    Command(#[from] Error),
    /// Standard output can't be written.
    #[error("can't write to standard output: {0}")]
    Output(#[from] io::Error),
    /// SQL was refused or failed.
    #[error(transparent)]
    Sql(Box<Problem>),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The command worked, and what it found and has said makes the exit status 1.
    #[error("see standard output")]
    Told,
    /// The command failed, and 1 is the exit status of something else.
    #[error(transparent)]
    Trouble(Error),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        // It is much larger than the others, and every command may return a failure.
        Failure::Sql(Box::new(problem))
    }
}

/// Standard output, buffered.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Gives a command's answer on standard output: as JSON, or as `describe` puts it for people.
pub(crate) fn answer<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let out = &mut stdout();
    if json {
        write_json(out, value)?;
    } else {
        describe(value, out)?;
    }
    Ok(out.flush()?)
}

/// Writes one value as JSON, indented, and ends the line.
pub(crate) fn write_json(
    out: &mut dyn Write,
    value: &impl serde::Serialize,
) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
