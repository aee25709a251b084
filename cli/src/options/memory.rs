//! `--memory`.

use crate::context;
use bytesize::ByteSize;
use clap::Args;
use obook::Context;
use std::sync::OnceLock;

/// The memory that a command may use.
#[derive(Clone, Copy, Default, Debug, Args)]
pub(crate) struct Memory {
    /// Memory limit, for example 4GB; larger books go through temporary files [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
}

impl Memory {
    /// The context of the command, with progress and within the limit.
    pub(crate) fn context(self) -> Context {
        context::shown().with_memory(self.bytes())
    }

    /// The limit in bytes; `None` if the free memory is unknown.
    pub(crate) fn bytes(self) -> Option<u64> {
        self.memory.map_or_else(free, |size| Some(size.as_u64()))
    }
}

/// Half of the memory that was free when the process first asked, in bytes; the rest is for other programs. `None` if the system
/// doesn't tell.
fn free() -> Option<u64> {
    static FREE: OnceLock<Option<u64>> = OnceLock::new();
    *FREE.get_or_init(|| {
        let mut system = sysinfo::System::new().ok()?;
        system.refresh_memory();
        Some(system.available_memory() / 2)
    })
}
