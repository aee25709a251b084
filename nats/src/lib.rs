//! Searches on many machines, over [NATS](https://nats.io) JetStream.
//!
//! A [`Learner`] is on the machine that has the book: it hands out questions as
//! [`Workers`](obook_learn::search::Workers), and takes answers. [`work`] runs on any other machine: it takes questions and
//! answers them with an engine of its own. Between them is a server with two streams, which keep each message until it is
//! acknowledged. A question is acknowledged when its answer is in the other stream, an answer when it is in the book. So
//! whatever ends, on whichever machine, loses only the searches in progress there, and others make them again.
//!
//! Workers are other people's machines: their answers are read with bounds and must be legal, a sample of them is compared
//! with the answers of others, and workers that fail are put aside.
#![forbid(unsafe_code)]

mod agreement;
mod error;
mod learner;
mod mail;
mod options;
mod server;
mod streams;
mod subjects;
mod traffic;
mod validator;
mod worker;

pub use error::Error;
pub use learner::Learner;
pub use options::LearnerOptions;
pub use server::{Server, without_credentials};
pub use traffic::{Questions, Traffic};
pub use worker::{Event, Worked, WorkerOptions, work};
