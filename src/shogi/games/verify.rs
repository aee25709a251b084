//! `obook shogi games verify`: what is wrong with records.

use super::Teller;
use crate::failure::Failure;
use crate::output::answer;
use crate::words::count;
use obook_shogi::games::Record;
use obook_shogi_book::games::each_record;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Play the games of files, and report what is wrong with their records
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games verify *.csa\n  \
    obook shogi games verify games.kif --json\n\n\
    Every move must be legal. A position that stands for the fourth time ends the game: it is a draw, or a loss for the side that only \
    gave checks, and the record must say so. The exit status is 1 if anything is wrong.")]
pub(crate) struct Arguments {
    /// Files with games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write JSON, with all faults
    #[arg(long)]
    json: bool,
}

/// The results of the records.
#[derive(Default, Serialize)]
struct Report {
    games: u64,
    moves: u64,
    /// Games by how they end.
    endings: BTreeMap<&'static str, u64>,
    faulty: u64,
    faults: Vec<String>,
}

impl Report {
    fn add(&mut self, file: &Path, record: &Record) {
        self.games += 1;
        self.moves += record.game.moves().len() as u64;
        let ending = record.game.end.map_or("not known", |end| end.name());
        *self.endings.entry(ending).or_default() += 1;
        self.faulty += u64::from(!record.faults.is_empty());
        let faults = record.faults.iter();
        self.faults
            .extend(faults.map(|fault| format!("{}: {fault}", file.display())));
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut report = Report::default();
    let mut teller = Teller::default();
    each_record(&arguments.files, |file, record| {
        report.add(file, &record);
        if !record.faults.is_empty() && !arguments.json {
            teller.tell(file, &record);
        }
        Ok(())
    })?;
    teller.finish();
    answer(&report, arguments.json, |report, out| {
        let (games, moves) = (
            count(report.games, "game", "games"),
            count(report.moves, "move", "moves"),
        );
        writeln!(out, "{games}, {moves}")?;
        for (ending, games) in &report.endings {
            writeln!(out, "{games:8}  {ending}")?;
        }
        match report.faulty {
            0 => writeln!(out, "nothing is wrong")?,
            faulty => writeln!(out, "{}", count(faulty, "faulty record", "faulty records"))?,
        }
        Ok(())
    })?;
    match report.faulty {
        0 => Ok(()),
        _ => Err(Failure::Told),
    }
}
