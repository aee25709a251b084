//! How rows look: `--format`, `--json` and `--boards`.

use crate::sql::Format;
use clap::Args;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Look {
    /// How to write the rows
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Draw boards, as happens on a terminal; where there is no room for a drawing, write 64 squares and the side
    #[arg(long)]
    boards: bool,
}

impl Look {
    pub(crate) fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Whether boards were asked for.
    pub(crate) fn asks_for_boards(self) -> bool {
        self.boards
    }
}
