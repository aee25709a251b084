//! The context of the command that is running.

use crate::options::book::STARTER;
use crate::options::memory::Memory;
use crate::typed::this_command;
use crate::words::say;
use crate::{progress, starter};
use obook::Context;
use std::sync::OnceLock;
use std::time::Duration;

static CONTEXT: OnceLock<Context> = OnceLock::new();

/// Sets how long the command waits for other processes that are writing, and the usual limit of memory.
pub(crate) fn begin(wait: Duration) {
    let context = Context::new(this_command())
        .with_memory(Memory::default().bytes())
        .with_busy_timeout(wait, |sentence| {
            say(format_args!("obook: {sentence}"));
        });
    // Nothing has used it before.
    let _ = CONTEXT.set(context);
}

/// Removes unfinished files, for a process that is about to end.
pub(crate) fn clean_up() {
    quiet().remove_unfinished();
    starter::remove();
}

/// Returns the context of the command, without progress. The starter book has its name in it once it has been asked for.
pub(crate) fn quiet() -> Context {
    let context = CONTEXT.get_or_init(Context::default).clone();
    match starter::unpacked() {
        Some(path) => context.with_name(path, STARTER),
        None => context,
    }
}

/// Returns the context of the command, with progress if standard error is a terminal.
pub(crate) fn shown() -> Context {
    quiet().with_progress(progress::on_terminal())
}
