//! A process that reads and writes lines.

use super::{Failed, Outside, Trouble};
use crate::Limits;
use obook_base::locked;
#[cfg(windows)]
use process_wrap::std::JobObject;
#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
#[cfg(unix)]
use std::process::Child;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, Once, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line accepted, in bytes.
const LONGEST_LINE: u64 = 1 << 14;
/// The number of lines read ahead. A process that writes more has to wait.
const LINES_AHEAD: usize = 64;
/// The most lines accepted before the answer is complete.
const MOST_LINES: u32 = 1_000_000;
/// The number of last lines quoted in an error, and the number of characters quoted of each.
const LAST_LINES: usize = 3;
const LINE_QUOTED: usize = 120;
/// The number of last bytes of standard error quoted in an error.
const COMPLAINT: usize = 400;
/// The time between two checks of whether to stop a search.
const POLLING: Duration = Duration::from_millis(20);

/// How long an engine may be silent before the user is told.
const QUIET: Duration = Duration::from_secs(5);

/// The function that [`on_silence`] has set.
static TELL: OnceLock<fn(&str, Duration, Duration)> = OnceLock::new();

/// Sets the function to call if an external engine stays silent after its start or its first question: it may speak another protocol,
/// or none. The function gets the engine's name, how long it has been silent, and how long to wait for it. It is called at most once
/// in a process, whatever the number of engines.
pub fn on_silence(tell: fn(&str, Duration, Duration)) {
    let _ = TELL.set(tell);
}

/// All running engines, for [`kill_engines`].
static RUNNING: Mutex<Vec<Weak<Mutex<Group>>>> = Mutex::new(Vec::new());

/// Kills all engines outside. Call it before a process ends without dropping its searchers, for example on Ctrl-C: an
/// engine that is thinking wouldn't notice until it has finished.
pub fn kill_engines() {
    for group in locked(&RUNNING).iter().filter_map(Weak::upgrade) {
        locked(&group).kill();
    }
}

/// A process and everything it starts: a process group on Unix, a job on Windows. The engine itself may be a child of a
/// wrapper script.
#[derive(Debug)]
struct Group {
    child: Box<dyn ChildWrapper>,
    /// Ends the group with this process; `None` on systems without a shell.
    #[cfg(unix)]
    guard: Option<Child>,
    /// Whether the group has been killed after its first process ended. From then on its number may belong to others.
    is_over: bool,
}

