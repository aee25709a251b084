//! A process that is spoken to in lines.

use super::engine::Outside;
use super::trouble::{Failed, Trouble};
use super::wait::Wait;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// The longest line that is taken, in bytes.
const LONGEST_LINE: u64 = 1 << 14;
/// Lines that wait to be heard; a process that says more has to wait itself.
const LINES_AHEAD: usize = 64;
/// How many of the last lines an error tells, and how many characters of each.
const LAST_LINES: usize = 3;
const LINE_TOLD: usize = 120;
/// How many of the last bytes of standard error an error tells.
const COMPLAINT: usize = 400;

/// All that run, so that they can be ended from elsewhere.
static RUNNING: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

/// Kills all engines outside: for a process that is about to end without dropping its searchers, after Ctrl-C say. An engine
/// that is thinking would go on for as long as it likes.
pub fn kill_engines() {
    for child in locked(&RUNNING).iter().filter_map(Weak::upgrade) {
        // It may have ended by itself.
        let _ = locked(&child).kill();
    }
}

/// Nothing that is locked here is ever half-changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running engine. Dropped, it is killed.
pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    stdin: ChildStdin,
    lines: Receiver<Result<String, Trouble>>,
    last: VecDeque<String>,
    complaints: Arc<Mutex<VecDeque<u8>>>,
}

impl Process {
    /// Starts it.
    pub(super) fn start(outside: &Outside) -> io::Result<Process> {
        let mut command = Command::new(outside.executable());
        command
            .args(&outside.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &outside.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        let (sender, lines) = sync_channel(LINES_AHEAD);
        let complaints = Arc::default();
        let tail = Arc::clone(&complaints);
        let child = Arc::new(Mutex::new(child));
        let mut running = locked(&RUNNING);
        running.retain(|other| other.strong_count() > 0);
        running.push(Arc::downgrade(&child));
        drop(running);
        let process = Process {
            child,
            stdin,
            lines,
            last: VecDeque::new(),
            complaints,
        };
        // They end when the process has closed its side, or with the next line that nobody hears.
        thread::Builder::new().spawn(move || hand_on(stdout, &sender))?;
        thread::Builder::new().spawn(move || keep_last(stderr, &tail))?;
        Ok(process)
    }

    /// Says one line to it.
    pub(super) fn say(&mut self, line: &str) -> Result<(), Failed> {
        let said = self.stdin.write_all(format!("{line}\n").as_bytes());
        if said.is_err() {
            return Err(Trouble::Ended(self.status()).into());
        }
        Ok(())
    }

    /// Waits for the next line that it says.
    pub(super) fn hear(&mut self, wait: &mut Wait) -> Result<String, Failed> {
        loop {
            match self.lines.recv_timeout(wait.moment()?) {
                Ok(line) => {
                    let line = line?;
                    wait.count()?;
                    if self.last.len() == LAST_LINES {
                        self.last.pop_front();
                    }
                    self.last.push_back(line.chars().take(LINE_TOLD).collect());
                    return Ok(line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Trouble::Ended(self.status()).into());
                }
            }
        }
    }

    /// The last that it said, for people; nothing where it was silent.
    pub(super) fn last_words(&self) -> String {
        let complaints = locked(&self.complaints);
        let (head, tail) = complaints.as_slices();
        let complaint = [head, tail].concat();
        let complaint = String::from_utf8_lossy(&complaint);
        let lines = self.last.iter().map(String::as_str);
        let words: Vec<&str> = lines
            .chain(complaint.lines())
            .map(str::trim)
            .filter(|words| !words.is_empty() && !words.chars().all(|c| c == '>' || c == ' '))
            .collect();
        words.join(" / ")
    }

    /// How it ended; `None` where it still runs, which it may though it has closed its output.
    fn status(&self) -> Option<ExitStatus> {
        // What it says at its end comes a moment later than the end itself.
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(10));
            if let Ok(Some(status)) = locked(&self.child).try_wait() {
                return Some(status);
            }
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to do.
        let mut child = locked(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Hands on the lines of a process until it ends or nobody listens.
fn hand_on(output: impl Read, lines: &SyncSender<Result<String, Trouble>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let heard = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() as u64 == LONGEST_LINE => Err(Trouble::Endless),
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        let is_last = heard.is_err();
        if lines.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Keeps the last of what a process complains.
fn keep_last(mut output: impl Read, tail: &Mutex<VecDeque<u8>>) {
    let mut bytes = [0; COMPLAINT];
    while let Ok(count @ 1..) = output.read(&mut bytes) {
        let mut tail = locked(tail);
        tail.extend(&bytes[..count]);
        let surplus = tail.len().saturating_sub(COMPLAINT);
        tail.drain(..surplus);
    }
}
