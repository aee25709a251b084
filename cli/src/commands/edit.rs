//! `obook edit`: values entered by hand.

use crate::prelude::*;
use obook::write::edit::{Edit, Edited, edit};

/// Enter a value for a position by hand, or remove one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook edit book.obook f5d6c3 --value 2\n  \
    obook edit book.obook f5d6c3 --remove\n\n\
    A value entered by hand has level 70: nothing overwrites it, and all ancestors follow. `obook undo` takes it back \
    exactly.")]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written as pa
    #[arg(add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
    /// Value of the position, in discs for the side to move
    #[arg(long, value_name = "N", group = "what", allow_negative_numbers = true,
          value_parser = clap::value_parser!(i8).range(-64..=64))]
    value: Option<i8>,
    /// Remove the value entered by hand
    #[arg(long, group = "what")]
    remove: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.moves)?;
    let what = arguments.value.map_or(Edit::Remove, Edit::Enter);
    let mut store = Book::open_for_writing(&arguments.book, &context::shown())?;
    let edited = edit(&mut store, &line, what)?;
    account(&edited, arguments.json, describe)
}

fn describe(edited: &Edited, out: &mut dyn Write) -> io::Result<()> {
    let score = |score: Option<i16>| score.map_or(String::from("?"), |it| format!("{it:+}"));
    if let Some(fixed) = edited.fixed {
        let changed = count(fixed.any, "position[|s]");
        writeln!(out, "the book was fixed first: {changed} changed")?;
    }
    let (before, after) = (score(edited.before), score(edited.after));
    match (edited.added, edited.removed) {
        (true, _) => writeln!(out, "added with value {after}")?,
        (_, true) => writeln!(out, "removed the position: nothing else was known about it")?,
        _ => writeln!(out, "value {after}, {before} before")?,
    }
    let ancestors = count(edited.ancestors, "ancestor[|s]");
    writeln!(out, "{ancestors} changed")
}
