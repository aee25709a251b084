//! `obook depth`: a book cut at a number of plies.

use crate::prelude::*;
use obook::write::cut::Cut;

/// Cut a book at a number of plies, which becomes its depth
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook depth book.obook 30\n  \
    obook depth book.egbk3 30 --output shallow.egbk3\n\n\
    A removed link becomes the leaf if it beats the leaf, with the level of the position that it led to.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Plies (discs placed) from the start position
    #[arg(value_parser = plies)]
    plies: u8,
}

fn plies(text: &str) -> Result<u8, &'static str> {
    match text.parse() {
        Ok(plies @ 0..=60) => Ok(plies),
        Ok(_) => Err("expected 0 to 60"),
        Err(_) => Err("expected a number, 0 to 60; the book comes before it"),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.target.cut(&Cut::Depth(arguments.plies))
}
