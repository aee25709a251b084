//! `--no-pager`, and what is said after rows that people read.

use crate::pager::{self, Paged};
use crate::screen::Screen;
use crate::sql::{Answered, Manner};
use crate::words::say;
use clap::Args;
use obook_book::Progress;
use std::io::{self, IsTerminal};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Paging {
    /// Show an answer that is longer than the screen without a pager
    #[arg(long)]
    no_pager: bool,
}

impl Paging {
    /// Where an answer goes; `awaited` is shown until it comes.
    pub(crate) fn out(self, screen: Option<Screen>, awaited: Progress) -> Paged {
        let pager = if self.no_pager { None } else { pager::wanted() };
        Paged::new(screen, pager, awaited)
    }
}

/// Says to those who read the rows how many there were and how long they took; who read them in a pager was not waiting all
/// that time.
pub(crate) fn say_rows(answered: Answered, manner: &Manner, took: Option<Duration>) {
    let Some(rows) = answered.rows else { return };
    if manner.screen.is_none() || !io::stderr().is_terminal() {
        return;
    }
    let noun = if rows == 1 { "row" } else { "rows" };
    match took {
        Some(took) => say(format_args!("{rows} {noun} in {}", time(took))),
        None => say(format_args!("{rows} {noun}")),
    }
}

/// As people say it.
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
