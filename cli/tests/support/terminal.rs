//! A program at a terminal of its own.

use expectrl::session::OsSession;
use expectrl::{Captures, Expect, Needle, Session};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The terminal: keys go in, and what the program shows comes out.
pub(crate) struct Terminal(OsSession);

/// A limit in case the test hangs, not a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

impl Terminal {
    pub(crate) fn of(command: Command) -> Terminal {
        Terminal(Session::spawn(command).unwrap())
    }

    pub(crate) fn send(&mut self, keys: &str) {
        self.0.send(keys).unwrap();
    }

    /// Waits until the program has shown this, and returns it with all that came before. The library's function would keep a
    /// processor busy while it waits.
    pub(crate) fn expect(&mut self, needle: impl Needle) -> Captures {
        let until = Instant::now() + PATIENCE;
        loop {
            let found = self.0.check(&needle).unwrap();
            if !found.is_empty() {
                return found;
            }
            assert!(Instant::now() < until, "it doesn't come");
            sleep(Duration::from_millis(5));
        }
    }
}
