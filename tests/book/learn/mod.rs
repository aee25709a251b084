//! How books grow.

mod asked;
mod best_first;
mod by_definition;
mod edax;
mod egaroucid;
mod growing;
mod made_up;
mod rules;
mod run;
