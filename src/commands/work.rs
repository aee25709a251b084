//! `obook work`: searches for a book on another machine.

use crate::failure::Failure;
use crate::interrupt;
use crate::options::engine::EngineArgs;
use crate::options::server::{ServerArgs, name_of_machine};
use crate::output::{stdout, write_json_line};
use crate::tasks::answer_file;
use crate::words::say;
use obook_engine::Stop;
use obook_engine::wire::Name;
use obook_learn::search::Threads;
use obook_nats::{Event, Worked, WorkerOptions, work};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// So often it is said how many answers there are.
const SAID: Duration = Duration::from_secs(60);

/// Search for a book on another machine
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook work nats://attic.lan\n  \
    obook work tls://books.example.org --creds me.creds --engine 'edax -nboard' --jobs 8\n  \
    obook work tasks > answers\n\n\
    With the address of a NATS server it answers what `obook learn BOOK --nats` asks there, until Ctrl-C, which lets it end the \
    searches at hand. When the server or the learner goes away, it waits until they are there again. With a file that `obook \
    tasks` has written it answers what the file asks, on standard output, for `obook merge BOOK answers`. The engine has to be \
    one of the kind that the learner named: levels mean something else to another.")]
pub(crate) struct Arguments {
    /// The address of a NATS server, or a file of tasks
    #[arg(value_name = "URL|FILE")]
    from: String,
    #[command(flatten)]
    engine: EngineArgs,
    /// What this worker is called; no two have the same name [default: the name of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    /// With a server: write lines of JSON, one for each answer
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let choice = arguments.engine.choice()?;
    let stop = Stop::default();
    interrupt::sets(&stop);
    let name = arguments.name.clone().unwrap_or_else(name_of_machine);
    // What is at hand is searched to its end.
    let never = Stop::default();
    let mut threads = Threads::start(arguments.engine.jobs(), &|| choice.start(), &never)?;
    if !arguments.from.contains("://") {
        return answer_file(Path::new(&arguments.from), &mut threads, &name, &stop);
    }
    let server = arguments.server.at(&arguments.from);
    let options = WorkerOptions {
        name,
        stop: stop.clone(),
    };
    let mut told = Told::new(arguments.json, options.name.clone());
    let worked = work(&server, &mut threads, &options, &mut |event| {
        // Who reads no more ends the work.
        if told.event(&event).is_err() {
            stop.set();
        }
    })?;
    told.end(worked)?;
    Ok(())
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Waiting {
        reason: &'a str,
    },
    Ready {
        worker: &'a str,
    },
    Answer {
        board: String,
        level: u8,
        #[serde(rename = "move")]
        mv: String,
        score: i8,
        seconds: f64,
    },
    Failure {
        board: String,
        level: u8,
        reason: String,
    },
    End {
        answers: u64,
        failures: u64,
    },
}

/// What is told of the work.
struct Told {
    json: bool,
    name: Name,
    answers: u64,
    last: Instant,
}

impl Told {
    fn new(json: bool, name: Name) -> Told {
        Told {
            json,
            name,
            answers: 0,
            last: Instant::now(),
        }
    }

    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if self.json {
            return write_json_line(&line(event, &self.name));
        }
        match event {
            Event::Waiting(reason) => say(format_args!("obook: {reason}")),
            Event::Ready => say(format_args!("obook: {} is ready to search", self.name)),
            Event::Reply(reply) => match &reply.answer {
                Ok(_) => {
                    self.answers += 1;
                    if self.last.elapsed() >= SAID {
                        say(format_args!("obook: {} answers so far", self.answers));
                        self.last = Instant::now();
                    }
                }
                Err(failure) => {
                    let board = reply.question.request.board().to_text();
                    say(format_args!("obook: {board}: {failure}"));
                }
            },
        }
        Ok(())
    }

    fn end(&self, worked: Worked) -> io::Result<()> {
        let Worked { answers, failures } = worked;
        if self.json {
            return write_json_line(&Line::End { answers, failures });
        }
        let out = &mut stdout();
        writeln!(out, "{answers} answers, {failures} searches without one")?;
        out.flush()
    }
}

fn line<'a>(event: &Event<'a>, name: &'a Name) -> Line<'a> {
    let reply = match event {
        Event::Waiting(reason) => return Line::Waiting { reason },
        Event::Ready => {
            return Line::Ready {
                worker: name.as_str(),
            };
        }
        Event::Reply(reply) => reply,
    };
    let request = &reply.question.request;
    let (board, level) = (request.board().to_text(), request.level());
    match &reply.answer {
        Ok(answer) => Line::Answer {
            board,
            level,
            mv: answer.mv.to_string(),
            score: answer.score,
            seconds: answer.time.as_secs_f64(),
        },
        Err(failure) => Line::Failure {
            board,
            level,
            reason: failure.to_string(),
        },
    }
}
