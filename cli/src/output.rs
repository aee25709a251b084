//! Standard output, to which data goes; everything else goes to standard error.

use crate::failure::Failure;
use crate::words::{ForPeople, say};
use obook_store::Output;
use std::io::{self, BufWriter, Write};

/// Standard output, buffered.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes a command's answer to standard output, as JSON or in the words of `describe`.
pub(crate) fn answer<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let out = &mut stdout();
    if json {
        write_json(out, value)?;
    } else {
        describe(value, &mut ForPeople(&mut *out))?;
    }
    Ok(out.flush()?)
}

/// Like [`answer`], for a change that has been made.
pub(crate) fn account<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    stands(answer(value, json, describe))
}

/// Writes a report about a book that goes to `output`: to standard error if the book itself goes to standard output.
pub(crate) fn report_on(
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match output {
        Output::File(..) => {
            let out = &mut stdout();
            stands(write(out).and_then(|()| Ok(out.flush()?)))
        }
        Output::Stdout => stands(write(&mut io::stderr().lock())),
    }
}

/// Turns a failure to report a finished change into a warning. As an error it would look as if the change had failed, and
/// someone might repeat an undo, for example.
pub(crate) fn stands(reported: Result<(), Failure>) -> Result<(), Failure> {
    match reported {
        Err(failure @ Failure::Output(_)) => {
            unreported(&failure);
            Ok(())
        }
        other => other,
    }
}

/// Warns that a finished change can't be reported, unless nobody reads the report.
pub(crate) fn unreported(failure: &Failure) {
    if !failure.is_closed_pipe() {
        say(format_args!(
            "obook: the command worked, but the report failed: {failure}"
        ));
    }
}

/// Writes a value to standard output as a line of JSON, and flushes it so that readers can follow.
pub(crate) fn write_json_line(value: &impl serde::Serialize) -> io::Result<()> {
    let out = &mut stdout();
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Writes a value as indented JSON, with a line end.
pub(crate) fn write_json(
    out: &mut dyn Write,
    value: &impl serde::Serialize,
) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
