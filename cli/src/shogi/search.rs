//! `obook shogi search`.

use super::learn::{GoArgs, effort, for_shogi};
use super::line;
use crate::commands::learn::{describe_doubtful, describe_failures, ended};
use crate::interrupt;
use crate::options::server::LearnArgs;
use crate::output::{tell_end, tell_progress};
use crate::prelude::*;
use obook_learn::shogi::{Choice, Grown, Standing, search};

/// Search what a book lacks: moves of positions, and scores of moves
#[derive(Debug, clap::Args)]
#[command(mut_arg("nats", for_shogi))]
#[command(after_help = "Examples:\n  \
    obook shogi search book.obook --engine yaneuraou --go 'nodes 1000000'\n  \
    obook shogi search book.obook --engine 'usi:./YaneuraOu' --go 'depth 20' --moves 5 --time 8h\n  \
    obook shogi search book.obook --engine yaneuraou --go 'nodes 1000000' --where 'best IS NULL'\n\n\
    A position lacks moves if all its moves lead to positions of the book; --moves says how many more are searched for. A move out of \
    the book lacks a score if files list it without one; the position after it is searched. Answers go in every few seconds, as moves with \
    scores and depths; at the end the book is fixed. `obook undo` undoes the whole run. Ctrl-C ends the run and keeps the answers; run \
    the same command to continue. The exit status is 1 if searches failed or are left.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    #[command(flatten)]
    go: GoArgs,
    /// Only positions that meet this SQL condition on the columns of table positions
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,
    /// Only the position after these moves, such as '7g7f 3c3d', or a position in SFEN, and what it leads to
    #[arg(long, value_name = "MOVES")]
    from: Option<String>,
    #[command(flatten)]
    nats: Box<LearnArgs>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { go, nats, .. } = arguments;
    let engine = go.engine(nats)?;
    let mut options = go.options();
    let from = arguments.from.as_ref();
    let from = from.map(|moves| line(std::slice::from_ref(moves)));
    let choice = Choice {
        condition: arguments.condition.clone(),
        from: from.transpose()?,
    };
    options.stop = interrupt::stop();
    let json = go.json;
    let mut tell = tell_progress::<Standing>(json);
    let mut store = super::open_for_writing(&arguments.book, &context::shown())?;
    let book = &arguments.book;
    let mut hire = || go.hire(nats, book, engine.as_ref(), &options.stop);
    let searched = search(&mut store, &choice, &options, &mut hire, &mut tell)?;
    tell_end(&searched, json, |it, out| describe(book, it, out))?;
    let standing = &searched.standing;
    let is_complete = standing.totals.failed + standing.left == 0;
    ended(searched.stopped, is_complete)
}

fn describe(book: &Path, searched: &Grown, out: &mut dyn Write) -> io::Result<()> {
    let standing = &searched.standing;
    let moves = count(standing.totals.moves, "move[|s]");
    writeln!(out, "{}: {moves}", effort(searched))?;
    describe_failures(standing.totals.failed, "", &searched.failures, out)?;
    describe_doubtful(&searched.doubtful, book, out)?;
    let left = "search[|es] [is|are] left: run the same command to continue";
    if_any(standing.left, left, out)
}
