//! The model of an Othello opening book shared by all formats, the database and the engines: a [`Position`] with its
//! [`Link`]s and its [`Leaf`], the [`Engine`] whose scale a level is on, the meaning of [`levels`], the [`Forecast`] of a program that expects more than one score, and the rules by which a
//! book's numbers are computed ([`RuleSet`]) and by which a move of it is chosen ([`MoveRule`]).
//!
//! ```
//! use obook_othello::{Board, Engine, Leaf, Position, levels::Strength};
//!
//! let mut position = Position::new(Board::START.canonical(), Engine::Edax);
//! position.level = Some(21);
//! // With 60 empty squares, Edax's level 21 is weaker than Egaroucid's level 25.
//! assert!(Strength::new(Engine::Edax, Some(21), 60) < Strength::new(Engine::Egaroucid, Some(25), 60));
//! ```

mod choice;
mod engine;
mod forecast;
pub mod levels;
mod numbers;
mod place;
mod position;
mod proof;
mod rules;

pub use choice::{Chance, MoveRule, ParseRuleError};
pub use engine::{Engine, EngineError};
pub use forecast::{Forecast, Goal};
pub use numbers::{NUMBERS, Number, OutOfRange, set_numbers};
pub use place::{Place, PlaceError};
pub use position::{
    Bounds, Leaf, Link, Links, Lost, NoLeaf, Outcomes, PERSON_LEVEL, Position, final_leaf,
    is_entered,
};
pub use proof::Proof;
pub use rules::RuleSet;
