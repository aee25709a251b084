//! The write-ahead log beside a database, `book.obook-wal`: which of its frames are intact.
//!
//! SQLite reads the log up to the first frame whose checksum is wrong, and takes that for its end. This is right after a crash: a
//! transaction was being written. But if the frame was damaged later, committed transactions behind it vanish, and the
//! next program to close the database removes the log. So a log is read here first, by the description of SQLite's
//! file format: a header of 32 bytes, then frames of 24 bytes and a page. Each checksum continues that of the frame before, which
//! is stored there, so frames behind a damaged one can be checked as well.
//!
//! A log that has been moved into the database is begun anew from the start of its file. Then frames of the earlier log follow the
//! last of its own, perhaps as many as the largest change once had. Opening a database means reading up to there.
//!
//! The traces of a crash are not damage: an unfinished transaction; a commit of which some pages never reached the disk, so
//! that zeros or frames of an earlier log, which have other salts, stand in their places; frames of an earlier log at the
//! end. If the last frame of the last commit is damaged, that looks like an unfinished transaction and can't be told from one.

use crate::opening::companions;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The first four bytes of a log; the last bit is set if its checksums are of big-endian numbers.
const MAGIC: u32 = 0x377f_0682;
/// By how much the first salt of an earlier log is smaller: SQLite counts it up.
const EARLIER: std::ops::RangeInclusive<u32> = 1..=1 << 16;
/// The page size of a log that doesn't tell it.
const USUAL_PAGE: usize = 4096;

/// How much of a log's file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// The frames before those of an earlier log.
    Current,
    /// Everything. This also finds frames that a disk has reported as written but lost.
    Whole,
}

/// The intact part of a log.
#[derive(Debug)]
pub struct Wal {
    file: File,
    /// The size of a page in bytes.
    pub page_size: usize,
    big_endian: bool,
    state: State,
    /// Whether committed pages can't be read.
    pub damage: Option<WalDamage>,
}

/// Damage to a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalDamage {
    /// The offset of the first damaged frame, or 0 if the header is damaged.
    pub offset: u64,
    /// The number of committed pages from there on, which SQLite ignores.
    pub pages: u64,
}

/// The state of the database after a commit, by a log.
#[derive(Clone, Debug, Default)]
struct State {
    /// The latest contents of each page in the log.
    pages: BTreeMap<u32, Contents>,
    /// The number of pages in the database; 0: no transaction was committed.
    count: u32,
}

/// The contents of a page.
#[derive(Clone, Copy, Debug)]
enum Contents {
    /// They are at this offset.
    At(u64),
    /// They are damaged; the checksums up to them and with them tell what they were.
    Lost { before: Sum, sum: Sum },
}

/// A checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sum(u32, u32);

impl Sum {
    fn read(bytes: &[u8]) -> Sum {
        Sum(number(bytes, 0), number(bytes, 4))
    }

