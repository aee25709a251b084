//! All integration tests of the crate, one binary.

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
mod proofs;
mod slabs;
mod sort;
