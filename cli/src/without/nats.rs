//! Takes the place of the module `nats` in builds without the feature of that name.

use crate::failure::Failure;
use crate::options::server::{LearnArgs, ServerArgs};
use crate::without::missing;
use obook_engine::Stop;
use obook_engine::wire::{Name, without_credentials};
use obook_learn::search::{Asked, Threads, Workers};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// The failure of a command that names a NATS server: this build can't connect to it.
fn missing_at(url: &str) -> Failure {
    Failure::file(Path::new(&without_credentials(url)), missing("nats"))
}

/// There is no traffic.
#[derive(Serialize)]
pub(crate) enum Traffic {}

impl LearnArgs {
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match &self.nats {
            Some(url) => Err(missing_at(url)),
            None => Ok(()),
        }
    }

    pub(crate) fn workers<Q: Asked>(
        &self,
        _book: &Path,
        _name: &str,
        _engine: Q::Engine,
        _is_first: bool,
        _stop: &Stop,
    ) -> obook_learn::Result<Option<Box<dyn Workers<Q>>>> {
        Ok(None)
    }

    pub(crate) fn traffic(&self, _book: &Path) -> Result<Option<Traffic>, Failure> {
        Ok(None)
    }
}

pub(crate) fn describe(traffic: &Traffic, _out: &mut dyn Write) -> io::Result<()> {
    match *traffic {}
}

pub(crate) fn work<Q: Asked>(
    _server: &ServerArgs,
    url: &str,
    _json: bool,
    _threads: &mut Threads<Q>,
    _name: Name,
    _stop: &Stop,
) -> Result<(), Failure> {
    Err(missing_at(url))
}
