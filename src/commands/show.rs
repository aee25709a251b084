//! `obook show`: a position with its moves and scores.

use crate::output::{Failure, answer};
use obook_book::read::view::View;
use obook_book::{Book, Error};
use std::path::Path;

pub(crate) fn run(path: &Path, moves: &str, json: bool) -> Result<(), Failure> {
    let line = moves.parse().map_err(Error::Line)?;
    let view = View::of(&Book::open(path)?, line)?;
    answer(&view, json, |view, out| Ok(write!(out, "{view}")?))
}
