//! A running server, asked over the network as browsers and programs do.

mod answers;
mod description;
mod guarded;
#[cfg(target_os = "linux")]
mod locks;
mod opened;
mod support;
mod written;
