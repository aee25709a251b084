#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod rating;
mod stored;

pub use rating::{Divisor, Method, Rating, Settings};
pub use stored::StoredRatings;
