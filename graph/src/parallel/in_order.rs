//! Work on all cores whose results are used one after another.

use rayon::prelude::*;

/// Does `work` on items in parallel and gives the results to `consume` in the order of the items. While some are consumed
/// the next are worked on; how many there are at a time is bounded.
///
/// # Errors
/// The first that `consume` has.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_an_error_ends_it() {
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
}
