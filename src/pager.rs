//! Answers longer than the screen, in the program by which people read such things.

use crate::output::stdout;
use crate::screen::Screen;
use obook_book::Progress;
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a pager has the terminal.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C is the pager's business: who looks for something there must not lose it.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// The pager that is wanted, as a command: `OBOOK_PAGER`, else `PAGER`, else `less`; `None` where that is empty or `cat`.
pub(crate) fn wanted() -> Option<OsString> {
    let pager = ["OBOOK_PAGER", "PAGER"]
        .into_iter()
        .find_map(std::env::var_os);
    let pager = pager.unwrap_or_else(|| "less".into());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// An answer on its way to standard output, and what shows that it is awaited until it comes.
pub(crate) struct Paged {
    to: To,
    awaited: Option<Progress>,
}

enum To {
    /// Lines that may all have room on the screen.
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
    /// To a pager, if one is wanted and the answer has no room on the screen.
    pub(crate) fn new(screen: Option<Screen>, pager: Option<OsString>, awaited: Progress) -> Paged {
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

    /// Gives what still waits, and stays until a pager is left. Whether there was one.
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
                // What is buffered is not seen yet.
                if out.buffer().len() + bytes.len() > out.capacity() {
                    self.awaited = None;
                }
                return out.write(bytes);
            }
            To::Pager(pager) => return pager.write(bytes),
            To::Waiting {
                text,
                lines,
                screen,
                pager,
            } => {
                text.extend_from_slice(bytes);
                *lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                // What is said after the answer, and the next prompt, want a line each.
                let fits = *lines + 2 <= screen.lines
                    // Lines without end; a character of a drawn line has three bytes.
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
                match &mut self.to {
                    To::Pager(pager) => pager.write_all(&text)?,
                    To::Plain(out) => out.write_all(&text)?,
                    To::Waiting { .. } => {}
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            // Whether it has room is not known before it is whole.
            To::Waiting { .. } => Ok(()),
            To::Pager(pager) => pager.flush(),
            To::Plain(out) => {
                self.awaited = None;
                out.flush()
            }
        }
    }
}

/// A program that shows page after page.
struct Pager {
    program: Child,
    text: Option<BufWriter<ChildStdin>>,
}

impl Pager {
    /// `None` where it can't be started.
    fn open(command: &OsString) -> Option<Pager> {
        let mut program = program(command);
        if std::env::var_os("LESS").is_none() {
            // Leave where all is seen, show colours, keep the text on the screen.
            program.env("LESS", "FRX");
        }
        let mut program = program.stdin(Stdio::piped()).spawn().ok()?;
        OPEN.store(true, Ordering::SeqCst);
        let text = program.stdin.take().map(BufWriter::new);
        Some(Pager { program, text })
    }

    /// Nothing more comes; who has read enough may have left already.
    fn close(&mut self) -> io::Result<()> {
        let flushed = self.text.take().map_or(Ok(()), |mut text| text.flush());
        self.program.wait()?;
        OPEN.store(false, Ordering::SeqCst);
        match flushed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn text(&mut self) -> io::Result<&mut BufWriter<ChildStdin>> {
        self.text
            .as_mut()
            .ok_or_else(|| ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text()?.flush()
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        if self.text.is_some() {
            // What went wrong is being told already.
            let _ = self.close();
        }
    }
}

/// The command as a shell takes it where it is more than a name and its arguments.
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
