//! Where words go: data on standard output, everything else on standard error.

use crate::failure::Failure;
use crate::words::{ForPeople, say};
use std::io::{self, BufWriter, Write};

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
        describe(value, &mut ForPeople(&mut *out))?;
    }
    Ok(out.flush()?)
}

/// As [`answer`], of something that is done.
pub(crate) fn account<T: serde::Serialize>(
    value: &T,
    json: bool,
    describe: impl FnOnce(&T, &mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    stands(answer(value, json, describe))
}

/// What is done stands, though standard output may not take the report: who took that for a failure would do it again, and
/// undo another change, say.
pub(crate) fn stands(reported: Result<(), Failure>) -> Result<(), Failure> {
    match reported {
        Err(failure @ Failure::Output(_)) if !failure.is_closed_pipe() => {
            say(format_args!(
                "obook: it is done, but not reported: {failure}"
            ));
            Ok(())
        }
        other => other,
    }
}

/// Writes one value as a line of JSON to standard output, at once: whoever follows the work sees it.
pub(crate) fn write_json_line(value: &impl serde::Serialize) -> io::Result<()> {
    let out = &mut stdout();
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Writes one value as JSON, indented, and ends the line.
pub(crate) fn write_json(
    out: &mut dyn Write,
    value: &impl serde::Serialize,
) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
