//! A running server, asked over the network as browsers and programs do.

mod answers;
mod description;
mod guarded;
mod support;
mod written;
