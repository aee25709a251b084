//! The functions of Othello in SQL: what they are called, what they take, and what they compute.
//!
//! [`ALL`] lists them. An SQL engine registers each under its name and calls [`Function::call`] with values; it needs to know
//! nothing else.
//!
//! ```
//! use obook_functions::{ALL, Answer, Value};
//! let function = ALL.iter().find(|function| function.name == "legal_moves").unwrap();
//! let answer = function.call(&[Value::Text(b"f5")])?;
//! assert_eq!(answer, Answer::Text("f4 d6 f6".to_owned()));
//! # Ok::<(), obook_functions::Problem>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arguments;
mod scalar;

pub use arguments::{Arguments, Given, Value, read_number, read_text};
pub use scalar::{ALL, Answer, Function, Kind};
use std::fmt;

/// What is wrong with a call, in words for whoever typed the SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem(String);

/// The result of a function.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem with this message.
    pub fn new(message: impl fmt::Display) -> Problem {
        Problem(message.to_string())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
