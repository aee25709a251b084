//! `obook shogi verify`.

use crate::prelude::*;
use obook_shogi::database::verify::verify;

/// Find everything that would make an engine or a query stumble
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi verify book.obook\n  \
    obook shogi verify user_book1.db --json\n\n\
    Of a database: rows that belong to no position, moves that aren't legal or lead nowhere, and, after `obook fix`, values that \
    aren't own scores. Of a file: records that can't be read, moves that aren't legal, and positions out of order. The exit status is \
    1 if there is anything.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let findings = verify(&arguments.book, &arguments.memory.context())?;
    let is_wrong = !findings.is_empty();
    verdict(&findings, arguments.json, is_wrong, |findings, out| {
        if findings.is_empty() {
            writeln!(out, "nothing is wrong")?;
        }
        for finding in findings {
            let next = match finding.is_unsorted {
                true => "; `obook convert` sorts them",
                false => "",
            };
            writeln!(out, "{}: {}{next}", finding.place, finding.problem)?;
        }
        Ok(())
    })
}
