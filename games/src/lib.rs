//! Othello game records: readers, writers, replay, names of openings.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
