//! Searches on other machines, over a NATS server.

use crate::options::server::{LearnArgs, ServerArgs};
use crate::output::tell_event;
use crate::prelude::*;
use obook_base::hex;
use obook_engine::wire::Name;
use obook_engine::{Request, Stop};
pub(crate) use obook_learn::nats::Traffic;
use obook_learn::nats::{Error, Event, Learner, LearnerOptions, Server};
use obook_learn::search::{Asked, Threads, Workers};
use obook_learn::shogi;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Instant;

impl ServerArgs {
    /// The server at this address.
    fn at(&self, url: &str) -> Server {
        Server {
            url: url.to_owned(),
            credentials: self.creds.clone(),
            authorities: self.ca.clone(),
            certificate: self.cert.clone().zip(self.key.clone()),
        }
    }
}

impl LearnArgs {
    /// Whether this build can do what is asked for.
    pub(crate) fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Connects to the workers on other machines; `None` if no server is given. `is_first`: whether this run has not used the
    /// engine's levels before.
    pub(crate) fn workers<Q: Asked>(
        &self,
        book: &Path,
        name: &str,
        engine: Q::Engine,
        is_first: bool,
        stop: &Stop,
    ) -> obook_learn::Result<Option<Box<dyn Workers<Q>>>> {
        let Some(url) = &self.nats else {
            return Ok(None);
        };
        let server = self.server.at(url);
        let options = LearnerOptions {
            engine_name: name.to_owned(),
            engine,
            book: name_of_book(book),
            lease: self.lease,
            check_one_in: self.check_one_in,
            // One warning a run is enough.
            warn_of_lease: is_first,
        };
        let warn = |warning: &str| say(format_args!("obook: {warning}"));
        let learner = Learner::<Q>::connect(&server, options, stop, warn)?;
        Ok(Some(Box::new(learner)))
    }

    /// Asks the server what waits there for a book; `None` if no server is given.
    pub(crate) fn traffic(&self, book: &Path) -> Result<Option<Traffic>, Error> {
        let traffic = |url: &String| Traffic::at(&self.server.at(url), &name_of_book(book));
        self.nats.as_ref().map(traffic).transpose()
    }
}

/// The name of a book on a server: that of its file, and a digest of its path and the machine, so that no other book has it.
/// Answers wait under this name; if a book was moved, they are asked for again.
fn name_of_book(path: &Path) -> Name {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    let whole = whole.unwrap_or_else(|_| path.to_owned());
    let machine = sysinfo::System::host_name().unwrap_or_default();
    name_on(&Name::like(&machine), &whole)
}

/// The name of a book on a server, by its machine and its absolute path.
fn name_on(machine: &Name, path: &Path) -> Name {
    let digest = Sha256::new()
        .chain_update(machine.as_str())
        .chain_update([0])
        .chain_update(path.as_os_str().as_encoded_bytes())
        .finalize();
    let digest = hex(&digest[..8]);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.chars().take(32).collect();
    Name::like(&format!("{stem}-{digest}"))
}

/// Describes what waits at a server.
pub(crate) fn describe(traffic: &Traffic, out: &mut dyn Write) -> io::Result<()> {
    let Traffic { engines, answers } = traffic;
    if engines.is_empty() {
        writeln!(out, "at the server: no questions yet")?;
    }
    for it in engines {
        let waiting = count(it.waiting, "question[|s]");
        let (engine, taken, wanted) = (&it.engine, it.taken, it.wanted);
        writeln!(
            out,
            "at the server, for {engine}: {waiting} waiting, {taken} with workers, room for {wanted} more"
        )?;
    }
    let unread = "at the server: # answer[|s] not in the book yet";
    if_any(*answers, unread, out)
}

