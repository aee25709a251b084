//! `obook site`: a book as a folder for a web server.

use crate::context;
use crate::failure::Failure;
use crate::output::account;
use crate::words::count;
use obook_explorer::{SiteOptions, write_site};
use std::path::PathBuf;

/// Write a book as a folder of web pages, which needs no server of obook
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook site book.obook club                              opens in a browser: club/index.html\n  \
    obook site book.obook club --plies 20 --min-games 50    only what was played often\n\n\
    The folder has the board with its values, the trainer and the book page of `obook serve`, without SQL, searches and lists of \
    games. Any web host can serve it. It has at most 50 000 positions. It doesn't tell where the book is on your disk, nor the \
    history. FOLDER must be new or empty, and appears when it is complete.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    /// The folder to write
    folder: PathBuf,
    /// Number of moves from the start, counted in discs
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: u8,
    /// Only positions through which at least this many games went
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_games: u64,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = SiteOptions {
        plies: arguments.plies.into(),
        min_games: arguments.min_games,
    };
    let folder = &arguments.folder;
    let context = context::shown();
    let site = write_site(&arguments.book, folder, &options, &context)?;
    drop(context);
    account(&site, arguments.json, |site, out| {
        let positions = count(site.positions as u64, "position", "positions");
        let files = count(site.files as u64, "file", "files");
        let kilobytes = site.bytes / 1000;
        let index = folder.join("index.html");
        Ok(writeln!(
            out,
            "{positions} in {files}, {kilobytes} kB: open {}",
            index.display()
        )?)
    })
}
