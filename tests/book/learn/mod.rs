//! How books grow.

mod by_definition;
mod growing;
mod rules;
