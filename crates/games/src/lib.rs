#![doc = include_str!("../README.md")]
//!
//! [`Reader`] reads games in any [`Format`], one after another. Each is an [`Entry`]: the [`Game`], its [`Place`] in the
//! file, and the [`Fault`]s of its record.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod clock;
mod date;
mod decimal;
mod edx;
mod error;
mod fault;
mod format;
mod game;
mod ggf;
pub mod names;
mod pgn;
mod pieces;
mod properties;
mod quest;
pub mod ratings;
mod reader;
mod records;
mod replay;
mod score;
mod sgf;
mod text;
mod transcript;
mod writer;
pub mod wthor;

pub use clock::{Clock, ParseClockError, Period};
pub use date::{Date, ParseDateError};
pub use decimal::{Decimal, ParseDecimalError};
pub use error::{Error, ErrorKind};
pub use fault::Fault;
pub use format::Format;
pub use game::{Ending, Game, Note, Player, Theoretical};
pub use ggf::read as read_ggf;
pub use reader::{Entry, Place, Reader};
pub use score::Score;
pub use transcript::is_own_transcript;
pub use writer::Writer;
