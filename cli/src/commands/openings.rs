//! `obook openings`: the names of openings.

use crate::prelude::*;
use crate::reports::table;
use obook::Lookup;
use obook_games::names::{Opening, matching};

/// List openings by name, with their moves and values in a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook openings\n  \
    obook openings rose --book book.obook\n  \
    obook openings うさぎ --json\n\n\
    Every name can be typed in place of a line's first moves, as in `obook show book.obook tigerf4`. Japanese names may be in kana. \
    A name means a position, whatever the order of the moves. Values are for the side to move. In SQL, SELECT * FROM \
    openings('rose') has all names.")]
pub(crate) struct Arguments {
    /// Only names that contain this text
    #[arg(default_value = "", hide_default_value = true, add = ArgValueCompleter::new(complete::openings))]
    name: Vec<String>,
    /// An obook database or a book file, for the values
    #[arg(long, value_parser = readable())]
    book: Option<PathBuf>,
    #[command(flatten)]
    listing: Listing,
}

const COLUMNS: [&str; 4] = ["name", "japanese", "value", "line"];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let open = |it: &PathBuf| Lookup::new(Book::open(it, &context::quiet())?, &context::shown());
    let book = arguments.book.as_ref().map(open).transpose()?;
    let row = |opening: &Opening| {
        let board = opening.line.board().canonical();
        let position = book.as_ref().map(|book| book.position(board));
        let value = position.transpose()?.flatten().and_then(|it| it.value);
        Ok([
            opening.name().to_owned().into(),
            opening.japanese.map(str::to_owned).into(),
            value.into(),
            opening.line.to_string().into(),
        ])
    };
    let openings = matching(&arguments.name.join(" ")).map(row);
    let rows = openings.collect::<Result<Vec<_>, Failure>>()?;
    if rows.is_empty() {
        let books = arguments.name.iter().filter(|it| Path::new(it).exists());
        let advice: String = books
            .map(|book| format!("; for the values in a book, give it with --book {book}"))
            .collect();
        say(format_args!(
            "obook: no opening has this in its name{advice}"
        ));
    }
    table(arguments.listing, COLUMNS, rows)
}