    /// The checksum of more bytes, whose length is a multiple of 8.
    fn of(self, bytes: &[u8], big_endian: bool) -> Sum {
        let word = |bytes: [u8; 4]| match big_endian {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        };
        let Sum(mut one, mut other) = self;
        let (pairs, _) = bytes.as_chunks();
        for [a, b, c, d, e, f, g, h] in pairs {
            one = one.wrapping_add(word([*a, *b, *c, *d])).wrapping_add(other);
            other = other.wrapping_add(word([*e, *f, *g, *h])).wrapping_add(one);
        }
        Sum(one, other)
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Wal {
    /// Reads the whole log of the database at `path`; `None` if it has none.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn of(path: &Path) -> io::Result<Option<Wal>> {
        Wal::up_to(path, Extent::Whole)
    }

    pub(crate) fn up_to(path: &Path, extent: Extent) -> io::Result<Option<Wal>> {
        let [log, _, _] = companions(path);
        // SQLite has no locks on it.
        match File::open(log) {
            Ok(file) => Wal::read(file, extent),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(mut file: File, extent: Extent) -> io::Result<Option<Wal>> {
        let mut header = [0; HEADER];
        let length = file.metadata()?.len();
        if length < HEADER as u64 {
            return Ok(None);
        }
        file.read_exact(&mut header)?;
        if header == [0; HEADER] {
            return Ok(None);
        }
        let page_size = match number(&header, 8) as usize {
            size if size.is_power_of_two() && (512..=1 << 16).contains(&size) => size,
            _ => USUAL_PAGE,
        };
        let read = |big_endian: bool| {
            let computed = Sum(0, 0).of(&header[..24], big_endian);
            let stored = Sum::read(&header[24..]);
            let is_sound = computed == stored && number(&header, 0) & !1 == MAGIC;
            let mut frames = Frames {
                big_endian,
                header_is_sound: is_sound,
                salts: is_sound.then(|| Sum::read(&header[16..])),
                before: vec![stored, computed],
                wrong: (!is_sound).then(|| (0, State::default())),
                is_damaged: !is_sound,
                ..Frames::default()
            };
            let mut input = BufReader::with_capacity(1 << 20, &file);
            input.seek(SeekFrom::Start(HEADER as u64))?;
            let mut frame = vec![0; FRAME_HEADER + page_size];
            let mut offset = HEADER as u64;
            while offset + frame.len() as u64 <= length {
                match input.read_exact(&mut frame) {
                    Ok(()) if extent == Extent::Current && frames.begins_earlier_log(&frame) => {
                        break;
                    }
                    Ok(()) => frames.take(offset, &frame),
                    // Another program has begun it anew.
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                    Err(error) => return Err(error),
                }
                offset += frame.len() as u64;
            }
            Ok(frames)
        };
        let big_endian = number(&header, 0) & 1 == 1;
        let mut frames = read(big_endian)?;
        if !frames.header_is_sound && frames.commits_behind == 0 {
            // The damaged bit may be the one that tells how.
            frames = read(!big_endian)?;
        }
        let big_endian = frames.big_endian;
        let (state, damage) = frames.end();
        Ok(Some(Wal {
            file,
            page_size,
            big_endian,
            state,
            damage,
        }))
    }

    /// The number of pages in the database after the last commit; `None` if there was none.
    #[must_use]
    pub fn page_count(&self) -> Option<u32> {
        Some(self.state.count).filter(|count| *count > 0)
    }

    /// The numbers of the pages that the log has, except of those that were cut off later.
    pub fn pages(&self) -> impl Iterator<Item = u32> {
        let pages = self.state.pages.range(..=self.state.count);
        pages.map(|(page, _)| *page)
    }

    /// The latest contents of a page. If they are damaged in the log, they may be what the database has already, `in_database`;
    /// otherwise they are lost: `None`.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn page(&mut self, page: u32, in_database: &[u8]) -> io::Result<Option<Vec<u8>>> {
        match self.state.pages.get(&page) {
            None => Ok(Some(in_database.to_vec())),
            Some(Contents::At(offset)) => {
                let mut bytes = vec![0; self.page_size];
                self.file.seek(SeekFrom::Start(*offset))?;
                self.file.read_exact(&mut bytes)?;
                Ok(Some(bytes))
            }
            Some(Contents::Lost { before, sum }) => {
                let is_there = in_database.len() == self.page_size
                    && before.of(in_database, self.big_endian) == *sum;
                Ok(is_there.then(|| in_database.to_vec()))
            }
        }
    }
}

/// Reading the frames of a log.
#[derive(Default)]
struct Frames {
    big_endian: bool,
    header_is_sound: bool,
    /// The numbers that all frames of this log have; `None` until a frame tells them, if the header is damaged.
    salts: Option<Sum>,
    /// The checksums that the next frame may continue.
    before: Vec<Sum>,
    state: State,
    /// Pages of a transaction that isn't committed so far.
    pending: BTreeMap<u32, Contents>,
    pending_pages: u64,
    /// If a frame was wrong: its offset, and the state before its transaction.
    wrong: Option<(u64, State)>,
    /// Whether the last frame was wrong but looked written.
    suspect: bool,
    /// Whether a frame was wrong that had been written.
    is_damaged: bool,
    /// Whether the page of a wrong frame isn't known.
    is_unknown: bool,
    /// Whether a commit follows a frame that was damaged.
    is_certain: bool,
    /// Commits behind the first wrong frame, and their pages.
    commits_behind: u64,
    pages_behind: u64,
}

impl Frames {
    /// Whether this frame is of an earlier log. A damaged one rarely looks like that.
    fn begins_earlier_log(&self, frame: &[u8]) -> bool {
        let found = Sum::read(&frame[8..]);
        self.header_is_sound
            && self.salts.is_some_and(|salts| {
                salts.1 != found.1 && EARLIER.contains(&salts.0.wrapping_sub(found.0))
            })
    }

    /// Takes the frame at `offset`.
    fn take(&mut self, offset: u64, frame: &[u8]) {
        let (header, data) = frame.split_at(FRAME_HEADER);
        let (page, count) = (number(header, 0), number(header, 4));
        let found = Sum::read(&header[8..]);
        let sum = Sum::read(&header[16..]);
        let salts = *self.salts.get_or_insert(found);
        // Damage rarely hits both.
        let is_of_this_log = found.0 == salts.0 || found.1 == salts.1;
        if std::mem::take(&mut self.suspect) {
            match is_of_this_log {
                true => self.is_damaged = true,
                // The disk page with the end of the last frame and the header of this one was never written.
                false => self.is_unknown = true,
            }
        }
        let big_endian = self.big_endian;
        let behind = |before: &Sum| before.of(&header[..8], big_endian).of(data, big_endian);
        let computed: Vec<Sum> = self.before.iter().map(behind).collect();
        if found == salts && page > 0 && computed.contains(&sum) {
            self.before = vec![sum];
            self.add(page, Contents::At(offset + FRAME_HEADER as u64));
            if count > 0 {
                self.commit(count);
            }
            return;
        }
        if self.wrong.is_none() {
            self.wrong = Some((offset, self.state.clone()));
        }
        if !is_of_this_log {
            self.is_unknown = true;
            self.before.clear();
            return;
        }
        match self.before.first() {
            Some(before) if data.iter().any(|byte| *byte != 0) => {
                let before = before.of(&header[..8], big_endian);
                self.add(page, Contents::Lost { before, sum });
                self.suspect = true;
            }
            // Nothing tells whether it is intact, or it was never written.
            _ => self.is_unknown = true,
        }
        // The checksum itself may be what is damaged.
        self.before = [sum].into_iter().chain(computed).take(3).collect();
    }

    fn add(&mut self, page: u32, contents: Contents) {
        self.pending.insert(page, contents);
        self.pending_pages += 1;
    }

    fn commit(&mut self, count: u32) {
        self.state.pages.append(&mut self.pending);
        self.state.count = count;
        let pages = std::mem::take(&mut self.pending_pages);
        if self.wrong.is_some() {
            self.commits_behind += 1;
            self.pages_behind += pages;
            self.is_certain |= self.is_damaged;
        }
    }

    /// The state after the last commit, and the damage. A transaction begins only when the one before is on the disk, so two
    /// commits behind a wrong frame also mean damage.
    fn end(self) -> (State, Option<WalDamage>) {
        let Some((offset, before)) = self.wrong else {
            return (self.state, None);
        };
        if !self.is_certain && self.commits_behind < 2 {
            return (before, None);
        }
        let damage = WalDamage {
            offset,
            pages: self.pages_behind,
        };
        // If it isn't known which page is lost, any page may be out of date.
        let state = if self.is_unknown { before } else { self.state };
        (state, Some(damage))
    }
}
