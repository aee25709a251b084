//! Growing a book: rules choose what to search, engines search it, and what they find goes into the book.
//!
//! These three know little of each other. A [`Rule`] looks at the whole book and [chooses](Rule::choose) positions.

mod chosen;
mod rule;

pub use chosen::{Chosen, Variation, Want};
pub use rule::{Place, Rule};
