//! Tests of game records.

mod another;
mod archive;
mod comparison;
mod documentation;
mod edax;
mod ggf;
mod hostile;
mod names;
mod pgn;
mod quest;
mod ratings;
mod round_trip;
mod sample;
mod sgf;
mod support;
mod transcript;
mod wthor;
