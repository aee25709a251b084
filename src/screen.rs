//! The size of the terminal.

use std::io::{self, IsTerminal};
use terminal_size::terminal_size_of;

/// The size of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Screen {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

impl Screen {
    /// The size to assume if a terminal doesn't tell.
    const USUAL: Screen = Screen {
        columns: 80,
        lines: 24,
    };

    /// The terminal of standard output; `None` if it goes elsewhere.
    pub(crate) fn of_stdout() -> Option<Screen> {
        let out = io::stdout();
        let size = || {
            let (columns, lines) = terminal_size_of(&out)?;
            Some(Screen {
                columns: columns.0.into(),
                lines: lines.0.into(),
            })
        };
        out.is_terminal().then(|| size().unwrap_or(Screen::USUAL))
    }
}
