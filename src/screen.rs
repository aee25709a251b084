//! The terminal that people read answers on.

use std::io::{self, IsTerminal};
use terminal_size::terminal_size_of;

/// How much a terminal shows at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Screen {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

impl Screen {
    /// Of a terminal that does not say.
    const USUAL: Screen = Screen {
        columns: 80,
        lines: 24,
    };

    /// Where standard output goes, unless it goes elsewhere.
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
