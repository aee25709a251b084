//! Merging sorted runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A k-way merge: finds the run with the next item among several sorted runs. Equal keys come in the order of their runs.
///
/// The caller keeps the runs, which may be readers of files, iterators or ranges of an array.
pub struct KWay<K> {
    heads: BinaryHeap<Reverse<(K, usize)>>,
}

impl<K: Ord + Copy> KWay<K> {
    /// Starts with the first key of each run that isn't empty, and the run's number.
    pub fn new(heads: impl IntoIterator<Item = (K, usize)>) -> KWay<K> {
        KWay {
            heads: heads.into_iter().map(Reverse).collect(),
        }
    }

    /// Returns the run with the next item. `advance` takes the item off that run and returns the next key of the run.
    ///
    /// # Errors
    /// Returns the error of `advance`. The merge then stays as it was.
    pub fn next<E>(
        &mut self,
        advance: impl FnOnce(usize) -> Result<Option<K>, E>,
    ) -> Result<Option<usize>, E> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Reverse((_, run)) = *head;
        match advance(run)? {
            Some(key) => *head = Reverse((key, run)),
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(Some(run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    proptest! {
        #[test]
        fn merges_sorted_runs(mut runs in prop::collection::vec(prop::collection::vec(0..9u8, 0..9), 0..5)) {
            runs.iter_mut().for_each(|run| run.sort());
            let mut expected: Vec<(u8, usize)> = Vec::new();
            for (number, run) in runs.iter().enumerate() {
                expected.extend(run.iter().map(|key| (*key, number)));
            }
            expected.sort();
            let mut rests: Vec<&[u8]> = runs.iter().map(Vec::as_slice).collect();
            let heads = rests.iter().enumerate();
            let mut merge = KWay::new(heads.filter_map(|(run, rest)| Some((*rest.first()?, run))));
            let mut merged = Vec::new();
            loop {
                let mut key = None;
                let Ok(run) = merge.next(|run| -> Result<Option<u8>, Infallible> {
                    key = Some(rests[run][0]);
                    rests[run] = &rests[run][1..];
                    Ok(rests[run].first().copied())
                });
                prop_assert_eq!(key.is_some(), run.is_some());
                let Some(next) = key.zip(run) else { break };
                merged.push(next);
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
