//! Zstandard: inputs are looked through, outputs compressed on request.

use std::io::{self, BufReader, Chain, Cursor, Read, Write};

/// What a Zstandard frame starts with.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// What a skippable frame starts with, but for the low half of the first byte; parallel compressors begin with one.
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// An input of which some bytes were read and put back.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// The first `len` bytes, fewer where there are fewer, and the input as if they had not been read.
pub(crate) fn peek<R: Read>(mut input: R, len: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut head = Vec::with_capacity(len);
    input.by_ref().take(len as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(input)))
}

/// An input that may have been compressed.
pub(crate) enum Input<R: Read> {
    Plain(Peeked<R>),
    Zst(zstd::Decoder<'static, BufReader<Peeked<R>>>),
}

impl<R: Read> Input<R> {
    /// Finds out by the first bytes whether `input` is compressed.
    pub(crate) fn new(input: R) -> io::Result<Input<R>> {
        let (head, input) = peek(input, FRAME.len())?;
        let skippable =
            head.len() == 4 && head[0] & 0xf0 == SKIPPABLE[0] && head[1..] == SKIPPABLE[1..];
        if head == FRAME || skippable {
            Ok(Input::Zst(zstd::Decoder::new(input)?))
        } else {
            Ok(Input::Plain(input))
        }
    }

    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self, Input::Zst(_))
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(buffer),
            Input::Zst(input) => input.read(buffer).map_err(damaged),
        }
    }
}

/// Says that it was the decompressor who complained, unless the file itself could not be read.
fn damaged(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() {
        return error;
    }
    io::Error::new(
        error.kind(),
        format!("the zstd-compressed data are damaged or cut off ({error}): get a whole copy"),
    )
}

/// The input as it was before compression: Zstandard is recognised by its first bytes and taken off while reading,
/// anything else is passed on. [`BookReader`](crate::BookReader) does this by itself; the raw readers don't.
///
/// # Errors
/// The first bytes cannot be read.
///
/// ```
/// use obook_converters::{decompress, edax};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.prune.dat");
/// let reader = edax::Reader::new(decompress(std::fs::File::open(path)?)?)?;
/// assert_eq!(reader.header().count, 72);
/// # Ok::<(), obook_converters::Error>(())
/// ```
pub fn decompress<R: Read>(input: R) -> io::Result<impl Read + use<R>> {
    Input::new(input)
}

/// How to compress.
///
/// ```
/// use obook_converters::Compression;
/// assert_eq!(Compression::default(), Compression { level: 3, threads: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compression {
    /// 1 (fast) to 22 (small); others are brought into that range.
    pub level: i32,
    /// How many threads compress beside the one that writes; 0 for none.
    pub threads: u32,
}

impl Default for Compression {
    fn default() -> Compression {
        Compression {
            level: zstd::DEFAULT_COMPRESSION_LEVEL,
            threads: 0,
        }
    }
}

/// An output that may be compressed.
pub(crate) enum Output<W: Write> {
    Plain(W),
    Zst(zstd::Encoder<'static, W>),
}

impl<W: Write> Output<W> {
    pub(crate) fn new(output: W, compression: Option<Compression>) -> io::Result<Output<W>> {
        let Some(Compression { level, threads }) = compression else {
            return Ok(Output::Plain(output));
        };
        let mut encoder = zstd::Encoder::new(output, level.clamp(1, 22))?;
        encoder.include_checksum(true)?;
        if threads > 0 {
            encoder.multithread(threads)?;
        }
        Ok(Output::Zst(encoder))
    }

    /// Ends the compressed frame, flushes and gives the output back.
    pub(crate) fn finish(self) -> io::Result<W> {
        let mut output = match self {
            Output::Plain(output) => output,
            Output::Zst(encoder) => encoder.finish()?,
        };
        output.flush()?;
        Ok(output)
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(output) => output.write(bytes),
            Output::Zst(output) => output.write(bytes),
        }
    }

    /// Does not reach through a compressor: flushing that ends a block and costs compression.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(output) => output.flush(),
            Output::Zst(_) => Ok(()),
        }
    }
}
