//! The report of an export: what was written, and what was lost.

use super::imported::describe_duplicates;
use crate::advice::on_losses;
use crate::failure::Failure;
use crate::output::{stands, stdout, write_json};
use crate::words::{ForPeople, say};
use obook_book::write::export::{Exported, Output};
use std::io::Write;
use std::path::Path;

/// Reports what was written to `output`.
pub(crate) fn tell(exported: &Exported, output: &Output, json: bool) -> Result<(), Failure> {
    // If standard output takes the book, the summary goes to standard error.
    match output {
        Output::File(..) => stands(write(&mut stdout(), output, exported, json)),
        Output::Stdout => write(&mut std::io::stderr().lock(), output, exported, json),
    }
}

fn write(out: &mut dyn Write, to: &Output, exported: &Exported, json: bool) -> Result<(), Failure> {
    if json {
        write_json(out, exported)?;
        return Ok(out.flush()?);
    }
    let out = &mut ForPeople(&mut *out);
    let Exported {
        format,
        positions,
        duplicates,
        passes_left_out,
        passes_put_in,
        losses,
    } = exported;
    let name = match to {
        Output::File(path, _) => path,
        Output::Stdout => Path::new("-"),
    };
    write!(out, "{}: {positions} positions as {format}", name.display())?;
    if *passes_left_out > 0 {
        write!(
            out,
            " ({passes_left_out} pass positions left out: this format has none)"
        )?;
    }
    if *passes_put_in > 0 {
        write!(out, " ({passes_put_in} pass positions added)")?;
    }
    writeln!(out)?;
    describe_duplicates(*duplicates, out)?;
    out.flush()?;
    if !losses.is_empty() {
        let lost = losses.to_string().replace('\n', "\n  ");
        say(format_args!("{format} can't hold:\n  {lost}"));
        if let Some(advice) = on_losses(losses) {
            say(format_args!("  {advice}"));
        }
    }
    Ok(())
}
