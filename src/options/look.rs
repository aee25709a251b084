//! How rows look: `--format`, `--json` and `--boards`.

use crate::screen::Screen;
use crate::sql::{Boards, Format, Manner, Params};
use clap::Args;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Look {
    /// How to write the rows
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Draw boards, as happens on a terminal that has room for all; in a format that has no room for a drawing, write 64
    /// squares and the side
    #[arg(long)]
    boards: bool,
}

impl Look {
    pub(crate) fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// How boards were asked to be shown; `None` where nothing was said.
    pub(crate) fn boards(self) -> Option<Boards> {
        self.boards.then(|| self.format().drawn())
    }

    /// How an answer is given on standard output.
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
