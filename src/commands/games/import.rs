//! `obook games import`: games from files to a database.

use crate::context;
use crate::failure::Failure;
use crate::options::games::entries;
use crate::output::account;
use crate::words::{count, say};
use obook_book::games::{Imported, import_at};
use obook_games::{Entry, Reader};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Import games into a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games import wthor/*.wtb --book games.obook\n  \
    obook games import my-games.ggf --book book.obook\n  \
    obook games import transcripts.txt --book games.obook --strict\n\n\
    Formats are WTHOR (.wtb, with the names in the .jou and .trn files beside it), GGF, SGF, PGN and plain transcripts; they are \
    recognised by their contents, and may be compressed with zstd. Games that the database already has are skipped, but if they had \
    only the numbers of their players, they get the names: import the files again once you have their lists. If a record is \
    faulty (an illegal move, a result that contradicts the discs, an early end), the fault is reported and the rest of the \
    game is imported; --strict skips the game.")]
pub(crate) struct Arguments {
    /// Files with games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The database; created if it doesn't exist
    #[arg(long, value_name = "BOOK")]
    book: PathBuf,
    /// Skip games with faulty records
    #[arg(long)]
    strict: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The number of faulty records to report one by one; the rest are only counted.
const TOLD: u64 = 10;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    imported: Imported,
    /// Games with faulty records.
    faulty: u64,
    /// Whether they were skipped.
    strict: bool,
    /// WTHOR files without a list of players, whose players got numbers as names.
    without_names: Vec<PathBuf>,
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
    let context = context::shown();
    let imported = import_at(&arguments.book, entries, &context)?;
    let untold = faulty.load(Ordering::Relaxed).saturating_sub(TOLD);
    if untold > 0 {
        say(format_args!("obook: and {untold} more"));
    }
    let report = Report {
        imported,
        faulty: faulty.into_inner(),
        strict,
        without_names: arguments
            .files
            .iter()
            .filter(lacks_names)
            .cloned()
            .collect(),
    };
    account(&report, arguments.json, |report, out| {
        Ok(describe(report, out)?)
    })
}

/// Whether the names of players are not beside a WTHOR file.
fn lacks_names(file: &&PathBuf) -> bool {
    Reader::open(file).is_ok_and(|reader| reader.lacks_names())
}

/// Reports the faults of a record.
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
        named_players,
        named_games,
    } = report.imported;
    writeln!(
        out,
        "{} with {} imported; {}, {}",
        count(added, "game", "games"),
        count(positions, "position", "positions"),
        count(players, "new player", "new players"),
        count(tournaments, "new tournament", "new tournaments"),
    )?;
    if read > added {
        let known = count(read - added, "game was", "games were");
        writeln!(out, "{known} already there")?;
    }
    if named_games > 0 {
        write!(out, "{}", count(named_games, "game", "games"))?;
        // Perhaps only their tournaments.
        if named_players > 0 {
            write!(out, " of {}", count(named_players, "player", "players"))?;
        }
        writeln!(out, " got names instead of numbers")?;
    }
    let numbered = report.without_names.iter().filter(|_| added > 0);
    for file in numbered {
        let file = file.display();
        writeln!(
            out,
            "{file}: players have numbers as names, because no list of players (.jou) is beside it"
        )?;
    }
    match (report.faulty, report.strict) {
        (0, _) => Ok(()),
        (faulty, true) => writeln!(
            out,
            "{} skipped",
            count(
                faulty,
                "game with a faulty record was",
                "games with faulty records were"
            )
        ),
        (faulty, false) => writeln!(
            out,
            "{}; everything else was imported",
            count(
                faulty,
                "game has a faulty record",
                "games have faulty records"
            )
        ),
    }
}
