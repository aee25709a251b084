//! `obook show`: a position with its moves and scores.

use crate::prelude::*;
use obook::read::view::View;
use obook_sql::answers::Screen;

/// Draw a position with its moves, scores and games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook show book.obook            the start position\n  \
    obook show book.dat f5d6c3       after these moves, upper or lower case\n  \
    obook show book.dat 00000008100000000000001008000000\n  \
    obook show book.dat tiger        an opening, by its English or Japanese name\n  \
    obook show book.dat f5d6 --json\n\n\
    [f5:+2] leads to a position of the book, <f6:+0> out of it. Scores are for the side to move. If the database has games, each \
    move has a row with its games, the share that its side won, drew and lost, and the mean result in discs; moves of games that \
    the book lacks follow.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    at: BookAndLine,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, line) = arguments.at.read()?;
    let view = View::with_games(&Book::open(&book, &context::quiet())?, line)?;
    answer(&view, arguments.json, |view, out| {
        match Screen::of_stdout() {
            Some(Screen { columns, .. }) => write!(out, "{view:.columns$}"),
            None => write!(out, "{view}"),
        }
    })
}
