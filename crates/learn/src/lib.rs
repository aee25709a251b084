//! Growing a book: rules choose what to search, engines search it, and the answers go into the book.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! The parts are independent. A [`Rule`] looks at the whole book and [chooses](Rule::choose); its choice waits in table `tasks`;
//! [`Workers`](search::Workers) answer questions that need no context; and answers go in together with their changes of the queue, in
//! transactions that leave the book as `obook fix` would. So a run may end at any moment, and loses only the searches in progress.
//!
//! Learning proceeds in waves. A rule's choice and the moves that a search leaves out depend on the book before the wave. So the
//! finished book depends neither on the order of the answers nor on interruptions.
//!
//! Any [`Searcher`](obook_engine::Searcher) can grow a book:
//!
//! ```
#![doc = include_str!("../examples/own_engine.rs")]
//! ```
//!
//! [`shogi`] grows books of shogi.
//!
//! [`complete`] searches missing leaves, and [`sample`] searches some leaves again to see how good they are. Both, and [`learn()`], ask
//! through [`search::Gather`], which treats failures alike for all.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod answers;
mod budget;
mod chosen;
pub mod complete;
mod error;
mod intake;
mod kept;
mod lines;
mod lock;
#[cfg(feature = "nats")]
pub mod nats;
mod pace;
mod plan;
mod played;
mod queue;
mod recipe;
mod report;
mod rule;
mod run;
pub mod sample;
pub mod search;
pub mod shogi;
mod stages;
mod state;

pub use answers::{AnswersTaken, is_answers, is_tasks, take_answers};
pub(crate) use chosen::each_once;
pub use chosen::{Chosen, Variation, Want};
pub use error::{Error, Result};
pub use lines::Lines;
pub use plan::{Planned, plan};
pub use played::Played;
pub use queue::ask;
pub use recipe::{Recipe, Stage, Until};
pub use report::{Correction, Failed, Learned, LineChange, StageTotals, Standing, Stopped, Totals};
pub use rule::{Rule, Setting};
pub use stages::{Hire, LearnOptions, hand_out, learn, open_book};
pub use state::{Status, status};
