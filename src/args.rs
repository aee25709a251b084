//! The command line: which commands there are.

use crate::commands::{
    accuracy, check, compact, completions, convert, depth, diff, edit, engines, export, extract,
    fix, frontier, games, hint, history, import, info, learn, level, line, link, man, merge,
    negamax, plot, prune, query, rate, redo, reduce, restore, salvage, search, shell, show,
    snapshot, solve, stats, subtree, tasks, undo, verify, why, work, worst,
};
use crate::failure::Failure;
use crate::words::say;
use clap::{CommandFactory, Parser, Subcommand};
use obook_book::set_busy_timeout;
use std::time::Duration;

/// Othello opening books as a SQLite database
#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How long to wait if another process is writing to the same database
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 60,
        help_heading = "Global options"
    )]
    wait: u64,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(import::Arguments),
    Export(export::Arguments),
    Convert(convert::Arguments),
    Info(info::Arguments),
    Stats(stats::Arguments),
    Show(show::Arguments),
    Line(line::Arguments),
    Why(why::Arguments),
    Accuracy(accuracy::Arguments),
    Frontier(frontier::Arguments),
    Worst(worst::Arguments),
    Hint(hint::Arguments),
    Solve(solve::Arguments),
    Check(check::Arguments),
    Engines(engines::Arguments),
    Games(games::Arguments),
    Rate(rate::Arguments),
    Extract(extract::Arguments),
    Link(link::Arguments),
    Negamax(negamax::Arguments),
    Fix(fix::Arguments),
    Merge(merge::Arguments),
    Edit(edit::Arguments),
    Search(search::Arguments),
    Learn(Box<learn::Arguments>),
    Tasks(tasks::Arguments),
    Work(work::Arguments),
    Query(query::Arguments),
    Shell(shell::Arguments),
    Plot(plot::Arguments),
    Verify(verify::Arguments),
    Diff(diff::Arguments),
    Prune(prune::Arguments),
    Subtree(subtree::Arguments),
    Reduce(reduce::Arguments),
    Depth(depth::Arguments),
    Level(level::Arguments),
    Completions(completions::Arguments),
    History(history::Arguments),
    Undo(undo::Arguments),
    Redo(redo::Arguments),
    Compact(compact::Arguments),
    Snapshot(snapshot::Arguments),
    Restore(restore::Arguments),
    Salvage(salvage::Arguments),
    Man(man::Arguments),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        set_busy_timeout(Duration::from_secs(self.wait), |sentence| {
            say(format_args!("obook: {sentence}"));
        });
        match self.command {
            Command::Import(arguments) => import::run(&arguments),
            Command::Export(arguments) => export::run(&arguments),
            Command::Convert(arguments) => convert::run(&arguments),
            Command::Info(arguments) => info::run(&arguments),
            Command::Stats(arguments) => stats::run(&arguments),
            Command::Show(arguments) => show::run(&arguments),
            Command::Line(arguments) => line::run(&arguments),
            Command::Why(arguments) => why::run(&arguments),
            Command::Accuracy(arguments) => accuracy::run(&arguments),
            Command::Frontier(arguments) => frontier::run(&arguments),
            Command::Worst(arguments) => worst::run(&arguments),
            Command::Hint(arguments) => hint::run(&arguments),
            Command::Solve(arguments) => solve::run(&arguments),
            Command::Check(arguments) => check::run(&arguments),
            Command::Engines(arguments) => engines::run(&arguments),
            Command::Games(arguments) => games::run(&arguments),
            Command::Rate(arguments) => rate::run(&arguments),
            Command::Extract(arguments) => extract::run(&arguments),
            Command::Link(arguments) => link::run(&arguments),
            Command::Negamax(arguments) => negamax::run(&arguments),
            Command::Fix(arguments) => fix::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Edit(arguments) => edit::run(&arguments),
            Command::Search(arguments) => search::run(&arguments),
            Command::Learn(arguments) => learn::run(&arguments),
            Command::Tasks(arguments) => tasks::run(&arguments),
            Command::Work(arguments) => work::run(&arguments),
            Command::Query(arguments) => query::run(&arguments),
            Command::Shell(arguments) => shell::run(&arguments),
            Command::Plot(arguments) => plot::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments),
            Command::Diff(arguments) => diff::run(&arguments),
            Command::Prune(arguments) => prune::run(&arguments),
            Command::Subtree(arguments) => subtree::run(&arguments),
            Command::Reduce(arguments) => reduce::run(&arguments),
            Command::Depth(arguments) => depth::run(&arguments),
            Command::Level(arguments) => level::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments, Cli::command()),
            Command::History(arguments) => history::run(&arguments),
            Command::Undo(arguments) => undo::run(&arguments),
            Command::Redo(arguments) => redo::run(&arguments),
            Command::Compact(arguments) => compact::run(&arguments),
            Command::Snapshot(arguments) => snapshot::run(&arguments),
            Command::Restore(arguments) => restore::run(&arguments),
            Command::Salvage(arguments) => salvage::run(&arguments),
            Command::Man(arguments) => man::run(&arguments, Cli::command()),
        }
    }
}
