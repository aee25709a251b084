//! Growing a book: rules choose what to search, engines search it, and what they find goes into the book.
//!
//! The three know little of each other. A [`Rule`] looks at the whole book and [chooses](Rule::choose); what it chose waits in
//! the table `tasks`; [`Workers`](crate::search::Workers) answer questions that stand for themselves; and answers go in
//! together with what they do to the queue, in transactions that leave the book as `obook fix` would. So any of them may stop at
//! any moment, and what was lost is what was being searched.
//!
//! Learning goes in waves. What a rule chooses, and which moves a search leaves out, depends on the book as it was before the
//! wave; so the book that comes of it depends neither on the order of the answers nor on where a run was interrupted.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod answers;
mod budget;
mod chosen;
pub mod complete;
mod in_memory;
mod intake;
mod lock;
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
mod stages;
mod state;

pub use answers::{AnswersTaken, is_answers, take_answers};
pub(crate) use chosen::each_once;
pub use chosen::{Chosen, Variation, Want};
pub use plan::{Planned, plan};
pub use played::Played;
pub use queue::ask;
pub use recipe::{Recipe, Stage, Until};
pub use report::{Correction, Failed, Learned, LineChange, StageTotals, Standing, Stopped, Totals};
pub use rule::{NotPlies, Place, Plies, Rule};
pub use stages::{Hire, LearnOptions, hand_out, learn};
pub use state::{PutAside, Status, status};
