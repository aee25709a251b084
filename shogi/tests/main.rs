//! Shogi against published numbers, another generator, and hostile input.

mod notation;
mod perft;
mod positions;
mod rules;
