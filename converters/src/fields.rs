//! Little-endian numbers from the front of a slice.

use crate::ErrorKind;

/// The bytes not yet taken.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

macro_rules! number {
    ($($name:ident)*) => {$(
        #[inline(always)]
        pub(crate) fn $name(&mut self) -> $name {
            const LEN: usize = size_of::<$name>();
            let (bytes, rest) = self.rest.split_first_chunk::<LEN>().expect("length was checked");
            self.rest = rest;
            $name::from_le_bytes(*bytes)
        }
    )*};
}

impl<'a> Fields<'a> {
    /// The fields of the first `len` bytes; the numbers below panic beyond them.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] where there are fewer.
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8], len: usize) -> Result<Fields<'a>, ErrorKind> {
        match bytes.get(..len) {
            Some(rest) => Ok(Fields { rest }),
            None => Err(ErrorKind::Truncated {
                found: bytes.len() as u64,
                expected: len as u64,
            }),
        }
    }

    /// Passes over `len` bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }

    number! { u8 i8 u16 i16 u32 i32 u64 }
}
