//! The look of rows: `--format`, `--json` and `--boards`.

use crate::screen::Screen;
use crate::sql::{Boards, Format, Manner, Params};
use clap::Args;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Look {
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Draw boards even if they don't all fit on the terminal. Formats other than table and box write a board as 64 squares and the
    /// side to move
    #[arg(long)]
    boards: bool,
}

impl Look {
    pub(crate) fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// How to show boards; `None` without `--boards`.
    pub(crate) fn boards(self) -> Option<Boards> {
        self.boards.then(|| self.format().drawn())
    }

    /// How to give an answer on standard output.
    pub(crate) fn manner(self, params: Params, timeout: Option<Duration>) -> Manner {
        Manner {
            format: self.format(),
            boards: self.boards(),
            screen: Screen::of_stdout(),
            params,
            timeout,
        }
    }
}
