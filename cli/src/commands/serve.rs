//! `obook serve`: books on a board in the browser.

pub(crate) use crate::explorer::serve as run;
use crate::prelude::*;
use std::net::{IpAddr, Ipv4Addr};

/// Show books on a board in the browser
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook serve                               the starter book, which is inside obook\n  \
    obook serve book.obook\n  \
    obook serve book.obook games.obook --port 8080\n  \
    obook serve book.dat                      a book file; it is imported into a temporary database first\n  \
    obook serve book.obook --write            enter values, marks and notes, queue searches, undo\n  \
    obook serve book.obook --address 0.0.0.0  for other machines too\n\n\
    Open the printed address in a browser; Ctrl-C stops the server. Without --write nothing can be written through it. It sees changes \
    by other commands as they happen. Without --address only this machine reaches it. With --write or --address the printed address has \
    a token, which every request needs. Browsers on other machines need this machine's name or own address in it, instead \
    of 0.0.0.0. The connection isn't encrypted, so use another address \
    only in a network that you trust. docs/explorer.md describes the page and its API.")]
pub(crate) struct Arguments {
    /// obook databases or book files [default: the starter book, which is inside obook]
    #[arg(value_name = "BOOK", value_parser = readable())]
    pub(crate) books: Vec<PathBuf>,
    /// Port to listen at [default: 8008, or a free one if it is taken]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Address to listen at
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub(crate) address: IpAddr,
    /// Let the page change the books: enter values, queue searches, undo
    #[arg(long)]
    pub(crate) write: bool,
}
