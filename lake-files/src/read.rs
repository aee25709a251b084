//! Reading a lake, with all checks.

use crate::write::sha256;
use crate::{Error, FILE, FileEntry, Kind, Manifest, Result, Shape, TableEntry, Value};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Rows that are unpacked at a time, of each file that is read.
const BATCH: usize = 1024;

/// A lake that is read.
#[derive(Debug)]
pub struct Lake {
    folder: PathBuf,
    manifest: Manifest,
}

impl Lake {
    /// Opens a lake: its folder must have the files of the manifest and no others.
    ///
    /// # Errors
    /// If it can't be read, a file is missing, of another size or too many, or the manifest contradicts itself.
    pub fn open(folder: &Path) -> Result<Lake> {
        let manifest = Manifest::read(folder)?;
        let lake = Lake {
            folder: folder.to_owned(),
            manifest,
        };
        lake.check_sums()?;
        let listed = lake.manifest.tables.iter().flat_map(|table| &table.files);
        let listed: BTreeSet<PathBuf> = listed.map(|file| folder.join(&file.path)).collect();
        let mut found = BTreeSet::new();
        find_files(folder, 0, &mut found)?;
        if let Some(stray) = found.difference(&listed).next() {
            let problem = "not in the manifest: the folder has files of another lake";
            return Err(Error::damaged(stray, problem));
        }
        Ok(lake)
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is in it.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Reads a table in the order of its key. Each row group is compared with its checksum before it is unpacked; order, layers and
    /// counts are checked as rows are read.
    ///
    /// # Errors
    /// If a file can't be opened or isn't what the manifest says.
    pub fn rows<'l>(&'l self, table: &'l TableEntry) -> Result<Rows<'l>> {
        let mut parts: Vec<(Option<i64>, Vec<&FileEntry>)> = Vec::new();
        for file in &table.files {
            match parts.last_mut() {
                Some((part, files)) if *part == file.part => files.push(file),
                _ => parts.push((file.part, vec![file])),
            }
        }
        let mut cursors = Vec::new();
        let mut next = BinaryHeap::new();
        for (_, files) in parts {
            let mut cursor = Cursor {
                folder: &self.folder,
                shape: &table.shape,
                files: files.into_iter(),
                file: None,
                batch: None,
                row: 0,
                last: Vec::new(),
            };
            if let Some(key) = cursor.key()? {
                next.push(Reverse((key, cursors.len())));
                cursors.push(cursor);
            }
        }
        Ok(Rows {
            cursors,
            next,
            current: None,
        })
    }

    /// Reads everything once. `advance` gets numbers of rows that were read.
    ///
    /// # Errors
    /// The first damage.
    pub fn check(&self, mut advance: impl FnMut(u64)) -> Result<()> {
        for table in &self.manifest.tables {
            let mut rows = self.rows(table)?;
            let mut count = 0u64;
            while rows.advance()? {
                count += 1;
                if count.is_multiple_of(1024) {
                    advance(1024);
                }
            }
            if count != table.rows {
                let (name, expected) = (&table.shape.name, table.rows);
                let problem =
                    format!("table {name} has {count} rows: the manifest says {expected}");
                return Err(Error::damaged(&self.folder, problem));
            }
            advance(count % 1024);
        }
        Ok(())
    }

    /// What the manifest says about itself: sizes, counts and the folder's files.
    fn check_sums(&self) -> Result<()> {
        let manifest = self.folder.join(FILE);
        let wrong = |problem: String| Err(Error::damaged(&manifest, problem));
        let mut names = BTreeSet::new();
        for table in &self.manifest.tables {
            let shape = &table.shape;
            let name = &shape.name;
            let plain = |name: &str| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            };
            if !plain(name) || !names.insert(name) {
                return wrong(format!(
                    "“{name}” is no name for a table, or not its only one"
                ));
            }
            if shape.key == 0 || shape.key > shape.columns.len() {
                return wrong(format!("table {name} has no key"));
            }
            if sum(table.files.iter().map(|file| file.rows)) != Some(table.rows) {
                return wrong(format!(
                    "the rows of table {name} are not those of its files"
                ));
            }
            if !table.files.is_sorted_by_key(|file| file.part) {
                return wrong(format!("the files of table {name} are not in order"));
            }
            for file in &table.files {
                let inside = file
                    .path
                    .split('/')
                    .all(|step| step != ".." && !step.is_empty())
                    && file.path.starts_with(&format!("{name}/"))
                    && !file.path.contains('\\');
                if !inside {
                    return wrong(format!("“{}” is no file of table {name}", file.path));
                }
                if shape.partition.is_some() != file.part.is_some() {
                    return wrong(format!("{}: its layer or year is missing", file.path));
                }
                let groups = &file.row_groups;
                if sum(groups.iter().map(|group| group.rows)) != Some(file.rows)
                    || sum(groups.iter().map(|group| group.bytes))
                        .is_none_or(|sum| sum > file.bytes)
                {
                    return wrong(format!("{}: its row groups are not the file", file.path));
                }
                let path = self.folder.join(&file.path);
                let found = std::fs::metadata(&path).map_err(Error::io(&path, "open"))?;
                if found.len() != file.bytes {
                    let (found, expected) = (found.len(), file.bytes);
                    let problem = format!("{found} bytes: the manifest says {expected}");
                    return Err(Error::damaged(&path, problem));
                }
            }
        }
        Ok(())
    }
}

