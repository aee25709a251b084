//! `--memory`.

use bytesize::ByteSize;
use clap::Args;

/// How much of the machine a command may take.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Memory {
    /// Take so much memory at most, such as 4GB; a larger book goes through temporary files. What is free, if not given
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
}

impl Memory {
    /// In bytes; `None` where there is no limit that is known.
    pub(crate) fn bytes(self) -> Option<u64> {
        self.memory.map_or_else(free, |size| Some(size.as_u64()))
    }
}

/// Bytes that may be taken: what is free, but for a part that others may want meanwhile; `None` where the machine does not
/// tell.
fn free() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory() / 4 * 3)
}
