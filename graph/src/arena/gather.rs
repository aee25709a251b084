//! A book file gathered for a graph on all cores.

use super::GraphBuilder;
use crate::Progress;
use obook_converters::{Batch, BookReader, Error};

impl GraphBuilder {
    /// All positions of a file, in its order.
    ///
    /// # Errors
    /// The first position that cannot be, or damage to the file.
    pub fn gather(reader: BookReader, progress: &Progress) -> Result<GraphBuilder, Error> {
        let mut builder = GraphBuilder::default();
        GraphBuilder::gather_parts(reader, progress, |part| {
            builder.append(part);
            Ok::<(), Error>(())
        })?;
        Ok(builder)
    }

    /// The same, part by part.
    ///
    /// # Errors
    /// As [`GraphBuilder::gather`], and whatever `take` has.
    pub fn gather_parts<E: From<Error>>(
        reader: BookReader,
        progress: &Progress,
        mut take: impl FnMut(GraphBuilder) -> Result<(), E>,
    ) -> Result<(), E> {
        let promised = reader.header().count;
        progress.step("reading", promised.and_then(|count| count.try_into().ok()));
        for part in reader.batches_as(gather_batch) {
            let (part, positions) = part?;
            take(part)?;
            progress.advance(positions);
        }
        Ok(())
    }
}

/// A part of the file, and how many positions it has.
fn gather_batch(batch: Batch) -> Result<(GraphBuilder, u64), Error> {
    let mut part = GraphBuilder::default();
    let positions = batch.positions.len() as u64;
    for position in batch {
        part.push(position?);
    }
    Ok((part, positions))
}
