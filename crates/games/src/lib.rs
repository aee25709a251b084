#![doc = include_str!("../README.md")]
//!
//! [`Reader`] reads games in any [`Format`], one after another. Each is an [`Entry`]: the [`Game`], its [`Place`] in the
//! file, and the [`Fault`]s of its record.
//!
//! [`write_ggf`], [`write_sgf`] and [`write_transcript`] make the text of a game, without the line break at its end that a file has.
//! WTHOR, which is three files, has [a writer](wthor::Writer).
//!
//! | | GGF | SGF | transcript |
//! | --- | --- | --- | --- |
//! | moves, start position, result | yes | yes | yes |
//! | players, ratings, tournament, round, site, date | yes | yes | no |
//! | time of day, kind of game | yes | no | no |
//! | clocks | yes | the time, if both have the same | no |
//! | how it ended | yes | instead of the result; without agreements | no |
//! | comment on the game | yes | yes | on one line |
//! | comments on moves, evaluations | yes | yes | no |
//! | time taken for moves | yes | no | no |
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
pub mod wthor;

pub use clock::{Clock, ParseClockError, Period};
pub use date::{Date, ParseDateError};
pub use decimal::{Decimal, ParseDecimalError};
pub use error::{Error, ErrorKind};
pub use fault::Fault;
pub use format::Format;
pub use game::{Ending, Game, Note, Player, Theoretical};
pub use ggf::{read as read_ggf, write as write_ggf};
pub use reader::{Entry, Place, Reader};
pub use score::Score;
pub use sgf::write as write_sgf;
pub use transcript::{is_own_transcript, write as write_transcript};