impl Group {
    fn start(command: Command) -> io::Result<Group> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(JobObject);
        let child = command.spawn()?;
        Ok(Group {
            #[cfg(unix)]
            guard: guard(child.id()).ok(),
            child,
            is_over: false,
        })
    }

    /// Kills every process of the group, and then its guard, while the number of the group still belongs to it.
    fn kill(&mut self) {
        if !self.is_over {
            // This fails if they have ended already.
            let _ = self.child.start_kill();
        }
        #[cfg(unix)]
        if let Some(mut guard) = self.guard.take() {
            // It must be dead before waiting closes its pipe.
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }

    /// Returns how the first process ended, and kills what it has left behind; `None` if it's still running.
    fn status(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok()??;
        self.kill();
        self.is_over = true;
        Some(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

/// Starts a process that kills a group when this process ends without killing it, for example by `kill -9`: a shell that reads from a
/// pipe to which only this process could write. The job does this on Windows.
#[cfg(unix)]
fn guard(group: u32) -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", "read -r _; kill -s KILL -- -$0", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C at a terminal is not meant for it.
        .process_group(0)
        .spawn()
}

/// A running engine, to which an [`Exchange`] speaks. It's killed when dropped.
pub(super) struct Process {
    group: Arc<Mutex<Group>>,
    stdin: ChildStdin,
    lines: Receiver<Result<String, Trouble>>,
    last: VecDeque<String>,
    complaints: Arc<Mutex<VecDeque<u8>>>,
}

impl Process {
    /// Starts the engine.
    pub(super) fn start(outside: &Outside) -> io::Result<Process> {
        let mut command = Command::new(outside.executable());
        command
            .args(&outside.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &outside.folder {
            if !folder.is_dir() {
                let problem = format!("there is no folder {}", folder.display());
                return Err(io::Error::new(io::ErrorKind::NotFound, problem));
            }
            command.current_dir(folder);
        }
        let mut group = Group::start(command)?;
        let stdin = group.child.stdin().take().expect("it is piped");
        let stdout = group.child.stdout().take().expect("it is piped");
        let stderr = group.child.stderr().take().expect("it is piped");
        let (sender, lines) = sync_channel(LINES_AHEAD);
        let complaints = Arc::default();
        let tail = Arc::clone(&complaints);
        let group = Arc::new(Mutex::new(group));
        let mut running = locked(&RUNNING);
        running.retain(|other| other.strong_count() > 0);
        running.push(Arc::downgrade(&group));
        drop(running);
        let process = Process {
            group,
            stdin,
            lines,
            last: VecDeque::new(),
            complaints,
        };
        // These threads end when the process closes its output, or when there's no one left to read it.
        thread::Builder::new().spawn(move || forward_lines(stdout, &sender))?;
        thread::Builder::new().spawn(move || keep_last(stderr, &tail))?;
        Ok(process)
    }

    /// The last output, for an error message; empty if there was none.
    pub(super) fn last_words(&self) -> String {
        let mut complaints = locked(&self.complaints);
        let complaint = String::from_utf8_lossy(complaints.make_contiguous());
        let lines = self.last.iter().map(String::as_str);
        let words = lines.chain(complaint.lines()).map(str::trim);
        // A prompt says nothing.
        let words = words.filter(|words| words.chars().any(|c| !"> ".contains(c)));
        words.collect::<Vec<_>>().join(" / ")
    }

    /// Returns how the process ended; `None` if it's still running, which is possible even with its output closed.
    fn status(&self) -> Option<ExitStatus> {
        // The output closes a moment before the process ends.
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(10));
            if let Some(status) = locked(&self.group).status() {
                return Some(status);
            }
        }
        None
    }
}

/// Forwards the lines of a process until it ends or the receiver is gone.
fn forward_lines(output: impl Read, lines: &SyncSender<Result<String, Trouble>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let mut start = output.by_ref().take(LONGEST_LINE);
        let read = start.read_until(b'\n', &mut line);
        let heard = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => {
                Err(Trouble::Endless)
            }
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        let is_last = heard.is_err();
        if lines.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Keeps the last bytes of an output.
fn keep_last(mut output: impl Read, tail: &Mutex<VecDeque<u8>>) {
    let mut bytes = [0; COMPLAINT];
    while let Ok(count @ 1..) = output.read(&mut bytes) {
        let mut tail = locked(tail);
        tail.extend(&bytes[..count]);
        let surplus = tail.len().saturating_sub(COMPLAINT);
        tail.drain(..surplus);
    }
}

/// An exchange of lines with an engine until its answer is there, within limits of time and of the number of lines.
pub(super) struct Exchange<'a> {
    process: &'a mut Process,
    /// The limits of an answer, and when the search began, including earlier tries.
    limits: Option<(&'a Limits, Instant)>,
    asked: Instant,
    patience: Duration,
    /// The name of an engine that has answered nothing yet.
    unheard: Option<&'a str>,
    heard: u32,
}

impl<'a> Exchange<'a> {
    /// For an answer within these limits, to a search that began at this time; `None`: for a process that has just been started.
    pub(super) fn new(
        process: &'a mut Process,
        limits: Option<(&'a Limits, Instant)>,
        patience: Duration,
        unheard: Option<&'a str>,
    ) -> Exchange<'a> {
        Exchange {
            process,
            limits,
            asked: Instant::now(),
            patience,
            unheard,
            heard: 0,
        }
    }

    /// Sends one line.
    pub(super) fn say(&mut self, line: &str) -> Result<(), Failed> {
        let said = self.process.stdin.write_all(format!("{line}\n").as_bytes());
        said.map_err(|_| Trouble::Ended(self.process.status()).into())
    }

    /// Waits for the next line.
    pub(super) fn hear(&mut self) -> Result<String, Failed> {
        loop {
            match self.process.lines.recv_timeout(self.next_poll()?) {
                Ok(line) => {
                    let line = line?;
                    self.heard += 1;
                    if self.heard > MOST_LINES {
                        return Err(Trouble::Endless.into());
                    }
                    let last = &mut self.process.last;
                    if last.len() == LAST_LINES {
                        last.pop_front();
                    }
                    last.push_back(line.chars().take(LINE_QUOTED).collect());
                    return Ok(line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Trouble::Ended(self.process.status()).into());
                }
            }
        }
    }

    /// The time until the next check.
    fn next_poll(&self) -> Result<Duration, Failed> {
        let mut left = match self.patience.checked_sub(self.asked.elapsed()) {
            Some(left) if !left.is_zero() => left,
            _ => return Err(Trouble::Silent(self.patience).into()),
        };
        if let (Some(name), Some(tell)) = (self.unheard, TELL.get())
            && self.asked.elapsed() >= QUIET
        {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| tell(name, QUIET, self.patience));
        }
        if let Some((limits, began)) = self.limits {
            if limits.stop.is_set() {
                return Err(Failed::Stopped);
            }
            if let Some(time) = limits.time {
                let in_time = time.checked_sub(began.elapsed());
                left = left.min(in_time.ok_or(Failed::Stopped)?);
            }
        }
        Ok(left.clamp(Duration::from_millis(1), POLLING))
    }
}