/// Searches for the server at `url` until `stop` is set.
pub(crate) fn work<Q: Shown>(
    server: &ServerArgs,
    url: &str,
    json: bool,
    threads: &mut Threads<Q>,
    name: Name,
    stop: &Stop,
) -> Result<(), Failure> {
    let mut answers: u64 = 0;
    let mut dropped: u64 = 0;
    let mut last = Instant::now();
    let worked = obook_learn::nats::work(&server.at(url), threads, &name, stop, &mut |event| {
        if json {
            // Stop if the reader has gone away.
            if tell_as_json(&name, event).is_err() {
                stop.set();
            }
            return;
        }
        match event {
            Event::Waiting(reason) => say(format_args!("obook: {reason}")),
            Event::Ready => say(format_args!("obook: {name} is ready to search")),
            Event::Dropped(why) => {
                dropped += 1;
                if dropped <= SAID_DROPPED {
                    say(format_args!(
                        "obook: dropped a message that is no question: {why}"
                    ));
                }
            }
            Event::Reply(reply) => match &reply.answer {
                Ok(_) => {
                    answers += 1;
                    if last.elapsed() >= SAID {
                        say(format_args!("obook: {answers} answers so far"));
                        last = Instant::now();
                    }
                }
                Err(failure) => {
                    let asked = Q::asked(&reply.question);
                    let board = asked["board"].as_str().unwrap_or_default();
                    say(format_args!("obook: {board}: {failure}"));
                }
            },
        }
    })?;
    if json {
        return Ok(tell_event("end", &worked)?);
    }
    let out = &mut stdout();
    let answers = count(worked.answers, "answer[|s]");
    let failures = count(worked.failures, "search[|es] failed");
    let dropped = some(worked.dropped, ", # message[|s] dropped");
    writeln!(out, "{answers}, {failures}{dropped}")?;
    Ok(out.flush()?)
}

/// The interval between reports of the number of answers.
const SAID: Duration = Duration::from_secs(60);

/// The number of dropped messages that are reported one by one.
const SAID_DROPPED: u64 = 8;

/// A question, and the best move or why there is none, as fields of JSON.
#[derive(Serialize)]
struct Replied {
    #[serde(flatten)]
    asked: Value,
    #[serde(flatten)]
    found: Option<Value>,
}

/// A game's questions and answers, as reports show them: fields of JSON.
pub(crate) trait Shown: Asked {
    /// The question, with its board.
    fn asked(wire: &Self::Wire) -> Value;

    /// The best move of an answer.
    fn best(answer: &Self::Answer) -> Option<Value>;
}

impl Shown for Request {
    fn asked(wire: &Self::Wire) -> Value {
        let request = &wire.request;
        json!({ "board": request.board().to_text(), "level": request.level() })
    }

    fn best(answer: &Self::Answer) -> Option<Value> {
        let (mv, seconds) = (answer.mv.to_string(), answer.time.as_secs_f64());
        Some(json!({ "move": mv, "score": answer.score, "seconds": seconds }))
    }
}

impl Shown for shogi::Question {
    fn asked(wire: &Self::Wire) -> Value {
        json!({ "board": wire.search.board.to_string(), "go": wire.go.to_string() })
    }

    fn best(answers: &Self::Answer) -> Option<Value> {
        let best = answers.first()?;
        Some(json!({ "move": best.mv.to_string(), "score": best.score }))
    }
}

/// Writes an event as a line of JSON.
fn tell_as_json<Q: Shown>(worker: &Name, event: &Event<Q>) -> io::Result<()> {
    match event {
        Event::Waiting(reason) => tell_event("waiting", &json!({ "reason": reason })),
        Event::Ready => tell_event("ready", &json!({ "worker": worker.as_str() })),
        Event::Dropped(reason) => tell_event("dropped", &json!({ "reason": reason })),
        Event::Reply(reply) => {
            let asked = Q::asked(&reply.question);
            let (event, found) = match &reply.answer {
                Ok(answer) => ("answer", Q::best(answer)),
                Err(failure) => ("failure", Some(json!({ "reason": failure.to_string() }))),
            };
            tell_event(event, &Replied { asked, found })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers wait at the server under this name, whichever release of obook asked for them.
    #[test]
    fn the_name_of_a_book_stays_the_same() {
        let name = name_on(&Name::like("attic"), Path::new("/nowhere/my book.obook"));
        assert_eq!(name.as_str(), "my-book-abef1a98a2cb0498");
        let other = name_on(&Name::like("attic"), Path::new("/nowhere/my-book.obook"));
        assert_ne!(name, other);
    }
}
