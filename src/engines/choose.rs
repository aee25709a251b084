//! An engine by name or by command.

use super::command;
use super::file::EnginesFile;
use super::no_engine::NoEngine;
use obook_engine::EngineChoice;

/// Returns the engine with this name or command.
pub(crate) fn choose(given: &str) -> Result<EngineChoice, NoEngine> {
    if given == EngineChoice::Inside.name() {
        return Ok(EngineChoice::Inside);
    }
    if let Some(outside) = command::with_protocol(given)? {
        return Ok(EngineChoice::Outside(outside));
    }
    let mut file = EnginesFile::read()?;
    if let Some(outside) = file.engines.remove(given) {
        return Ok(EngineChoice::Outside(outside));
    }
    if let Some(outside) = command::guessed(given)? {
        return Ok(EngineChoice::Outside(outside));
    }
    Err(NoEngine::Unknown {
        given: given.to_owned(),
        known: file.known(),
        protocols: command::protocols(),
    })
}
