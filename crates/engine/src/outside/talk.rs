//! A dialogue with an engine, which is begun again when the engine fails.

use super::dialogue::Spoken;
use super::process::{Exchange, Process};
use super::{Failed, Outside};
use crate::{Limits, SearchError};
use std::io;
use std::time::{Duration, Instant};

/// The number of tries for a position.
const TRIES: u32 = 2;

/// An engine that is asked, whatever its game.
pub(super) struct Talk<D: ?Sized> {
    pub(super) outside: Outside,
    begin: fn(&Outside) -> io::Result<Box<D>>,
    /// `None` while the engine is asked, and after a failure. The process ends before the dialogue does.
    running: Option<(Process, Box<D>)>,
    /// Whether the engine has answered a question. Until then, its silence is reported.
    pub(super) has_answered: bool,
}

impl<D: Spoken + ?Sized> Talk<D> {
    /// Starts the process and checks that it speaks its protocol.
    pub(super) fn start(
        outside: &Outside,
        begin: fn(&Outside) -> io::Result<Box<D>>,
    ) -> Result<Talk<D>, SearchError> {
        Ok(Talk {
            outside: outside.clone(),
            begin,
            running: Some(greeted(outside, begin, true)?),
            has_answered: false,
        })
    }

    /// Asks about a position. If the process fails, restarts it and tries once more.
    pub(super) fn ask<T>(
        &mut self,
        limits: &Limits,
        position: impl Fn() -> String,
        mut ask: impl FnMut(&mut D, &mut Exchange<'_>) -> Result<T, Failed>,
    ) -> Result<T, SearchError> {
        let began = Instant::now();
        let mut tries = 1;
        loop {
            let mut running = match self.running.take() {
                Some(running) => running,
                None => greeted(&self.outside, self.begin, !self.has_answered)?,
            };
            let (process, dialogue) = &mut running;
            let Outside { name, patience, .. } = &self.outside;
            let unheard = Some(&**name).filter(|_| !self.has_answered);
            let mut engine = Exchange::new(process, Some((limits, began)), *patience, unheard);
            match ask(dialogue, &mut engine) {
                Ok(answer) => {
                    self.has_answered = true;
                    self.running = Some(running);
                    return Ok(answer);
                }
                Err(Failed::Stopped) => return Err(SearchError::Stopped),
                Err(Failed::Trouble(_)) if tries < TRIES => tries += 1,
                Err(Failed::Trouble(trouble)) => {
                    return Err(SearchError::Failed {
                        engine: name.clone(),
                        position: position().into(),
                        trouble,
                        said: process.last_words(),
                    });
                }
            }
        }
    }
}

/// Starts the process and waits until it has responded in its protocol.
fn greeted<D: Spoken + ?Sized>(
    outside: &Outside,
    begin: fn(&Outside) -> io::Result<Box<D>>,
    is_first: bool,
) -> Result<(Process, Box<D>), SearchError> {
    let begun = begin(outside).and_then(|dialogue| Ok((Process::start(outside)?, dialogue)));
    let mut running = begun.map_err(|source| SearchError::NotStarted {
        engine: outside.name.clone(),
        program: outside.executable().into(),
        source,
    })?;
    let (process, dialogue) = &mut running;
    // It may have to read large files on a busy machine.
    let patience = outside.patience.min(Duration::from_secs(300));
    let unheard = Some(&*outside.name).filter(|_| is_first);
    match dialogue.greet(&mut Exchange::new(process, None, patience, unheard)) {
        Ok(()) => Ok(running),
        Err(Failed::Stopped) => Err(SearchError::Stopped),
        Err(Failed::Trouble(trouble)) => Err(SearchError::NotSpeaking {
            engine: outside.name.clone(),
            program: outside.executable().into(),
            protocol: outside.protocol,
            trouble,
            said: process.last_words(),
        }),
    }
}
