//! A position of an Othello opening book as every format, the database and the engines know it: [`Position`] with its
//! [`Link`]s and its [`Leaf`], the [`Engine`] on whose scale a level is, what a level means ([`levels`]), and by whose
//! rules a book's numbers are computed ([`RuleSet`]).
//!
//! ```
//! use obook_model::{Engine, Leaf, Position, levels::Strength};
//! use obook_othello::Board;
//!
//! let mut position = Position::new(Board::START.canonical(), Engine::Edax);
//! position.level = Some(21);
//! // Level 21 of Edax is a weaker search than level 25 of Egaroucid while 60 squares are empty.
//! assert!(Strength::new(Engine::Edax, Some(21), 60) < Strength::new(Engine::Egaroucid, Some(25), 60));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod levels;
mod position;
mod rules;

pub use position::{Bounds, Engine, Leaf, Link, Links, NoLeaf, Outcomes, PERSON_LEVEL, Position};
pub use rules::RuleSet;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
