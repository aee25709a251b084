//! Othello opening books in the browser: a server for [obook](https://crates.io/crates/obook)'s databases, and its page.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! [`Server`] answers the page's questions as JSON. `openapi.json` describes the answers; [`api`] has their types. [`write_site`]
//! writes the same page with the answers about a part of a book as a folder, which needs no server.
//!
//! SQLite runs on threads of its own, never in asynchronous code. Each book has a few that answer short questions and a few for
//! long ones, so that a long query doesn't delay a move on the board.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod api;

mod answers;
mod assets;
mod books;
mod connections;
mod hint;
mod opened;
mod problem;
mod repertoire;
mod review;
mod server;
mod site;
mod sql;
mod stream;
mod write;

pub use server::{Options, Server};
pub use site::{Site, SiteOptions, write_site};
