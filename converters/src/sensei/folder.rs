//! A folder: its index and its value files, compared and then read.

use super::{INDEX, Record, Unreadable, sizes};
use crate::account::tally;
use crate::book_reader::{Turned, turned};
use crate::reader::Fields;
use crate::{Account, Error, ErrorKind};
use obook_base::{UntilError, open_file};
use obook_othello::{CanonicalBoard, Forecast};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The bytes before the buckets of the index.
const HEADER: u64 = 16;
/// The bytes of a bucket.
const BUCKET: u64 = 5;
/// Contents that positions can't hold.
const DERIVATIVES: &str = "numbers that say which position to search next";
const BELIEVED: &str = "proof numbers of scores that are all but certain";

/// A book folder whose index and value files have been compared.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    files: Vec<ValueFile>,
    records: u64,
    account: Account,
}

/// The records of a value file that the index lists.
#[derive(Debug)]
struct ValueFile {
    size: u32,
    /// Their numbers, in order.
    listed: Vec<u32>,
}

impl Folder {
    /// Whether this is the path of a book folder.
    ///
    /// ```
    /// use obook_converters::sensei::Folder;
    /// assert!(!Folder::is_at(".".as_ref()));
    /// ```
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        path.join(INDEX).is_file()
    }

    /// Reads the index, and compares it with the value files. Every record is looked at once.
    ///
    /// # Errors
    /// Returns an error if a file can't be read, or the index has another length than it says.
    pub fn open(path: &Path) -> Result<Folder, Error> {
        let mut account = Account::of("Othello Sensei book, folder");
        let index = path.join(INDEX);
        let read = read_index(&index, &mut account);
        let (records, mut listed) =
            read.map_err(|error| Error::new(error).named(&*index.display().to_string()))?;
        tally(&mut account.contents, "positions", records);
        let mut folder = Folder {
            path: path.to_owned(),
            files: Vec::new(),
            records,
            account,
        };
        for (byte, size) in sizes() {
            let listed = listed.remove(&byte).unwrap_or_default();
            folder.compare(size, listed)?;
        }
        Ok(folder)
    }

    /// The files of the book at this path: the index first, then the value files that there are.
    #[must_use]
    pub fn files(path: &Path) -> Vec<PathBuf> {
        let values = sizes().map(|(_, size)| path.join(name(size)));
        let files = std::iter::once(path.join(INDEX)).chain(values);
        files.filter(|file| file.is_file()).collect()
    }

    /// The number of records that the index says there are.
    #[must_use]
    pub fn promised(&self) -> u64 {
        self.records
    }

    /// The book in its program's words, and what of it doesn't become positions.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// All records that can be read, file by file.
    pub fn records(self) -> impl Iterator<Item = Result<Record, Error>> {
        let records = self.raw();
        records.filter_map(|bytes| bytes.map(|bytes| Record::parse(&bytes).ok()).transpose())
    }

    /// The bytes of all records, file by file, until an error.
    pub(super) fn raw(self) -> impl Iterator<Item = Result<Vec<u8>, Error>> + Send {
        let Folder { path, files, .. } = self;
        let files = files.into_iter();
        UntilError::new(files.flat_map(move |file| file.records(path.clone())))
    }

    /// The forecasts of all positions, file by file.
    pub fn forecasts(self) -> impl Iterator<Item = Result<(CanonicalBoard, Forecast), Error>> {
        self.records().map(|record| {
            let record = record?;
            let position = record.check().map_err(Error::new)?;
            Ok((position.board, record.forecast()))
        })
    }

    /// Compares the records of a size that the index lists with the value file.
    fn compare(&mut self, size: u32, mut listed: Vec<u32>) -> Result<(), Error> {
        let (name, path) = (name(size), self.path.join(name(size)));
        let mut wrong = |what: String, count: u64| tally(&mut self.account.wrong, &what, count);
        if !path.exists() {
            let missing = format!("records in a file that is missing: {name}");
            wrong(missing, listed.len() as u64);
            return Ok(());
        }
        let named = |error: io::Error| Error::new(error).named(&*path.display().to_string());
        let mut file = open_file(&path).map_err(named)?;
        let len = file.metadata().map_err(named)?.len();
        let (whole, rest) = (len / u64::from(size), len % u64::from(size));
        let no_record = format!("bytes at the end of {name} that are no record");
        wrong(no_record, rest);
        listed.sort_unstable();
        let before = listed.len();
        listed.dedup();
        let twice = (before - listed.len()) as u64;
        wrong(format!("records of {name} listed twice"), twice);
        let inside = listed.partition_point(|number| u64::from(*number) < whole);
        let beyond = (listed.len() - inside) as u64;
        wrong(format!("records beyond the end of {name}"), beyond);
        listed.truncate(inside);
        if listed.first() == Some(&0) {
            wrong(format!("heads of {name} listed as records"), 1);
            listed.remove(0);
        }
        let (mut free, is_circle) = free(&mut file, size, whole).map_err(named)?;
        let endless = format!("lists of free records in {name} without an end");
        wrong(endless, is_circle.into());
        free.retain(|number| listed.binary_search(number).is_err());
        let unlisted = whole.saturating_sub(1) - listed.len() as u64 - free.len() as u64;
        let not_listed = format!("records of {name} that are not in the index");
        wrong(not_listed, unlisted);
        if !listed.is_empty() {
            self.look_at(&name, size, &listed)?;
            self.files.push(ValueFile { size, listed });
        }
        Ok(())
    }

    /// Counts what the records of a value file are.
    fn look_at(&mut self, name: &str, size: u32, listed: &[u32]) -> Result<(), Error> {
        let mut reading = Reading::open(&self.path, size)?;
        let Account {
            contents,
            lost,
            wrong,
            ..
        } = &mut self.account;
        for number in listed {
            let record = match Record::parse(&reading.read(*number)?) {
                Ok(record) => record,
                Err(problem) => {
                    let problem = match problem {
                        Unreadable::Board(_) => "impossible board".to_owned(),
                        problem => problem.to_string(),
                    };
                    let what = format!("records of {name} that can't be read: {problem}");
                    tally(wrong, &what, 1);
                    continue;
                }
            };
            let what = match record.is_leaf {
                true => "positions whose moves were not looked at",
                false => "positions with all their moves",
            };
            tally(contents, what, 1);
            let solved = u64::from(record.is_solved());
            tally(contents, "solved positions", solved);
            let bounded = u64::from(record.is_bounded()) - solved;
            tally(contents, "positions with proven bounds", bounded);
            let open = record.odds.iter().filter(|odds| odds.derivative.is_some());
            let open = open.count();
            tally(lost, DERIVATIVES, open as u64);
            tally(lost, BELIEVED, (record.odds.len() - open) as u64);
        }
        Ok(())
    }
}

