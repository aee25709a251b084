//! Searches on many machines, over [NATS](https://nats.io) JetStream.
//!
//! A [`Learner`] runs on the machine with the book. It implements [`Workers`](crate::search::Workers): it hands out
//! questions and receives answers. [`work`] runs on any other machine and answers questions with an engine of that machine.
//! Between them is a server with two streams, which keep each message until it is acknowledged: a question when its answer is
//! in the other stream, an answer when it is in the book. So if any machine stops, only its running searches are lost, and
//! other workers repeat them.
//!
//! Workers are not trusted. The size of their messages is limited, answers must be legal, a sample is compared with the answers
//! of other workers, and workers that keep failing are put aside.

mod error;
mod learner;
mod mail;
mod server;
mod streams;
mod subjects;
mod traffic;
mod validator;
mod worker;

pub use error::Error;
pub use learner::{Learner, LearnerOptions};
pub use server::Server;
pub use traffic::{Questions, Traffic};
pub use worker::{Event, Worked, work};
