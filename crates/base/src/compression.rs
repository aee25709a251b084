//! Inputs compressed by Zstandard, gzip or bzip2 are recognised; outputs are compressed by Zstandard on request.

use crate::zst::{self, Decoder, Encoder};
use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Chain, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// The name of a file without `.zst` at its end, in upper or lower case; `None` if it doesn't end so.
///
/// ```
/// use obook_base::compression::without_zst;
/// use std::path::{Path, PathBuf};
///
/// assert_eq!(without_zst(Path::new("books/book.dat.ZST")), Some(PathBuf::from("books/book.dat")));
/// assert_eq!(without_zst(Path::new("book.dat")), None);
/// ```
#[must_use]
pub fn without_zst(path: &Path) -> Option<PathBuf> {
    let is_zst = path.extension()?.eq_ignore_ascii_case("zst");
    is_zst.then(|| path.with_extension(""))
}

/// The magic of a Zstandard frame.
pub const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The magic of gzip.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The magic of bzip2, before the size of its blocks from 1 to 9.
const BZIP2: &[u8; 3] = b"BZh";
/// The magic of a skippable frame, apart from the low half of the first byte. Parallel compressors write one first.
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// An input with some bytes put back.
pub type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Returns the first `len` bytes, or all if there are fewer, and the input as if they hadn't been read.
///
/// # Errors
/// Returns an error if they can't be read.
pub fn peek<R: Read>(mut input: R, len: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut head = Vec::with_capacity(len);
    input.by_ref().take(len as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(input)))
}

/// An input that may be compressed.
pub enum Input<R: Read> {
    /// It isn't.
    Plain(Peeked<R>),
    /// By Zstandard.
    Zst(Decoder<'static, BufReader<Peeked<R>>>),
    /// By gzip.
    Gzip(MultiGzDecoder<BufReader<Peeked<R>>>),
    /// By bzip2.
    Bzip2(MultiBzDecoder<BufReader<Peeked<R>>>),
}

impl<R: Read> Input<R> {
    /// Detects from the first bytes whether `input` is compressed.
    ///
    /// # Errors
    /// Returns an error if they can't be read.
    pub fn new(input: R) -> io::Result<Input<R>> {
        let (head, input) = peek(input, FRAME.len())?;
        let skippable =
            head.len() == 4 && head[0] & 0xf0 == SKIPPABLE[0] && head[1..] == SKIPPABLE[1..];
        if head == FRAME || skippable {
            Ok(Input::Zst(Decoder::new(input)?))
        } else if head.starts_with(&GZIP) {
            Ok(Input::Gzip(MultiGzDecoder::new(BufReader::new(input))))
        } else if head.starts_with(BZIP2) && matches!(head.get(3), Some(b'1'..=b'9')) {
            Ok(Input::Bzip2(MultiBzDecoder::new(BufReader::new(input))))
        } else {
            Ok(Input::Plain(input))
        }
    }

    /// Whether it is compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        !matches!(self, Input::Plain(_))
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(buffer),
            Input::Zst(input) => (input.read(buffer)).map_err(|error| damaged("zstd", error)),
            Input::Gzip(input) => (input.read(buffer)).map_err(|error| damaged("gzip", error)),
            Input::Bzip2(input) => (input.read(buffer)).map_err(|error| damaged("bzip2", error)),
        }
    }
}

/// Explains an error of the decompressor, unless the file itself couldn't be read.
fn damaged(compressor: &str, error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() {
        return error;
    }
    let problem = format!(
        "the {compressor}-compressed data is damaged or cut off ({error}): get a complete copy"
    );
    io::Error::new(error.kind(), problem)
}

/// Decompresses an input while reading. Zstandard, gzip and bzip2 are recognised by their first bytes; anything else is passed through.
///
/// # Errors
/// Returns an error if the first bytes can't be read.
///
/// ```
/// use obook_base::compression::decompress;
/// assert_eq!(std::io::read_to_string(decompress(&b"not compressed"[..])?)?, "not compressed");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn decompress<R: Read>(input: R) -> io::Result<impl Read + use<R>> {
    Input::new(input)
}

/// Compresses bytes by Zstandard.
///
/// # Errors
/// Returns an error if there is no memory for the compressor.
///
/// ```
/// use obook_base::compression::{Compression, compress, decompress};
/// use std::io::Read;
///
/// let mut bytes = Vec::new();
/// decompress(&compress(b"a book", Compression::default())?[..])?.read_to_end(&mut bytes)?;
/// assert_eq!(bytes, b"a book");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn compress(bytes: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    let mut output = Output::new(Vec::new(), Some(compression))?;
    output.write_all(bytes)?;
    output.finish()
}

/// Settings for compression.
///
/// ```
/// use obook_base::compression::Compression;
/// assert_eq!(Compression::default(), Compression { level: 3, threads: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compression {
    /// 1 (fast) to 22 (small). Other values are clamped.
    pub level: i32,
    /// The number of threads that compress besides the one that writes.
    pub threads: u32,
}

impl Compression {
    /// The usual compression for a file whose name ends in `.zst`; `None` for others.
    #[must_use]
    pub fn by_name(path: &Path) -> Option<Compression> {
        without_zst(path).map(|_| Compression::default())
    }
}

impl Default for Compression {
    fn default() -> Compression {
        Compression {
            level: zst::DEFAULT_COMPRESSION_LEVEL,
            threads: 0,
        }
    }
}

/// An output that may be compressed.
pub enum Output<W: Write> {
    /// It isn't.
    Plain(W),
    /// By Zstandard.
    Zst(Encoder<'static, W>),
}

impl<W: Write> Output<W> {
    /// Begins to write.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the compressor.
    pub fn new(output: W, compression: Option<Compression>) -> io::Result<Output<W>> {
        let Some(Compression { level, threads }) = compression else {
            return Ok(Output::Plain(output));
        };
        let mut encoder = Encoder::new(output, level.clamp(1, 22))?;
        encoder.include_checksum(true)?;
        if threads > 0 {
            encoder.multithread(threads)?;
        }
        Ok(Output::Zst(encoder))
    }

    /// Ends the compressed frame, flushes and returns the output.
    ///
    /// # Errors
    /// Returns an error if the output can't be written.
    pub fn finish(self) -> io::Result<W> {
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

    /// Doesn't flush a compressor: that would end a block and compress less well.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(output) => output.flush(),
            Output::Zst(_) => Ok(()),
        }
    }
}
