//! `obook stats`: positions by empty squares and by score.

use crate::prelude::*;
use obook::read::stats::Summary;

/// Count positions by empty squares and by score
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  obook stats book.obook\n  obook stats book.egbk3 --json")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let summary = summarize(
        &Book::open(&arguments.book, &context::quiet())?,
        arguments.memory,
    )?;
    answer(&summary, arguments.json, describe)
}

fn describe(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Stage distribution:")?;
    writeln!(
        out,
        "stage    positions        links       leaves      terminal nodes"
    )?;
    for (stage, counts) in &summary.stages {
        writeln!(
            out,
            "{stage:5} {:12} {:12} {:12} {:12}",
            counts.positions, counts.links, counts.leaves, counts.terminal
        )?;
    }
    writeln!(out, "\nBest score distribution:")?;
    writeln!(out, "score    positions")?;
    for (value, positions) in &summary.values {
        writeln!(out, "{value:+5} {positions:12}")?;
    }
    let without = summary.positions - summary.values.values().sum::<u64>();
    if without > 0 {
        writeln!(out, " none {without:12}")?;
    }
    Ok(())
}

/// Counts all positions, with progress.
pub(crate) fn summarize(book: &Book, memory: Memory) -> Result<Summary, Failure> {
    let context = memory.context();
    let progress = context.progress();
    progress.step("reading", book.len_hint()?);
    let mut summary = Summary::default();
    book.each_position(&context, |position| {
        progress.advance(1);
        summary.add(&position);
        Ok(())
    })?;
    Ok(summary)
}
