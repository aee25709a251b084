//! `--force`.

use clap::Args;
use obook_book::IfExists;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Replace an existing file of the same kind
    #[arg(long)]
    force: bool,
}

impl Force {
    pub(crate) fn if_exists(self) -> IfExists {
        if_exists(self.force)
    }
}

/// What `--force` means for existing files.
pub(crate) fn if_exists(force: bool) -> IfExists {
    if force {
        IfExists::Replace
    } else {
        IfExists::Refuse
    }
}
