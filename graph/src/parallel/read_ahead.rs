//! Working ahead: one thread makes items while another uses them.

use std::sync::mpsc::sync_channel;
use std::thread;

/// Items handed over at once: enough that the handing over costs nothing.
const BATCH: usize = 1 << 12;
/// Batches that may wait: enough to even out the two sides, few enough to need little memory.
const WAITING: usize = 4;

/// Lets `consume` use the items in order while another thread makes them, a bounded number ahead.
pub fn read_ahead<T: Send, R>(
    items: impl Iterator<Item = T> + Send,
    consume: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    let (sender, receiver) = sync_channel(WAITING);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut items = items.peekable();
            while items.peek().is_some() {
                let batch: Vec<T> = items.by_ref().take(BATCH).collect();
                // The consumer may have stopped before the end.
                if sender.send(batch).is_err() {
                    return;
                }
            }
        });
        consume(&mut receiver.into_iter().flatten())
    })
}
