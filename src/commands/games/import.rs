//! `obook games import`: games into a database.

use crate::failure::Failure;
use crate::options::games::entries;
use crate::output::account;
use crate::progress;
use crate::typed::this_command;
use crate::words::say;
use obook_book::games::{Imported, import};
use obook_games::Entry;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Take games into a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games import wthor/*.wtb --book games.obook\n  \
    obook games import my-games.ggf --book book.obook\n  \
    obook games import transcripts.txt --book games.obook --strict\n\n\
    Read are WTHOR (.wtb, with the names in the .jou and .trn files beside it), GGF, SGF, PGN and plain transcripts, found by their \
    contents, also compressed with zstd. A game that the database has already does not come in again. Of a game that \
    does not hold what its record says (an illegal move, a result that the discs contradict, an early end) what is right is \
    kept and the rest reported; --strict leaves it out.")]
pub(crate) struct Arguments {
    /// Files with games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The database, which is made where there is none
    #[arg(long, value_name = "BOOK")]
    book: PathBuf,
    /// Leave games out whose records are wrong in any way
    #[arg(long)]
    strict: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// So many records that are wrong are told of, each in a line; the rest are counted.
const TOLD: u64 = 10;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    imported: Imported,
    /// Games whose records are wrong in some way.
    faulty: u64,
    /// Whether they were left out.
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let faulty = AtomicU64::new(0);
    let strict = arguments.strict;
    let entries = entries(&arguments.files).filter_map(|entry| match entry {
        Ok(entry) => {
            let is_faulty = !entry.faults.is_empty();
            if is_faulty && faulty.fetch_add(1, Ordering::Relaxed) < TOLD {
                tell(&entry);
            }
            (!(is_faulty && strict)).then_some(Ok(entry))
        }
        failed => Some(failed),
    });
    let progress = progress::on_terminal();
    let imported = import(&arguments.book, entries, &this_command(), &progress)?;
    let report = Report {
        imported,
        faulty: faulty.into_inner(),
        strict,
    };
    account(&report, arguments.json, |report, out| {
        Ok(describe(report, out)?)
    })
}

/// Says what is wrong with a record.
fn tell(entry: &Entry) {
    let faults: Vec<String> = entry.faults.iter().map(ToString::to_string).collect();
    say(format_args!(
        "obook: {}: {}",
        entry.place,
        faults.join("; ")
    ));
}

fn describe(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Imported {
        read,
        added,
        positions,
        players,
        tournaments,
    } = report.imported;
    writeln!(
        out,
        "{added} games with {positions} positions taken in; new are {players} players and {tournaments} tournaments"
    )?;
    if read > added {
        writeln!(out, "{} games were there already", read - added)?;
    }
    match (report.faulty, report.strict) {
        (0, _) => Ok(()),
        (faulty, true) => writeln!(out, "{faulty} games were left out: their records are wrong"),
        (faulty, false) => writeln!(
            out,
            "{faulty} games have records that are wrong somewhere; what is right of them was taken in"
        ),
    }
}
