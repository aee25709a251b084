//! The terminal that an answer is shown on.

use std::io::{self, IsTerminal};
use terminal_size::terminal_size_of;

/// The size of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Characters in a line.
    pub columns: usize,
    /// Lines.
    pub lines: usize,
}

impl Screen {
    /// The size to assume if a terminal doesn't tell.
    const USUAL: Screen = Screen {
        columns: 80,
        lines: 24,
    };

    /// The terminal of standard output; `None` if it goes elsewhere.
    #[must_use]
    pub fn of_stdout() -> Option<Screen> {
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
