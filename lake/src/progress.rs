//! How far a long command is, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for a number of rows. It shows nothing in a pipe.
pub(crate) fn of_rows(rows: u64) -> ProgressBar {
    const LOOK: &str = "{bar:40} {percent:>3} %  {eta} left";
    let target = ProgressDrawTarget::stderr_with_hz(4);
    let bar = ProgressBar::with_draw_target(Some(rows), target);
    let style = ProgressStyle::with_template(LOOK).expect("the template is one");
    bar.with_style(style)
}
