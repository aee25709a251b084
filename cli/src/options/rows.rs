//! How to show rows: `--format`, `--json`, `--no-pager` and `--boards`.

use crate::pager::{self, Paged};
use crate::sql::{Answered, Attach, Boards, Format, Manner, Params, attach};
use crate::words::{count, say};
use clap::Args;
use obook::Context;
use obook_sql::answers::Screen;
use std::io::{self, IsTerminal};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Look {
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Look {
    pub(crate) fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// How to give an answer on standard output.
    pub(crate) fn manner(self, boards: Option<Boards>, params: Params) -> Manner {
        Manner {
            format: self.format(),
            boards,
            screen: Screen::of_stdout(),
            params,
            may_be_unused: false,
        }
    }
}

/// How to show rows on standard output, where long answers may go through a pager.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Listing {
    #[command(flatten)]
    pub(crate) look: Look,
    /// Show long answers without a pager
    #[arg(long)]
    no_pager: bool,
}

impl Listing {
    /// The destination of an answer; `awaited` is shown until the answer comes.
    pub(crate) fn out(self, awaited: Context) -> Paged {
        let pager = if self.no_pager { None } else { pager::wanted() };
        Paged::new(Screen::of_stdout(), pager, awaited)
    }
}

/// How the SQL of `query` and `shell` is answered.
#[derive(Clone, Debug, Args)]
pub(crate) struct Asking {
    #[command(flatten)]
    pub(crate) listing: Listing,
    /// Draw boards even if they don't all fit on the terminal. Formats other than table and box write a board as 64 squares and the
    /// side to move
    #[arg(long)]
    pub(crate) boards: bool,
    /// Attach another book or SQLite database; its tables are NAME.positions and so on
    #[arg(long, value_name = "NAME=FILE", value_parser = attach)]
    pub(crate) attach: Vec<Attach>,
}

/// Tells a reader at the terminal how many rows there were, and how long they took unless a pager waited for the reader.
pub(crate) fn say_rows(answered: &Answered, manner: &Manner, paged: bool) {
    let Some(rows) = answered.rows else { return };
    if manner.screen.is_none() || !io::stderr().is_terminal() {
        return;
    }
    let rows = count(rows, "row[|s]");
    match paged {
        true => say(format_args!("{rows}")),
        false => say(format_args!("{rows} in {}", time(answered.took))),
    }
}

/// The duration as people say it.
fn time(took: Duration) -> String {
    match took.as_millis() {
        0 => String::from("less than 1 ms"),
        milliseconds @ ..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let said = [0, 900, 12_345, 999_999, 1_000_000, 81_234_567]
            .map(|microseconds| time(Duration::from_micros(microseconds)));
        let expected = [
            "less than 1 ms",
            "less than 1 ms",
            "12 ms",
            "999 ms",
            "1.0 s",
            "81.2 s",
        ];
        assert_eq!(said, expected);
    }
}
