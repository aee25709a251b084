#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "answers")]
pub mod answers;
#[cfg(feature = "sqlite")]
pub mod extension;
pub mod functions;
#[cfg(feature = "sqlite")]
pub mod rows;
