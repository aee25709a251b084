//! Work on several threads, each with something of its own that can't be shared, whose results are used in order.

use std::sync::mpsc::sync_channel;
use std::thread;

/// Items and results of each worker that may wait, so that memory stays bounded.
const WAITING: usize = 1;

/// Does `work` on items in parallel and gives the results to `consume` in the order of the items. The workers, one of which
/// there has to be at least, get the items in turn; `items` is called on a thread of its own.
///
/// # Errors
/// The first that `consume` has.
pub fn in_turns<W: Send, I: Send, T: Send, Items: Iterator<Item = I>, E>(
    workers: &mut [W],
    items: impl FnOnce() -> Items + Send,
    work: impl Fn(&mut W, I) -> T + Sync,
    consume: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let work = &work;
    thread::scope(|scope| {
        let (mut jobs, mut results) = (Vec::new(), Vec::new());
        for worker in workers {
            let (job, given) = sync_channel(WAITING);
            let (sender, result) = sync_channel(WAITING);
            scope.spawn(move || {
                for item in given {
                    // The rest may not be wanted.
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
        // The first worker that has no result more is the one whose turn came after the last item.
        results
            .iter()
            .cycle()
            .map_while(|result| result.recv().ok())
            .try_for_each(consume)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_an_error_ends_it() {
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
