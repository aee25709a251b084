//! Games in the database, compared with plain definitions on the games themselves.

mod rated;
mod taken_in;
