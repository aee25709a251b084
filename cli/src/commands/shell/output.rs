//! The destination of the shell's answers.

use crate::prelude::*;
use crate::sql::Problem;
use obook::Error;
use obook_sql::answers::Screen;
use std::fs::File;
use std::io::{BufWriter, ErrorKind};

/// The destination of the shell's answers.
#[derive(Debug, Default)]
pub(crate) enum Output {
    /// Standard output.
    #[default]
    Terminal,
    File(PathBuf, BufWriter<File>),
}

impl Output {
    /// Creates the file, or chooses standard output.
    pub(crate) fn to(book: &Path, file: Option<PathBuf>) -> Result<Output, Failure> {
        let Some(file) = file else {
            return Ok(Output::Terminal);
        };
        match File::create_new(&file) {
            Ok(opened) => Ok(Output::File(file, BufWriter::new(opened))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let problem = format!(".output: {} exists already", file.display());
                let hint = String::from("take another name, or remove it first");
                Err(Problem::new(book, problem).with_hint(Some(hint)).into())
            }
            Err(error) => Err(Error::io(&file, "create")(error).into()),
        }
    }

    /// The terminal, if answers go to one.
    pub(crate) fn screen(&self) -> Option<Screen> {
        match self {
            Output::Terminal => Screen::of_stdout(),
            Output::File(..) => None,
        }
    }

    /// The name of the file, or of standard output.
    pub(crate) fn name(&self) -> String {
        match self {
            Output::Terminal => String::from("standard output"),
            Output::File(file, _) => file.display().to_string(),
        }
    }

    /// Takes what `answer` writes, even if an error follows. `awaited` is shown until the answer comes. Returns whether the answer
    /// went to a pager.
    pub(crate) fn take(
        &mut self,
        listing: Listing,
        awaited: Context,
        answer: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        match self {
            Output::Terminal => {
                let mut out = listing.out(awaited);
                let answered = answer(&mut out);
                let paged = out.finish()?;
                match answered {
                    // Leaving the pager early doesn't leave the shell.
                    Err(failure) if paged && failure.is_closed_pipe() => Ok(paged),
                    answered => answered.map(|()| paged),
                }
            }
            Output::File(file, out) => {
                let answered = answer(out);
                let flushed = out.flush().map_err(Failure::from);
                drop(awaited);
                match answered.and(flushed) {
                    Err(Failure::Output(error)) => Err(Error::io(file, "write to")(error).into()),
                    told => told.map(|()| false),
                }
            }
        }
    }
}
