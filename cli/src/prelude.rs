//! What nearly all commands need: their failures and context, the ways to report, and paths.

pub(crate) use crate::context;
pub(crate) use crate::failure::Failure;
pub(crate) use crate::output::{account, answer, report_on, stdout, verdict};
pub(crate) use crate::words::{count, in_line, say};
pub(crate) use serde::Serialize;
pub(crate) use std::io::{self, Write};
pub(crate) use std::path::{Path, PathBuf};
