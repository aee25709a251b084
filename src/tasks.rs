//! Files of tasks, and of their answers: what goes to machines that no network reaches, and what comes back.

use crate::failure::Failure;
use crate::output::stdout;
use obook_engine::Stop;
use obook_engine::wire::{self, Failure as NoAnswer, Lines, Name};
use obook_learn::search::{Clock, Failures, Gather, Next, Question, Reply, Threads, Workers};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

/// Writes the answers to the tasks of a file, each as soon as it is there.
pub(crate) fn answer_file(
    path: &Path,
    threads: &mut Threads,
    name: &Name,
    stop: &Stop,
) -> Result<(), Failure> {
    let engine = threads.engine();
    let mut tasks = Tasks::open(path)?;
    let mut out = stdout();
    let (mut is_more, mut failed) = (true, false);
    let (clock, mut failures) = (Clock::default(), Failures::default());
    // After a stop, searches under way go on to their end.
    let never = Stop::default();
    let mut gather = Gather::new(threads, &mut failures, &never, &clock);
    loop {
        while is_more && !stop.is_set() && gather.has_room() {
            let Some(task) = tasks.next_task()? else {
                is_more = false;
                break;
            };
            if task.engine != engine {
                let problem = format!(
                    "asks for a level of {}, and the engine here has levels of {engine}: name one with --engine",
                    task.engine
                );
                return Err(tasks.failure(&problem));
            }
            gather.ask(Question {
                board: task.request.board().canonical(),
                request: task.request,
            })?;
        }
        let Reply {
            question, answer, ..
        } = match gather.next(None)? {
            Next::Reply(reply) => *reply,
            Next::Due => continue,
            Next::End => break,
        };
        failed |= answer.is_err();
        let reply = wire::Reply {
            question: wire::Question {
                request: question.request,
                engine,
            },
            answer: answer.map_err(|why| NoAnswer::Engine(why.to_string())),
            worker: name.clone(),
        };
        writeln!(out, "{}", reply.to_line())?;
        out.flush()?;
    }
    match failed {
        _ if stop.is_set() => Err(Failure::Interrupted),
        false => Ok(()),
        true => Err(Failure::Told),
    }
}

/// The tasks of a file.
struct Tasks<'a> {
    path: &'a Path,
    lines: Lines<BufReader<File>>,
}

impl Tasks<'_> {
    fn open(path: &Path) -> Result<Tasks<'_>, Failure> {
        let file = File::open(path).map_err(failed(path, "open"))?;
        let lines = Lines::new(BufReader::new(file));
        Ok(Tasks { path, lines })
    }

    fn next_task(&mut self) -> Result<Option<wire::Question>, Failure> {
        let line = self.lines.next_line();
        let Some(line) = line.map_err(failed(self.path, "read"))? else {
            return Ok(None);
        };
        let task = wire::Question::from_line(line.trim_ascii_end());
        task.map(Some)
            .map_err(|why| self.failure(&format!("no task: {why}")))
    }

    fn failure(&self, problem: &str) -> Failure {
        let (path, at) = (self.path.to_owned(), self.lines.at());
        Failure::Command(obook_book::Error::BadLine {
            path,
            at,
            problem: problem.to_owned(),
        })
    }
}

fn failed(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| {
        Failure::Command(obook_book::Error::Io {
            path,
            doing,
            source,
        })
    }
}
