//! Records in the order of their keys, however many they are.

use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::iter;

/// A key and a record.
type Item = (Vec<u8>, Vec<u8>);

/// Takes records in any order: in memory until they take too much of it, then in sorted runs in temporary files.
pub(crate) struct Sorter {
    /// The bytes that a run may take.
    most: u64,
    bytes: u64,
    /// The files are sorted, the run isn't yet.
    items: Sorted,
}

/// Records by key. They can be read any number of times.
#[derive(Default)]
pub(crate) struct Sorted {
    run: Vec<Item>,
    files: Vec<File>,
    /// The number of records.
    pub(crate) count: u64,
}

/// The memory of an item beyond its bytes.
const ITEM: u64 = 80;

impl Sorter {
    pub(crate) fn within(bytes: u64) -> Sorter {
        Sorter {
            most: bytes,
            bytes: 0,
            items: Sorted::default(),
        }
    }

    pub(crate) fn push(&mut self, key: Vec<u8>, record: Vec<u8>) -> io::Result<()> {
        self.bytes += ITEM + (key.capacity() + record.capacity()) as u64;
        self.items.count += 1;
        self.items.run.push((key, record));
        if self.bytes <= self.most {
            return Ok(());
        }
        self.items.run.par_sort_unstable();
        let mut file = BufWriter::new(tempfile::tempfile()?);
        for (key, record) in self.items.run.drain(..) {
            for part in [key, record] {
                file.write_all(&(part.len() as u32).to_le_bytes())?;
                file.write_all(&part)?;
            }
        }
        self.items.files.push(file.into_inner()?);
        self.bytes = 0;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Sorted {
        self.items.run.par_sort_unstable();
        self.items
    }
}

impl Sorted {
    /// The records in order. A new reading makes an unfinished one useless.
    pub(crate) fn records(&self) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
        let mut runs: Vec<Box<dyn Iterator<Item = io::Result<Item>>>> = Vec::new();
        runs.push(Box::new(self.run.iter().cloned().map(Ok)));
        for mut file in &self.files {
            file.rewind()?;
            let mut file = BufReader::new(file);
            runs.push(Box::new(iter::from_fn(move || item(&mut file).transpose())));
        }
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let head = run.next().transpose()?;
            heads.extend(head.map(|head| Reverse((head, number))));
        }
        Ok(iter::from_fn(move || {
            let Reverse(((_, record), number)) = heads.pop()?;
            let next = runs[number].next().transpose();
            Some(next.map(|next| {
                heads.extend(next.map(|next| Reverse((next, number))));
                record
            }))
        }))
    }
}

/// The next item of a run; `None` at its end.
fn item(run: &mut impl BufRead) -> io::Result<Option<Item>> {
    if run.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut part = || {
        let mut length = [0; 4];
        run.read_exact(&mut length)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        run.read_exact(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    Ok(Some((part()?, part()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Law (Shogi): Sorted records come in the order of their keys, also from temporary files.
        #[test]
        fn records_come_in_order(
            items in prop::collection::vec((prop::collection::vec(0..4_u8, 0..4), prop::collection::vec(any::<u8>(), 0..3)), 0..60),
            most in 0..3_000_u64,
        ) {
            let mut sorter = Sorter::within(most);
            for (key, record) in items.clone() {
                sorter.push(key, record).unwrap();
            }
            let sorted = sorter.finish();
            prop_assert_eq!(sorted.count, items.len() as u64);
            let mut expected = items;
            expected.sort();
            let expected: Vec<Vec<u8>> = expected.into_iter().map(|(_, record)| record).collect();
            for _ in 0..2 {
                let records: Vec<Vec<u8>> = sorted.records().unwrap().collect::<Result<_, _>>().unwrap();
                prop_assert_eq!(&records, &expected);
            }
        }
    }
}
