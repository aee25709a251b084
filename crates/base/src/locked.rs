//! Locks that outlive a panic, and threads whose panic goes on.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Locks data that no panic can leave half-changed, so that it doesn't matter whether a thread panicked with the lock.
pub fn locked<T>(data: &Mutex<T>) -> MutexGuard<'_, T> {
    data.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value that a thread returned, from joining it. If the thread panicked, the panic goes on here.
pub fn returned<T>(ended: thread::Result<T>) -> T {
    ended.unwrap_or_else(|panic| resume_unwind(panic))
}
