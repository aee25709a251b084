//! Where a program that loads the extension comes in.
#![allow(unsafe_code)]

use rusqlite::{Connection, ffi};
use std::ffi::{c_char, c_int};
use std::mem::{MaybeUninit, offset_of};

/// The oldest SQLite that has all the functions that are used here: 3.40.
const OLDEST: c_int = 3_040_000;

/// SQLite looks for this name in a library called `libobook_extension`, and calls it when it has loaded it.
///
/// # Safety
/// The arguments are those that SQLite gives: an open connection, a place for a message, and its own functions.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn sqlite3_obookextension_init(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite's own arguments, handed on as they came.
    unsafe { load(db, message, api, all) }
}

/// As [`sqlite3_obookextension_init`], without tables that read files, for those that name it when loading the library.
///
/// # Safety
/// As there.
// SAFETY: as there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn sqlite3_obook_without_files_init(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite's own arguments, handed on as they came.
    unsafe { load(db, message, api, without_files) }
}

/// Makes a connection of SQLite's own functions.
///
/// # Safety
/// The arguments are those that SQLite gives; `api` may be null.
unsafe fn load(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
    register: fn(Connection) -> rusqlite::Result<bool>,
) -> c_int {
    // A SQLite that was built without extensions has no such table, and yet calls what is registered for all connections.
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

/// Other connections load the library for themselves, which is what `false` stands for.
fn all(connection: Connection) -> rusqlite::Result<bool> {
    crate::register(&connection).map(|()| false)
}

/// As [`all`].
fn without_files(connection: Connection) -> rusqlite::Result<bool> {
    crate::register_without_files(&connection).map(|()| false)
}

/// The functions of a SQLite that is older than the one whose table [`ffi`] describes, as if they were that one's: without
/// them `rusqlite` refuses every SQLite but the newest, though none of what is newer is called here.
///
/// # Safety
/// `api` is the table of a SQLite of at least [`OLDEST`].
unsafe fn with_older_functions(api: *const ffi::sqlite3_api_routines) -> ffi::sqlite3_api_routines {
    /// The functions that SQLite 3.40 has: those before the first of 3.41. Later versions add functions at the end and
    /// leave the others where they are.
    const LEN: usize = offset_of!(ffi::sqlite3_api_routines, is_interrupted);
    let mut table = MaybeUninit::<ffi::sqlite3_api_routines>::zeroed();
    // SAFETY: both tables have `LEN` bytes, as said above, and a new table overlaps no other. All of its fields are
    // optional functions, which all zeroes mean the absence of.
    let mut table = unsafe {
        std::ptr::copy_nonoverlapping(api.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), LEN);
        table.assume_init()
    };
    table.libversion_number = Some(described_version);
    table
}

/// The version that [`ffi`] describes.
unsafe extern "C" fn described_version() -> c_int {
    ffi::SQLITE_VERSION_NUMBER
}

/// Says why the extension is not loaded.
///
/// # Safety
/// `api` is SQLite's table of functions, and `message` null or a place for a message.
unsafe fn refuse(message: *mut *mut c_char, api: *const ffi::sqlite3_api_routines, version: c_int) {
    let (major, minor) = (version / 1_000_000, version / 1000 % 1000);
    let text = format!("obook's functions need SQLite 3.40 or newer; this is {major}.{minor}\0");
    // SAFETY: the caller's promises. SQLite frees the message by its own allocator, so it is allocated by that, with
    // room for all of the text, its final zero included.
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

    /// Memory that begins as anything but zeroes; [`freed`] frees it.
    unsafe extern "C" fn malloc(len: c_int) -> *mut c_void {
        let place = vec![0xff_u8; len.try_into().unwrap()];
        Box::leak(place.into_boxed_slice()).as_mut_ptr().cast()
    }

    /// The text that was put into such memory.
    fn freed(message: *mut c_char) -> String {
        // SAFETY: a text was put there, with its final zero, and it fills what `malloc` gave.
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
        // SAFETY: all fields are optional functions, which all zeroes mean the absence of.
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
        // SAFETY: it takes nothing and gives a number.
        let described = unsafe { table.libversion_number.unwrap()() };
        assert_eq!(described, ffi::SQLITE_VERSION_NUMBER);
        assert!(table.malloc.is_some() && table.is_interrupted.is_none());
    }

    #[test]
    fn a_refusal_is_told_where_there_is_a_place() {
        let api = functions();
        let mut message: *mut c_char = null_mut();
        // SAFETY: the table has what it needs, and the place is one.
        unsafe { refuse(&raw mut message, &raw const api, 3_039_002) };
        assert_eq!(
            freed(message),
            "obook's functions need SQLite 3.40 or newer; this is 3.39"
        );
        // SAFETY: null is no place, and allowed.
        unsafe { refuse(null_mut(), &raw const api, 3_039_002) };
    }
}
