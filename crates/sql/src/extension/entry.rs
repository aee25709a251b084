//! The entry points for programs that load the extension.
#![allow(unsafe_code)]

use rusqlite::{Connection, ffi};
use std::ffi::{c_char, c_int};
use std::mem::{MaybeUninit, offset_of};

/// The oldest SQLite with all functions used here: 3.40.
const OLDEST: c_int = 3_040_000;

/// SQLite calls this function after loading a library named `libobook_sql`.
///
/// # Safety
/// The arguments must come from SQLite: an open connection, a place for a message, and its own functions.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn sqlite3_obooksql_init(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // False, since other connections load the library themselves.
    let all = |it: Connection| super::register(&it).map(|()| false);
    // SAFETY: SQLite's own arguments, handed on as they came.
    unsafe { load(db, message, api, all) }
}

/// Like [`sqlite3_obooksql_init`], but without tables that read files. It must be named when the library is loaded.
///
/// # Safety
/// The same as there.
// SAFETY: as there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn sqlite3_obook_without_files_init(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    let without_files = |it: Connection| super::register_without_files(&it).map(|()| false);
    // SAFETY: SQLite's own arguments, handed on as they came.
    unsafe { load(db, message, api, without_files) }
}

/// Opens the connection through SQLite's own functions.
///
/// # Safety
/// The arguments must come from SQLite; `api` may be null.
unsafe fn load(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
    register: fn(Connection) -> rusqlite::Result<bool>,
) -> c_int {
    // A SQLite built without extensions has no such table, but still calls functions registered for all connections.
    if api.is_null() {
        return ffi::SQLITE_ERROR;
    }
    // SAFETY: `api` points to SQLite's table of functions.
    let version = unsafe { (*api).libversion_number.map_or(0, |version| version()) };
    if version < OLDEST {
        // SAFETY: as the caller promises.
        unsafe { refuse(message, api, version) };
        return ffi::SQLITE_ERROR;
    }
    let mut older;
    let api = if version < ffi::SQLITE_VERSION_NUMBER {
        // SAFETY: the version was checked.
        older = unsafe { with_older_functions(api) };
        &raw mut older
    } else {
        api
    };
    // SAFETY: as the caller promises; the table of functions is only read during the call.
    unsafe { Connection::extension_init2(db, message, api, register) }
}

/// Extends the function table of an older SQLite to the one described by [`ffi`]. Otherwise `rusqlite` would refuse any SQLite but
/// the newest, although no newer function is called here.
///
/// # Safety
/// `api` must be the table of a SQLite of at least [`OLDEST`].
unsafe fn with_older_functions(api: *const ffi::sqlite3_api_routines) -> ffi::sqlite3_api_routines {
    /// The length of SQLite 3.40's table: up to the first function of 3.41. Later versions only append functions.
    const LEN: usize = offset_of!(ffi::sqlite3_api_routines, is_interrupted);
    let mut table = MaybeUninit::<ffi::sqlite3_api_routines>::zeroed();
    // SAFETY: both tables have `LEN` bytes, as explained above, and the new table overlaps no other. All of its fields are
    // optional functions, and zeroes mean `None`.
    let mut table = unsafe {
        std::ptr::copy_nonoverlapping(api.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), LEN);
        table.assume_init()
    };
    table.libversion_number = Some(described_version);
    table
}

/// The version described by [`ffi`].
unsafe extern "C" fn described_version() -> c_int {
    ffi::SQLITE_VERSION_NUMBER
}

/// Reports why the extension isn't loaded.
///
/// # Safety
/// `api` must be SQLite's table of functions, and `message` null or a place for a message.
unsafe fn refuse(message: *mut *mut c_char, api: *const ffi::sqlite3_api_routines, version: c_int) {
    let (major, minor) = (version / 1_000_000, version / 1000 % 1000);
    let text = format!("obook's functions need SQLite 3.40 or newer; this is {major}.{minor}\0");
    // SAFETY: as the caller promises. SQLite frees the message with its own allocator, so it is allocated with that, with room
    // for the whole text including its final zero.
    unsafe {
        let Some(malloc) = (*api).malloc else { return };
        let Ok(len) = c_int::try_from(text.len()) else {
            return;
        };
        if message.is_null() {
            return;
        }
        let place = malloc(len).cast::<u8>();
        if !place.is_null() {
            std::ptr::copy_nonoverlapping(text.as_ptr(), place, text.len());
            *message = place.cast();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::{CStr, c_void};
    use std::ptr::null_mut;

    unsafe extern "C" fn version() -> c_int {
        OLDEST
    }

    /// Allocates memory that isn't zeroed; [`freed`] frees it.
    unsafe extern "C" fn malloc(len: c_int) -> *mut c_void {
        let place = vec![0xff_u8; len.try_into().unwrap()];
        Box::leak(place.into_boxed_slice()).as_mut_ptr().cast()
    }

    /// Returns the text put into such memory, and frees it.
    fn freed(message: *mut c_char) -> String {
        // SAFETY: a text with its final zero was put there, and it fills what `malloc` returned.
        unsafe {
            let len = CStr::from_ptr(message).to_bytes_with_nul().len();
            let place = Box::from_raw(std::ptr::slice_from_raw_parts_mut(
                message.cast::<u8>(),
                len,
            ));
            CStr::from_bytes_with_nul(&place)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        }
    }

    fn functions() -> ffi::sqlite3_api_routines {
        // SAFETY: all fields are optional functions, and zeroes mean `None`.
        let mut table = unsafe { MaybeUninit::<ffi::sqlite3_api_routines>::zeroed().assume_init() };
        table.libversion_number = Some(version);
        table.malloc = Some(malloc);
        table
    }

    #[test]
    fn an_older_table_is_copied_as_far_as_it_goes() {
        let mut old = functions();
        old.is_interrupted = None;
        // SAFETY: the table is one of this version, which is newer.
        let table = unsafe { with_older_functions(&raw const old) };
        // SAFETY: it takes nothing and returns a number.
        let described = unsafe { table.libversion_number.unwrap()() };
        assert_eq!(described, ffi::SQLITE_VERSION_NUMBER);
        assert!(table.malloc.is_some() && table.is_interrupted.is_none());
    }

    #[test]
    fn a_refusal_is_reported_if_there_is_a_place() {
        let api = functions();
        let mut message: *mut c_char = null_mut();
        // SAFETY: the table has the function needed, and the place is valid.
        unsafe { refuse(&raw mut message, &raw const api, 3_039_002) };
        assert_eq!(
            freed(message),
            "obook's functions need SQLite 3.40 or newer; this is 3.39"
        );
        // SAFETY: null is allowed.
        unsafe { refuse(null_mut(), &raw const api, 3_039_002) };
    }
}
