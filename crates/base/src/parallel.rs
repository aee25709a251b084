//! Parallel work whose results are used in order.

use rayon::prelude::*;
use std::iter::Flatten;
use std::sync::mpsc::{IntoIter, sync_channel};
use std::thread;

/// Applies `work` to the items in parallel and passes the results to `consume` in the order of the items. While some results
/// are consumed, the next items are worked on. Memory is bounded, however many items there are.
///
/// ```
/// use obook_base::parallel::in_order;
/// let mut squares = Vec::new();
/// in_order(0..5, |n| n * n, |square| -> Result<(), ()> {
///     squares.push(square);
///     Ok(())
/// })?;
/// assert_eq!(squares, [0, 1, 4, 9, 16]);
/// # Ok::<(), ()>(())
/// ```
///
/// # Errors
/// Returns the first error of `consume`.
pub fn in_order<I: Send, T: Send, E>(
    items: impl Iterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
    mut consume: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    // Enough for the cores to share evenly.
    let at_once = 4 * rayon::current_num_threads();
    let mut items = items.peekable();
    let mut done: Vec<T> = Vec::new();
    while items.peek().is_some() {
        let next: Vec<I> = items.by_ref().take(at_once).collect();
        let mut made = Vec::new();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next.into_par_iter().map(&work).collect_into_vec(&mut made));
            done.drain(..).try_for_each(&mut consume)
        })?;
        done = made;
    }
    done.into_iter().try_for_each(consume)
}

/// As [`in_order`], on a thread for each worker, for work that needs something that threads can't share. There must be at
/// least one worker. The workers take turns, so each one gets every nth item. `items` runs on a thread of its own.
///
/// # Errors
/// Returns the first error of `consume`.
pub fn in_turns<W: Send, I: Send, T: Send, Items: Iterator<Item = I>, E>(
    workers: &mut [W],
    items: impl FnOnce() -> Items + Send,
    work: impl Fn(&mut W, I) -> T + Sync,
    consume: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    /// How many items and results of each worker may wait.
    const WAITING: usize = 1;
    let work = &work;
    thread::scope(|scope| {
        let (mut jobs, mut results) = (Vec::new(), Vec::new());
        for worker in workers {
            let (job, given) = sync_channel(WAITING);
            let (sender, result) = sync_channel(WAITING);
            scope.spawn(move || {
                for item in given {
                    // After an error nobody receives the results.
                    if sender.send(work(worker, item)).is_err() {
                        return;
                    }
                }
            });
            jobs.push(job);
            results.push(result);
        }
        scope.spawn(move || {
            for (item, job) in items().zip(jobs.iter().cycle()) {
                if job.send(item).is_err() {
                    return;
                }
            }
        });
        // The first worker without a result is the one whose turn comes after the last item.
        let mut in_turn = results.iter().cycle().map_while(|it| it.recv().ok());
        in_turn.try_for_each(consume)
    })
}

/// The items that [`read_ahead`] passes on.
pub type Ahead<T> = Flatten<IntoIter<Vec<T>>>;

/// Lets `consume` use the items in order while another thread produces them, a bounded number ahead. If they fit into one
/// batch, no thread is needed. `consume` must drop the items before it returns: until then that thread may wait.
pub fn read_ahead<T: Send, R>(
    items: impl Iterator<Item = T> + Send,
    consume: impl FnOnce(Ahead<T>) -> R,
) -> R {
    read_ahead_by(items, |_| 1, consume)
}

/// As [`read_ahead`], for items of different sizes: `weigh` tells for how many usual ones each counts.
pub fn read_ahead_by<T: Send, R>(
    mut items: impl Iterator<Item = T> + Send,
    weigh: impl Fn(&T) -> usize + Send,
    consume: impl FnOnce(Ahead<T>) -> R,
) -> R {
    /// Items in a batch: enough that handing it over costs next to nothing.
    const BATCH: usize = 1 << 12;
    /// Batches that may wait: enough to even out the two sides, and few enough to need little memory.
    const WAITING: usize = 4;
    let (sender, receiver) = sync_channel(WAITING);
    let ahead = receiver.into_iter().flatten();
    // Returns whether there may be more.
    let mut send = move || {
        let (mut batch, mut weight) = (Vec::new(), 0);
        while weight < BATCH {
            let Some(item) = items.next() else {
                let _ = sender.send(batch);
                return false;
            };
            weight += weigh(&item);
            batch.push(item);
        }
        // The consumer may stop before the end.
        sender.send(batch).is_ok()
    };
    if !send() {
        drop(send);
        return consume(ahead);
    }
    thread::scope(|scope| {
        scope.spawn(move || while send() {});
        consume(ahead)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_keeps_the_order_and_stops_at_an_error() {
        let mut found = Vec::new();
        let squares = in_order(
            0..1000u32,
            |n| n * n,
            |square| -> Result<(), ()> {
                found.push(square);
                Ok(())
            },
        );
        assert_eq!(squares, Ok(()));
        assert!(found.iter().copied().eq((0..1000).map(|n| n * n)));
        let until = in_order(0.., |n| n, |n| if n < 100 { Ok(()) } else { Err(n) });
        assert_eq!(until, Err(100));
    }

    #[test]
    fn in_turns_keeps_the_order_and_stops_at_an_error() {
        let mut counts = [0u32; 3];
        let mut found = Vec::new();
        let count = |count: &mut u32, n| {
            *count += 1;
            n
        };
        let done = in_turns(
            &mut counts,
            || 0..100,
            count,
            |n| -> Result<(), ()> {
                found.push(n);
                Ok(())
            },
        );
        assert_eq!(done, Ok(()));
        assert!(found.into_iter().eq(0..100));
        assert_eq!(counts, [34, 33, 33]);
        let until = |n| if n < 10 { Ok(()) } else { Err(n) };
        assert_eq!(in_turns(&mut counts, || 0.., count, until), Err(10));
    }
}
