//! Standard output, to which data goes; everything else goes to standard error.

use crate::failure::Failure;
use crate::words::{ForPeople, say};
use obook_store::Output;
use std::io::{self, BufWriter, Write};

/// Standard output, buffered.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes a text to standard output as it is.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = stdout();
    out.write_all(text.as_ref())?;
    Ok(out.flush()?)
}

/// Writes a command's answer to standard output, as JSON or in the words of `describe`.
pub(crate) fn answer<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let out = &mut stdout();
    write(out, value, json, describe)?;
    Ok(out.flush()?)
}

fn write<T: serde::Serialize>(
    out: &mut dyn Write,
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match json {
        true => {
            serde_json::to_writer_pretty(&mut *out, value)?;
            writeln!(out)
        }
        false => describe(value, &mut ForPeople(out)),
    }
}

/// Like [`answer`], then ends with exit status 1 if `is_status_1`, even if the reader has stopped early.
pub(crate) fn verdict<T: serde::Serialize>(
    value: &T,
    json: bool,
    is_status_1: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    match answer(value, json, describe) {
        Err(failure) if !failure.is_closed_pipe() => Err(failure),
        _ => Failure::told_if(is_status_1),
    }
}

/// Like [`answer`], for a change that has been made.
pub(crate) fn account<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    stands(answer(value, json, describe))
}

/// Like [`account`], for what was written to `output`: on standard error if that is standard output.
pub(crate) fn report_on<T: serde::Serialize>(
    output: &Output,
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    match output {
        Output::File(..) => account(value, json, describe),
        Output::Stdout => {
            let written = write(&mut io::stderr().lock(), value, json, describe);
            stands(written.map_err(Failure::from))
        }
    }
}

/// A line of JSON about a run.
#[derive(serde::Serialize)]
struct Event<'a, T> {
    event: &'static str,
    #[serde(flatten)]
    about: &'a T,
}

/// Tells as lines of JSON how far a run is, if that is asked for. The run continues if the reader has gone away.
pub(crate) fn tell_progress<T: serde::Serialize>(json: bool) -> impl FnMut(&T) {
    let mut is_told = json;
    move |about| is_told = is_told && tell_event("progress", about).is_ok()
}

/// Like [`account`], for the end of a run that told its progress.
pub(crate) fn tell_end<T: serde::Serialize>(
    about: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    match json {
        true => stands(tell_event("end", about).map_err(Failure::from)),
        false => account(about, false, describe),
    }
}

/// Turns a failure to report a finished change into a warning. As an error it would look as if the change had
/// failed, and someone might repeat an undo, for example.
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

/// Writes a line of JSON about a run to standard output, and flushes it so that readers can follow.
pub(crate) fn tell_event<T: serde::Serialize>(event: &'static str, about: &T) -> io::Result<()> {
    let out = &mut stdout();
    serde_json::to_writer(&mut *out, &Event { event, about })?;
    writeln!(out)?;
    out.flush()
}
