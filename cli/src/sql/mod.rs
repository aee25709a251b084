//! SQL on a book, for `query` and `shell`: what it may do, how rows look, and errors.

mod mistaken;
pub(crate) mod names;
mod params;
mod problem;
mod session;
mod stop;
mod streamed;
pub(crate) mod tokens;

pub(crate) use mistaken::notes;
pub(crate) use obook::guard::Access;
pub(crate) use obook_sql::answers::{Boards, Format};
pub(crate) use params::{Params, bare, named, param, written};
pub(crate) use problem::Problem;
pub(crate) use session::{Answered, Attach, Manner, Script, Session, attach};
pub(crate) use stop::{Limit, interrupt, without_clock};
