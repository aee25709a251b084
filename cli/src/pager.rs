//! A pager for answers longer than the screen.

use crate::output::stdout;
use crate::sql::without_clock;
use obook::Context;
use obook_sql::answers::Screen;
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a pager has the terminal.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether a pager has the terminal, and so handles Ctrl-C.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// The command of the pager: `OBOOK_PAGER`, else `PAGER`, else `less`; `None` if it is empty or `cat`.
pub(crate) fn wanted() -> Option<OsString> {
    let mut names = ["OBOOK_PAGER", "PAGER"].into_iter();
    let pager = names.find_map(std::env::var_os);
    let pager = pager.unwrap_or_else(|| "less".into());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// An answer on its way to standard output, with the context that shows progress until it comes.
pub(crate) struct Paged {
    to: To,
    awaited: Option<Context>,
}

enum To {
    /// Lines that may all fit on the screen.
    Waiting {
        text: Vec<u8>,
        lines: usize,
        screen: Screen,
        pager: OsString,
    },
    Pager(Pager),
    Plain(BufWriter<StdoutLock<'static>>),
}

impl Paged {
    /// Writes to a pager if there is one and the answer doesn't fit on the screen.
    pub(crate) fn new(screen: Option<Screen>, pager: Option<OsString>, awaited: Context) -> Paged {
        let to = match (screen, pager) {
            (Some(screen), Some(pager)) => To::Waiting {
                text: Vec::new(),
                lines: 0,
                screen,
                pager,
            },
            _ => To::Plain(stdout()),
        };
        Paged {
            to,
            awaited: Some(awaited),
        }
    }

    /// Writes the rest and waits for the pager to end. Returns whether there was one.
    pub(crate) fn finish(mut self) -> io::Result<bool> {
        self.awaited = None;
        match &mut self.to {
            To::Waiting { text, .. } => {
                let out = &mut stdout();
                out.write_all(text)?;
                out.flush()?;
                Ok(false)
            }
            To::Plain(out) => out.flush().map(|()| false),
            To::Pager(pager) => pager.close().map(|()| true),
        }
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Plain(out) => {
                // Buffered bytes aren't visible yet.
                if out.buffer().len() + bytes.len() > out.capacity() {
                    self.awaited = None;
                }
                return out.write(bytes);
            }
            To::Pager(pager) => return pager.text()?.write(bytes),
            To::Waiting {
                text,
                lines,
                screen,
                pager,
            } => {
                text.extend_from_slice(bytes);
                *lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                // The note after the answer and the next prompt take a line each.
                let fits = *lines + 2 <= screen.lines
                    // Long lines count too; a box-drawing character has three bytes.
                    && text.len() <= 4 * screen.lines * screen.columns;
                if fits {
                    return Ok(bytes.len());
                }
                self.awaited = None;
                let text = std::mem::take(text);
                self.to = match Pager::open(pager) {
                    Some(pager) => To::Pager(pager),
                    None => To::Plain(stdout()),
                };
                self.write_all(&text)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            // Only the whole answer shows whether it fits.
            To::Waiting { .. } => Ok(()),
            To::Pager(pager) => pager.text()?.flush(),
            To::Plain(out) => {
                self.awaited = None;
                out.flush()
            }
        }
    }
}

/// A running pager.
struct Pager {
    program: Child,
    text: Option<BufWriter<Patient>>,
}

impl Pager {
    /// Returns `None` if the pager can't be started.
    fn open(command: &OsString) -> Option<Pager> {
        let mut program = program(command);
        if std::env::var_os("LESS").is_none() {
            // Quit if everything fits, show colours, keep the text on the screen.
            program.env("LESS", "FRX");
        }
        let mut program = program.stdin(Stdio::piped()).spawn().ok()?;
        OPEN.store(true, Ordering::SeqCst);
        let text = program.stdin.take().map(Patient).map(BufWriter::new);
        Some(Pager { program, text })
    }

    /// Ends the text and waits for the pager, which may have been left already.
    fn close(&mut self) -> io::Result<()> {
        let flushed = self.text.take().map_or(Ok(()), |mut text| text.flush());
        self.program.wait()?;
        OPEN.store(false, Ordering::SeqCst);
        match flushed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn text(&mut self) -> io::Result<&mut BufWriter<Patient>> {
        self.text.as_mut().ok_or(ErrorKind::BrokenPipe.into())
    }
}

/// A pager's input. SQL's time limit pauses while the person reads.
struct Patient(ChildStdin);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        without_clock(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // Closed before, or dropped because of another error, which is being reported.
        let _ = self.close();
    }
}

/// The command, run by a shell if it is more than a name and arguments.
fn program(command: &OsString) -> Command {
    let text = command.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-+_./:=,@ ".contains(c);
    if cfg!(unix) && !text.chars().all(plain) {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        return shell;
    }
    let mut words = text.split_whitespace();
    let mut program = Command::new(words.next().unwrap_or_default());
    program.args(words);
    program
}
