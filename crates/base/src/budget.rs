//! The memory that reading may take.

use std::fmt;
use std::io::{self, Read};

/// The memory that reading a file may take. Formats that are read record by record take little; of the others, every unpacked
/// byte counts.
///
/// ```
/// use obook_base::Budget;
/// use obook_base::compression::{Compression, compress, decompress};
/// use std::io::{copy, sink};
///
/// let bomb = compress(&vec![0; 2_000_000], Compression::default())?;
/// assert!(bomb.len() < 1000);
/// let budget = Budget::new(Some(1 << 20));
/// let error = copy(&mut budget.limit(decompress(&bomb[..])?, 1), &mut sink()).unwrap_err();
/// assert_eq!(error.to_string(), "reading this takes more than 1 MiB of memory");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget(u64);

impl Budget {
    /// As much as it takes.
    pub const UNLIMITED: Budget = Budget(u64::MAX);

    /// This many bytes; `None`: no limit.
    #[must_use]
    pub const fn new(bytes: Option<u64>) -> Budget {
        match bytes {
            Some(bytes) => Budget(bytes),
            None => Budget::UNLIMITED,
        }
    }

    /// The bytes; [`u64::MAX`] without a limit.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Limits an unpacked input that is kept, of which each byte takes up to `each` bytes of memory. Beyond that it ends with
    /// an error.
    pub fn limit<R: Read>(self, input: R, each: u64) -> impl Read + use<R> {
        Limited {
            input,
            left: self.0 / each,
            budget: self,
        }
    }

    /// The error for what takes more.
    #[must_use]
    pub fn exceeded(self) -> io::Error {
        io::Error::new(io::ErrorKind::FileTooLarge, Exceeded(self))
    }
}

impl fmt::Display for Budget {
    /// In the largest unit that leaves a number above 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ ..1024 => write!(f, "{bytes} bytes"),
            bytes @ ..0x10_0000 => write!(f, "{} KiB", bytes >> 10),
            bytes @ ..0x4000_0000 => write!(f, "{} MiB", bytes >> 20),
            bytes => write!(f, "{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        }
    }
}

/// The reason in an [`io::Error`] if reading takes more memory than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("reading this takes more than {0} of memory")]
pub struct Exceeded(Budget);

impl Exceeded {
    /// Whether this is why reading failed.
    #[must_use]
    pub fn is_in(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|cause| cause.is::<Exceeded>())
    }
}

/// An input that ends with an error where it is too long.
struct Limited<R> {
    input: R,
    left: u64,
    budget: Budget,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = (self.left.checked_sub(read as u64)).ok_or_else(|| self.budget.exceeded())?;
        Ok(read)
    }
}
