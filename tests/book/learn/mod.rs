//! How books grow.

mod asked;
mod best_first;
mod by_definition;
mod engines;
mod growing;
mod made_up;
mod rules;
mod run;
