//! The starter book, which is inside the program and answers where no book is given.

use crate::prelude::*;
use crate::without::missing;
use obook::{Store, StoreError};
use obook_base::compression::Input;
use obook_base::locked;
use std::fs::File;
use std::sync::Mutex;

/// A snapshot of the book; docs/starter.md says how it was made. Builds without the feature have none.
#[cfg(feature = "starter")]
const SNAPSHOT: Option<&[u8]> = Some(include_bytes!("../starter/book.zst"));
#[cfg(not(feature = "starter"))]
const SNAPSHOT: Option<&[u8]> = None;

/// The book as a database, once it has been asked for.
static UNPACKED: Mutex<Option<Store>> = Mutex::new(None);

/// A temporary database with the starter book.
///
/// # Errors
/// If there is no room for it, or no book in this build.
pub(crate) fn path() -> Result<PathBuf, Failure> {
    let mut unpacked = locked(&UNPACKED);
    if let Some(store) = &*unpacked {
        return Ok(store.path().to_owned());
    }
    let lacking = || Failure::file(Path::new("starter"), missing("starter"));
    let snapshot = SNAPSHOT.ok_or_else(lacking)?;
    let make = |path: &Path| {
        let write = || io::copy(&mut Input::new(snapshot)?, &mut File::create_new(path)?);
        Ok(write().map(drop).map_err(StoreError::io(path, "write"))?)
    };
    let store = Store::temporary("starter.obook", make, &Context::default())?;
    Ok(unpacked.insert(store).path().to_owned())
}

/// The starter book in place of one that isn't given. Says so.
///
/// # Errors
/// As [`path`].
pub(crate) fn instead() -> Result<PathBuf, Failure> {
    let path = path()?;
    say(
        "obook: no book is given, so the starter book answers; `obook import starter` makes a copy that can grow",
    );
    Ok(path)
}

/// The path of the database, if the book has been asked for.
pub(crate) fn unpacked() -> Option<PathBuf> {
    let unpacked = locked(&UNPACKED);
    unpacked.as_ref().map(|store| store.path().to_owned())
}

/// Removes the database.
pub(crate) fn remove() {
    drop(locked(&UNPACKED).take());
}
