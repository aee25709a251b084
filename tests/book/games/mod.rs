//! Games in the database, compared with plain definitions on the games themselves.

mod asked;
mod rated;
mod taken_in;
mod whole;
