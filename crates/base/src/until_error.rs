//! Iterators over results that end after their first error.

use std::iter::FusedIterator;

/// The results of an iterator up to its first error, which comes last. So nobody can take a result after an error for
/// the next item.
///
/// ```
/// use obook_base::UntilError;
/// let results = UntilError::new([Ok(1), Err("unreadable"), Ok(3)].into_iter());
/// assert!(results.eq([Ok(1), Err("unreadable")]));
/// ```
#[derive(Clone, Debug)]
pub struct UntilError<I>(Option<I>);

impl<I> UntilError<I> {
    /// Ends `results` after the first error.
    pub fn new(results: I) -> UntilError<I> {
        UntilError(Some(results))
    }
}

impl<T, E, I: Iterator<Item = Result<T, E>>> Iterator for UntilError<I> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Result<T, E>> {
        let next = self.0.as_mut()?.next();
        if !matches!(next, Some(Ok(_))) {
            self.0 = None;
        }
        next
    }
}

impl<T, E, I: Iterator<Item = Result<T, E>>> FusedIterator for UntilError<I> {}
