//! `obook site`: a book as a folder for a web server.

pub(crate) use crate::explorer::site as run;
use crate::prelude::*;

/// Write a book as a folder of web pages that need no server
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook site book.obook club                              opens in a browser: club/index.html\n  \
    obook site book.obook club --plies 20 --min-games 50    only what was played often\n  \
    obook site book.obook club --repertoire                 only your own lines\n\n\
    The folder has the board with its values, the trainer and the book page of `obook serve`, without SQL, searches and lists of \
    games. Any web host can serve it. It has at most 50 000 positions. It shows neither the book's place on your disk nor its \
    history. FOLDER must be new, empty or, with --force, a site; it appears when it is \
    complete.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    pub(crate) book: PathBuf,
    /// The folder to write
    pub(crate) folder: PathBuf,
    /// Number of moves from the start, counted in discs
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u8).range(0..=60))]
    pub(crate) plies: u8,
    /// Only positions through which at least this many games went
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) min_games: u64,
    /// Only the lines whose moves are marked as yours, with the notes (see `obook serve --write`)
    #[arg(long, conflicts_with_all = ["plies", "min_games"])]
    pub(crate) repertoire: bool,
    #[command(flatten)]
    pub(crate) force: Force,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}
