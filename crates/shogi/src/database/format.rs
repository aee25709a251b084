//! The table of formats: their names, and how to tell them apart, read and write them.

use crate::database::sorter::Sorted;
use crate::{Dropped, Entry, Read, ReadError, apery, db, gikou, sbk, ybb};
use obook_base::Source;
use obook_base::compression::{Input, without_zst};
use serde::Serialize;
use std::fmt;
use std::io::{self, Read as _, Write};
use std::path::Path;

/// How a book is written: record by record, in the order of their keys. So it need not fit in memory.
pub(crate) struct Writing {
    pub(crate) key: fn(&Entry) -> Vec<u8>,
    /// A record, and what of it the format can't hold.
    pub(crate) record: fn(&Entry) -> (Vec<u8>, Dropped),
    /// Writes a file of all records. Returns how many it leaves out, because others stand for the same position.
    pub(crate) write: fn(&Sorted, &mut dyn Write) -> io::Result<u64>,
}

/// All that is known of a format.
pub(crate) struct Row {
    /// The name in commands and in table `sources`.
    name: &'static str,
    /// The ending of its files.
    ending: &'static str,
    /// The program that writes it, and its files.
    pub(crate) program: &'static str,
    /// Whether a book begins with these bytes and has this length. Formats without a mark are recognised by their first records, and only
    /// if the length is known.
    begins: fn(&[u8], Option<u64>) -> bool,
    /// The most memory that an unpacked byte takes while the whole book is read; `None` if a few lines or records are read at a time.
    pub(crate) expansion: Option<u64>,
    /// Reads the bytes of a file. Positions of which it has only hashes are looked for from the start position.
    pub(crate) read: fn(&[u8]) -> Result<Read, ReadError>,
    /// `None` if it is only read.
    pub(crate) writing: Option<Writing>,
}

obook_base::table! {
    /// A format of book files.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Format {
        /// YaneuraOu's text.
        #[default]
        Db = &Row {
            name: "db",
            ending: "db",
            program: "YaneuraOu's .db",
            begins: |head, _| is_db(head),
            expansion: None,
            read: |bytes| Ok(db::read(bytes)),
            writing: Some(Writing {
                key: |entry| entry.board.to_string().into_bytes(),
                record: |entry| (db::record(entry).into_bytes(), Dropped::default()),
                write: |sorted, out| {
                    writeln!(out, "{}", db::HEADER)?;
                    sorted.records()?.try_for_each(|record| out.write_all(&record?))?;
                    Ok(0)
                },
            }),
        },
        /// YaneuraOu's binary format.
        Ybb = &Row {
            name: "ybb",
            ending: "ybb",
            program: "YaneuraOu's .ybb",
            begins: |head, _| head.starts_with(b"YANE-BINBOOK-V1\0"),
            expansion: None,
            read: ybb::read,
            writing: Some(Writing {
                key: |entry| entry.board.packed().0.to_vec(),
                record: ybb::record,
                write: |sorted, out| {
                    ybb::write_records(sorted.count, || sorted.records(), out)?;
                    Ok(0)
                },
            }),
        },
        /// Apery's `book.bin`.
        Apery = &Row {
            name: "apery",
            ending: "bin",
            program: "Apery's book.bin",
            begins: |head, length| length.is_some_and(|it| apery::is_book(head, it)),
            // A move, its position's place by its hash, and a record of the position.
            expansion: Some(32),
            read: apery::read,
            writing: Some(Writing {
                // Of several positions with one hash, which no game has, the one with the smallest ply counts.
                key: |entry| {
                    let ply = entry.ply.map_or(0, |ply| u64::from(ply) + 1);
                    [apery::hash(&entry.board), ply].map(u64::to_be_bytes).concat()
                },
                record: apery::record,
                write: |sorted, out| {
                    let (mut last, mut others) = (None, 0);
                    for record in sorted.records()? {
                        let record = record?;
                        let hash: Option<[u8; 8]> = record.first_chunk().copied();
                        match hash == last {
                            true => others += 1,
                            false => out.write_all(&record)?,
                        }
                        last = hash;
                    }
                    Ok(others)
                },
            }),
        },
        /// Gikou's `book.bin`.
        Gikou = &Row {
            name: "gikou",
            ending: "bin",
            program: "Gikou's book.bin",
            begins: |head, length| length.is_some_and(|it| gikou::is_book(head, it)),
            expansion: Some(16),
            read: gikou::read,
            writing: None,
        },
        /// ShogiGUI's `.sbk`.
        Sbk = &Row {
            name: "sbk",
            ending: "sbk",
            program: "ShogiGUI's .sbk",
            begins: |head, length| length.is_some() && sbk::is_book(head),
            // A state of a few bytes, its place by its number, and a fault.
            expansion: Some(100),
            read: sbk::read,
            writing: None,
        },
    }
    pub(crate) fn row -> &'static Row
}

impl Format {
    /// The formats that can be written.
    pub fn written() -> impl Iterator<Item = Format> + Clone {
        let is_written = |format: &Format| format.row().writing.is_some();
        Format::ALL.into_iter().filter(is_written)
    }

    /// The name in commands and in table `sources`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The format to write into a file with this name.
    #[must_use]
    pub fn of_extension(path: &Path) -> Option<Format> {
        let path = without_zst(path).unwrap_or_else(|| path.to_owned());
        let ending = path.extension()?.to_str()?;
        Format::written().find(|format| ending.eq_ignore_ascii_case(format.row().ending))
    }

    /// The format of a file, if it is a book of shogi. Formats without a mark are recognised by their first records.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn of_file(path: &Path) -> io::Result<Option<Format>> {
        let file = Source::open(path)?;
        let length = file.length;
        let mut input = Input::new(file)?;
        let mut head = Vec::new();
        // Damaged compressed data is read as far as it goes; readers report it.
        let read = input.by_ref().take(HEAD).read_to_end(&mut head);
        let told = |length| Format::detect(&head, length);
        let begun = head.len() as u64;
        let length = match input.is_compressed() {
            false => {
                read?;
                length
            }
            // The rest is unpacked only to learn the length, and only if the head alone would be told by its own.
            true if told(Some(begun)) == told(None) => None,
            true => {
                let rest = read.and_then(|_| io::copy(&mut input, &mut io::sink()));
                rest.ok().map(|rest| begun + rest)
            }
        };
        Ok(told(length))
    }

    /// The format of a book that begins with these bytes. Formats without a mark are recognised only if the length is known.
    pub(crate) fn detect(head: &[u8], length: Option<u64>) -> Option<Format> {
        // No text is a book without a mark, which has small numbers in every record.
        let is_text = head.iter().all(|&byte| byte >= b'\t');
        let length = length.filter(|_| !is_text);
        // Formats with a mark are the first.
        let told = |format: &Format| (format.row().begins)(head, length);
        Format::ALL.into_iter().find(told)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number of bytes from the beginning that tell the format: Gikou's numbers, and some records, of which the last is whole.
pub(crate) const HEAD: u64 = 1 << 15;

/// Whether a text begins with YaneuraOu's header, or its first line that is no comment is a position.
fn is_db(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//"));
    head.starts_with(b"#YANEURAOU-DB2016") || first.is_some_and(|line| line.starts_with(b"sfen "))
}