/// The name of the file with records of this size.
fn name(size: u32) -> String {
    format!("value_{size}.val")
}

/// Reads the index: the number of records that it says there are, and the numbers of those in each value file, by the byte that stands
/// for it.
fn read_index(
    path: &Path,
    account: &mut Account,
) -> Result<(u64, BTreeMap<u8, Vec<u32>>), ErrorKind> {
    let file = open_file(path)?;
    let len = file.metadata()?.len();
    if len < HEADER {
        return Err(ErrorKind::cut_off(len, HEADER));
    }
    let mut file = BufReader::new(file);
    let mut header = [0; HEADER as usize];
    file.read_exact(&mut header)?;
    let mut fields = Fields::new(&header, header.len())?;
    let (buckets, records) = (fields.u64(), fields.u64());
    let bytes = buckets.checked_mul(BUCKET);
    let expected = bytes.and_then(|bytes| bytes.checked_add(HEADER));
    if expected != Some(len) {
        let found = len;
        return Err(ErrorKind::Buckets { found, buckets });
    }
    let mut listed: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
    for _ in 0..buckets {
        let mut bucket = [0; BUCKET as usize];
        file.read_exact(&mut bucket)?;
        let [number @ .., byte] = bucket;
        if byte != 0 {
            let number = u32::from_le_bytes(number);
            listed.entry(byte).or_default().push(number);
        }
    }
    let found = listed.values().map(|numbers| numbers.len() as u64).sum();
    let (missing, more) = (records.saturating_sub(found), found.saturating_sub(records));
    let wrong = &mut account.wrong;
    let not_listed = "records that the index counts but doesn't list";
    tally(wrong, not_listed, missing);
    let not_counted = "records that the index lists but doesn't count";
    tally(wrong, not_counted, more);
    Ok((records, listed))
}

/// The free records of a value file of `whole` records, and whether their list runs in a circle.
fn free(file: &mut (impl Read + Seek), size: u32, whole: u64) -> io::Result<(BTreeSet<u32>, bool)> {
    let mut free = BTreeSet::new();
    let mut number = 0;
    while u64::from(number) < whole {
        file.seek(SeekFrom::Start(u64::from(number) * u64::from(size)))?;
        let mut next = [0; 4];
        file.read_exact(&mut next)?;
        number = u32::from_le_bytes(next);
        if number == 0 {
            break;
        }
        if u64::from(number) < whole && !free.insert(number) {
            return Ok((free, true));
        }
    }
    Ok((free, false))
}

impl ValueFile {
    /// The bytes of its records.
    fn records(self, folder: PathBuf) -> impl Iterator<Item = Result<Vec<u8>, Error>> {
        let mut reading = None;
        self.listed.into_iter().map(move |number| {
            let reading = match &mut reading {
                Some(reading) => reading,
                none => none.insert(Reading::open(&folder, self.size)?),
            };
            reading.read(number)
        })
    }
}

/// A value file that is read in order.
struct Reading {
    file: BufReader<File>,
    name: String,
    size: u64,
    at: u64,
}

impl Reading {
    fn open(folder: &Path, size: u32) -> Result<Reading, Error> {
        let path = folder.join(name(size));
        let name = path.display().to_string();
        let opened = open_file(&path).map_err(|error| Error::new(error).named(&*name))?;
        Ok(Reading {
            file: BufReader::new(opened),
            name,
            size: size.into(),
            at: 0,
        })
    }

    /// Reads a record, which must not come before the last one.
    fn read(&mut self, number: u32) -> Result<Vec<u8>, Error> {
        let mut record = vec![0; self.size as usize];
        let begin = u64::from(number) * self.size;
        let skip = begin.saturating_sub(self.at).cast_signed();
        let read = self.file.seek_relative(skip);
        read.and_then(|()| self.file.read_exact(&mut record))
            .map_err(|error| Error::new(error).named(&*self.name))?;
        self.at = begin + self.size;
        Ok(record)
    }
}

/// The position of a record; `None` if it can't be read, which was counted.
pub(super) fn position(bytes: Vec<u8>) -> Option<Turned> {
    let record = Record::parse(&bytes).ok()?;
    let position = record.check().ok()?;
    Some(turned(position, (record.player, record.opponent)))
}
