//! Damage: every kind is named, and what can be mended is.

mod verify;
mod verify_database;
mod verify_records;