/// A sum that doesn't overflow.
fn sum(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.try_fold(0u64, |sum, number| sum.checked_add(number))
}

/// Finds the Parquet files of a folder: they are at most two folders deep.
fn find_files(folder: &Path, depth: u8, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder, "read"))? {
        let path = entry.map_err(Error::io(folder, "read"))?.path();
        if path.is_dir() && depth < 2 {
            find_files(&path, depth + 1, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            found.insert(path);
        }
    }
    Ok(())
}

/// The rows of a table in the order of its key.
#[derive(Debug)]
pub struct Rows<'l> {
    cursors: Vec<Cursor<'l>>,
    /// The keys of their rows, as bytes, and their numbers. A cursor after its last row isn't there.
    next: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    /// The cursor with the current row.
    current: Option<usize>,
}

impl Rows<'_> {
    /// Moves on to the next row; returns false after the last one.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn advance(&mut self) -> Result<bool> {
        if let Some(current) = self.current.take() {
            let cursor = &mut self.cursors[current];
            cursor.row += 1;
            if let Some(key) = cursor.key()? {
                self.next.push(Reverse((key, current)));
            }
        }
        self.current = self.next.pop().map(|Reverse((_, current))| current);
        Ok(self.current.is_some())
    }

    /// A value of the current row, by the number of its column.
    ///
    /// # Panics
    /// If there is no row or no such column.
    #[must_use]
    pub fn value(&self, column: usize) -> Value<'_> {
        let current = self.current.expect("there is a row");
        self.cursors[current].value(column)
    }
}

/// A walk over the files of one part.
#[derive(Debug)]
struct Cursor<'l> {
    folder: &'l Path,
    shape: &'l Shape,
    files: std::vec::IntoIter<&'l FileEntry>,
    file: Option<OpenFile<'l>>,
    batch: Option<RecordBatch>,
    row: usize,
    /// The key of the row before, as bytes.
    last: Vec<u8>,
}

impl<'l> Cursor<'l> {
    /// The key of the current row, as bytes that sort as keys do; `None` after the last row.
    fn key(&mut self) -> Result<Option<Vec<u8>>> {
        while self
            .batch
            .as_ref()
            .is_none_or(|batch| self.row == batch.num_rows())
        {
            self.row = 0;
            self.batch = None;
            if self.file.is_none() {
                match self.files.next() {
                    None => return Ok(None),
                    Some(entry) => self.file = Some(OpenFile::new(self.folder, self.shape, entry)?),
                }
            }
            let file = self.file.as_mut().expect("it was opened");
            self.batch = file.batch()?;
            if self.batch.is_none() {
                self.file = None;
            }
        }
        let key = self.shape.sort_key(|column| self.value(column));
        let Some(key) = key else {
            return Err(self.wrong("a key is null or no key"));
        };
        if self.last >= key {
            return Err(self.wrong("its rows are not sorted, or one is there twice"));
        }
        self.last.clone_from(&key);
        if let Some(partition) = self.shape.partition {
            let expected = self.file.as_ref().and_then(|file| file.entry.part);
            if partition.of(self.value(0)) != expected {
                let name = partition.name();
                return Err(self.wrong(format!("a row belongs to another {name}")));
            }
        }
        Ok(Some(key))
    }

