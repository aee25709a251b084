//! `obook work`: searches for a book on another machine.

use crate::options::server::ServerArgs;
use crate::prelude::*;
use crate::{engines, interrupt, nats};
use obook::{BOOK_FILE, Error, FileKind};
use obook_base::Source;
use obook_base::compression::decompress;
use obook_engine::Stop;
use obook_engine::wire::{self, Failure as NoAnswer, Name, Sent as _, without_credentials};
use obook_learn::search::{Clock, Failures, Gather, Next, Threads, Workers};
use obook_learn::{Lines, shogi};
use sysinfo::System;

/// Search for a book on another machine
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook work nats://attic.lan\n  \
    obook work tls://books.example.org --creds me.creds --engine 'edax -nboard' --jobs 8\n  \
    obook work nats://attic.lan --engine 'usi:./YaneuraOu'\n  \
    obook work tasks > answers\n\n\
    With the address of a NATS server, it answers the questions of `obook learn BOOK --nats` until Ctrl-C, which finishes the \
    searches in progress. If the server or the learner goes away, it waits. With a file from `obook tasks`, it \
    writes the answers to standard output, for `obook merge BOOK answers`. Use an engine of the kind that the learner \
    named, because levels differ between engines. An engine for shogi answers the questions of `obook shogi learn`.")]
pub(crate) struct Arguments {
    /// The address of a NATS server, or a file of tasks; - is standard input
    #[arg(value_name = "URL|FILE")]
    from: String,
    #[command(flatten)]
    engine: EngineArgs,
    /// Name of this worker, different from all others [default: the name of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    /// With a server: write lines of JSON, one per answer
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = interrupt::stop();
    let name = arguments.name.clone();
    let name = name.unwrap_or_else(|| Name::like(&System::host_name().unwrap_or_default()));
    // Searches in progress are finished.
    let never = Stop::default();
    let jobs = arguments.engine.jobs();
    let (server, from, json) = (&arguments.server, &arguments.from, arguments.json);
    let is_url = from.contains("://");
    if is_url && let Some(outside) = arguments.engine.for_shogi()? {
        let start = || engines::start_for_shogi(&outside);
        let mut threads: Threads<shogi::Question> = Threads::start(jobs, start, &never)?;
        return nats::work(server, from, json, &mut threads, name, &stop);
    }
    let choice = arguments.engine.choice()?;
    let mut threads = Threads::start(jobs, || engines::start(&choice), &never)?;
    if is_url {
        nats::work(server, from, json, &mut threads, name, &stop)
    } else if from.contains('@') && !Path::new(from).exists() {
        // It may be an address with a password.
        let problem = "no such file; the address of a server begins with nats:// or tls://";
        let address = without_credentials(from);
        Err(Failure::file(Path::new(&address), problem))
    } else {
        answer_file(Path::new(from), &mut threads, &name, &stop)
    }
}

/// Searches for the tasks of a file, and writes each answer as soon as it is found.
fn answer_file(
    path: &Path,
    threads: &mut Threads,
    name: &Name,
    stop: &Stop,
) -> Result<(), Failure> {
    let engine = threads.engine();
    // `-` is standard input.
    let text = Source::open_or_stdin(path).and_then(decompress);
    let mut tasks = Lines::new(path, text.map_err(Error::io(path, "open"))?);
    let mut out = stdout();
    let (mut is_more, mut has_failed, mut ended) = (true, false, Ok(()));
    let (clock, mut failures) = (Clock::default(), Failures::default());
    // Searches in progress are finished.
    let never = Stop::default();
    let mut gather = Gather::new(threads, &mut failures, &never, &clock);
    loop {
        while is_more && !stop.is_set() && gather.has_room() {
            match next_task(path, &mut tasks) {
                Ok(Some(task)) if task.engine == engine => gather.ask(task.request)?,
                Ok(Some(task)) => {
                    let problem = format!(
                        "asks for a level of {}, but the engine here uses levels of {engine}: choose another one with --engine",
                        task.engine
                    );
                    (is_more, ended) = (false, Err(tasks.bad(problem).into()));
                }
                Ok(None) => is_more = false,
                Err(error) => (is_more, ended) = (false, Err(error)),
            }
        }
        let reply = match gather.next(None)? {
            Next::Reply(reply) => *reply,
            Next::Due => continue,
            Next::End => break,
        };
        let (request, answer) = (reply.question, reply.answer);
        has_failed |= answer.is_err();
        let reply = wire::Reply {
            question: wire::Question { request, engine },
            answer: answer.map_err(|why| NoAnswer::Engine(why.to_string())),
            worker: name.clone(),
        };
        writeln!(out, "{}", reply.to_line())?;
        out.flush()?;
    }
    match stop.is_set() {
        true => Err(Failure::Interrupted),
        false => ended.and(Failure::told_if(has_failed)),
    }
}

/// The next task of the file at `path`.
fn next_task(path: &Path, lines: &mut Lines) -> Result<Option<wire::Question>, Failure> {
    let Some(line) = lines.next_line()? else {
        return Ok(None);
    };
    let line = line.trim_ascii_end();
    let why = match wire::Question::from_line(line) {
        Ok(task) => return Ok(Some(task)),
        Err(why) => why,
    };
    let is_database = matches!(FileKind::of(path), Ok(FileKind::Database(_)));
    let problem = if <wire::Reply>::from_line(line).is_ok() {
        "an answer, not a search to be done; `obook merge BOOK FILE` adds answers to a book"
    } else if is_database || BOOK_FILE.is_in(path).is_ok_and(|is_in| is_in) {
        "a book, not searches to be done; `obook tasks BOOK > FILE` writes those"
    } else {
        &format!("not a task: {why}")
    };
    Err(lines.bad(problem).into())
}
