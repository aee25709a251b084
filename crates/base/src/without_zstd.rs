//! Stands for Zstandard in builds without the feature `zstd`: what is compressed by it is recognised, and refused.

use std::convert::Infallible;
use std::io::{self, BufReader, Error, ErrorKind, Read, Write};
use std::marker::PhantomData;

/// Zstandard's own.
pub(crate) const DEFAULT_COMPRESSION_LEVEL: i32 = 3;

fn missing<T>() -> io::Result<T> {
    let problem = "compressed with zstd, which this program was built without: decompress it first, or build it with the feature zstd";
    Err(Error::new(ErrorKind::Unsupported, problem))
}

/// A decompressor: there is none.
pub struct Decoder<'a, R>(Infallible, PhantomData<(&'a (), R)>);

impl<R: Read> Decoder<'_, BufReader<R>> {
    /// Fails.
    pub fn new(_: R) -> io::Result<Self> {
        missing()
    }
}

impl<R> Read for Decoder<'_, R> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

/// A compressor: there is none.
pub struct Encoder<'a, W>(Infallible, PhantomData<(&'a (), W)>);

impl<W: Write> Encoder<'_, W> {
    /// Fails.
    pub fn new(_: W, _: i32) -> io::Result<Self> {
        missing()
    }

    /// Adds a checksum.
    pub fn include_checksum(&mut self, _: bool) -> io::Result<()> {
        match self.0 {}
    }

    /// Compresses on other threads.
    pub fn multithread(&mut self, _: u32) -> io::Result<()> {
        match self.0 {}
    }

    /// Ends the frame.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {}
    }
}

impl<W> Write for Encoder<'_, W> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use crate::compression::{Compression, compress, decompress};

    #[test]
    fn what_is_compressed_is_refused_with_advice() {
        let frame = &b"\x28\xb5\x2f\xfd and so on"[..];
        let errors = [
            decompress(frame).err(),
            compress(b"a book", Compression::default()).err(),
        ];
        for error in errors {
            let said = error.unwrap().to_string();
            assert!(said.contains("with the feature zstd"), "{said}");
        }
        let plain = std::io::read_to_string(decompress(&b"a book"[..]).unwrap());
        assert_eq!(plain.unwrap(), "a book");
    }
}
