//! Names that many commands and options use: failures and the context, the ways to report, paths, and options that many take.

pub(crate) use crate::commands::complete;
pub(crate) use crate::context;
pub(crate) use crate::failure::Failure;
pub(crate) use crate::options::book::{BookAndLine, changeable, readable, refuse_starter};
pub(crate) use crate::options::destination::{Force, Recomputing, Target};
pub(crate) use crate::options::engine::EngineArgs;
pub(crate) use crate::options::memory::Memory;
pub(crate) use crate::options::moves::line;
pub(crate) use crate::options::rows::Listing;
pub(crate) use crate::options::standard::Standard;
pub(crate) use crate::options::values::levels;
pub(crate) use crate::output::{account, answer, print, report_on, stands, stdout, verdict};
pub(crate) use crate::typed::command;
pub(crate) use crate::words::{Teller, count, if_any, in_line, say, some};
pub(crate) use clap_complete::ArgValueCompleter;
pub(crate) use obook::{Book, Context};
pub(crate) use serde::Serialize;
pub(crate) use std::io::{self, Write};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::time::Duration;
