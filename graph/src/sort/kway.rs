//! The k-way merge: several sorted runs as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Tells from which of several sorted runs the next item comes: a heap of the keys at their heads. Of equal keys that of the
/// first run comes first.
///
/// The runs themselves stay with the caller: readers of files, iterators, ranges of an array.
pub struct KWay<K> {
    heads: BinaryHeap<Reverse<(K, usize)>>,
}

impl<K: Ord + Copy> KWay<K> {
    /// From the key at the head of each run, with the run's number; an empty run has none.
    pub fn new(heads: impl IntoIterator<Item = (K, usize)>) -> KWay<K> {
        KWay {
            heads: heads.into_iter().map(Reverse).collect(),
        }
    }

    /// The least key and its run, as long as a run has any.
    pub fn peek(&self) -> Option<(K, usize)> {
        self.heads.peek().map(|Reverse(head)| *head)
    }

    /// The run whose head comes next. `advance` takes that head off and tells the key behind it.
    ///
    /// # Errors
    /// Whatever `advance` has; the head stays.
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
        fn sorted_runs_become_one_in_their_order(mut runs in prop::collection::vec(prop::collection::vec(0..9u8, 0..9), 0..5)) {
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
            while let Some((key, run)) = merge.peek() {
                let next = merge.next(|run| -> Result<Option<u8>, Infallible> {
                    rests[run] = &rests[run][1..];
                    Ok(rests[run].first().copied())
                });
                prop_assert_eq!(next, Ok(Some(run)));
                merged.push((key, run));
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
