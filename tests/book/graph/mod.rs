//! The book in memory: its graph, the numbers that follow from leaves, and what the other engine makes of it.

mod accuracy;
mod graph_laws;
mod levels;
mod mapping_demands;
mod mapping_law;
mod mapping_rules;
mod negamax_edax_golden;
mod negamax_egaroucid_golden;
mod negamax_laws;
mod passes;