    fn value(&self, column: usize) -> Value<'_> {
        let batch = self.batch.as_ref().expect("there is a row");
        let (cells, row) = (batch.column(column), self.row);
        if cells.is_null(row) {
            return Value::Null;
        }
        match self.shape.columns[column].kind {
            Kind::Integer => Value::Integer(cells.as_primitive::<Int64Type>().value(row)),
            Kind::Real => Value::Real(cells.as_primitive::<Float64Type>().value(row)),
            Kind::Text => Value::Text(cells.as_string::<i32>().value(row)),
            Kind::Key => {
                let key = cells.as_fixed_size_binary().value(row);
                Value::Key(key.try_into().expect("the type has 16 bytes"))
            }
        }
    }

    fn wrong(&self, problem: impl ToString) -> Error {
        self.file.as_ref().expect("a row was read").wrong(problem)
    }
}

/// A file that is read, one row group after another.
#[derive(Debug)]
struct OpenFile<'l> {
    path: PathBuf,
    entry: &'l FileEntry,
    file: File,
    metadata: ArrowReaderMetadata,
    /// The number of row groups that were begun, and where the next one begins.
    begun: usize,
    begin: u64,
    reader: Option<ParquetRecordBatchReader>,
}

impl<'l> OpenFile<'l> {
    fn new(folder: &Path, shape: &Shape, entry: &'l FileEntry) -> Result<OpenFile<'l>> {
        let path = folder.join(&entry.path);
        let mut file = File::open(&path).map_err(Error::io(&path, "open"))?;
        let groups: u64 = entry.row_groups.iter().map(|group| group.bytes).sum();
        file.seek(SeekFrom::Start(groups))
            .map_err(Error::io(&path, "read"))?;
        let (found, _) = sha256(&path, &mut file, u64::MAX)?;
        if found != entry.end_sha256 {
            let problem = "its end has another checksum than in the manifest";
            return Err(Error::damaged(&path, problem));
        }
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(&file, options)
            .map_err(|error| Error::damaged(&path, error))?;
        let (found, expected) = (metadata.schema().fields(), shape.schema());
        let alike = found.len() == expected.fields().len()
            && found
                .iter()
                .zip(expected.fields())
                .all(|(found, expected)| {
                    found.name() == expected.name() && found.data_type() == expected.data_type()
                });
        if !alike {
            let problem = format!("its columns are not those of table {}", shape.name);
            return Err(Error::damaged(&path, problem));
        }
        if metadata.metadata().num_row_groups() != entry.row_groups.len() {
            let problem = "it has another number of row groups than in the manifest";
            return Err(Error::damaged(&path, problem));
        }
        Ok(OpenFile {
            path,
            entry,
            file,
            metadata,
            begun: 0,
            begin: 0,
            reader: None,
        })
    }

    /// The next rows.
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next() {
                    Some(Ok(batch)) if batch.num_rows() > 0 => return Ok(Some(batch)),
                    Some(Ok(_)) => continue,
                    Some(Err(error)) => return Err(self.wrong(error)),
                    None => self.reader = None,
                }
            }
            let Some(group) = self.entry.row_groups.get(self.begun) else {
                return Ok(None);
            };
            self.begun += 1;
            let failed = Error::io(&self.path, "read");
            self.file
                .seek(SeekFrom::Start(self.begin))
                .map_err(failed)?;
            let (found, _) = sha256(&self.path, &mut self.file, group.bytes)?;
            if found != group.sha256 {
                return Err(self.wrong("another checksum than in the manifest"));
            }
            self.begin += group.bytes;
            let metadata = self.metadata.metadata().row_group(self.begun - 1);
            let (found, expected) = (metadata.num_rows(), group.rows);
            if u64::try_from(found) != Ok(expected) {
                return Err(self.wrong(format!("{found} rows: the manifest says {expected}")));
            }
            let file = self
                .file
                .try_clone()
                .map_err(Error::io(&self.path, "read"))?;
            let reader =
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                    .with_projection(ProjectionMask::all())
                    .with_row_groups(vec![self.begun - 1])
                    .with_batch_size(BATCH)
                    .build();
            self.reader = Some(reader.map_err(|error| self.wrong(error))?);
        }
    }

    /// An error about the row group that is read.
    fn wrong(&self, problem: impl ToString) -> Error {
        Error::RowGroup {
            path: self.path.clone(),
            row_group: self.begun.saturating_sub(1),
            problem: problem.to_string(),
        }
    }
}
