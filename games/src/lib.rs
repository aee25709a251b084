//! Othello game records: readers, writers, replay, names of openings.
//!
//! [`Reader`] reads games of any [`Format`], one after another: each as a [`Game`], with its [`Place`] and the
//! [`Fault`]s of its record.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod clock;
mod date;
mod decimal;
mod error;
mod fault;
mod format;
mod game;
pub mod names;
mod place;
pub mod ratings;
mod reader;
mod replay;
mod score;
mod text;
pub mod wthor;

pub use clock::{Clock, ParseClockError, Period};
pub use date::Date;
pub use decimal::{Decimal, ParseDecimalError};
pub use error::{Error, ErrorKind};
pub use fault::Fault;
pub use format::Format;
pub use game::{Ending, Game, Note, Player, Theoretical};
pub use place::{Entry, Place};
pub use reader::Reader;
pub use score::Score;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
