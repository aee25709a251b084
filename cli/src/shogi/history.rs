//! `obook shogi history`.

use crate::commands::history::{Form, tell};
use crate::prelude::*;

/// List the changes that were made to a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi history book.obook\n  \
    obook shogi history book.obook --json")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    #[command(flatten)]
    form: Form,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = super::open(&arguments.book, &context::quiet())?;
    tell(&store.history()?, &arguments.form)
}
