//! Searches on many machines, over [NATS](https://nats.io) JetStream.
//!
//! A [`Learner`] is on the machine that has the book: it hands questions out as
//! [`Workers`](obook_learn::search::Workers) do, and takes answers. [`work`] is what any other machine does: it takes questions
//! and answers them with an engine of its own. Between them is a server with two streams, which keep each message until it is
//! acknowledged. A question is acknowledged when its answer lies in the other stream, an answer when it is in the book. So
//! whatever ends, on whichever machine, loses no more than the searches that were under way there, and these are made anew by
//! others.
//!
//! Workers are other people's machines: what they say is read with bounds, has to be a legal answer, and a sample of it is
//! compared with what other workers say.
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
