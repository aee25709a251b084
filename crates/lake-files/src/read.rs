//! Reading a lake, with all checks.

use crate::write::sha256;
use crate::{
    Column, ColumnType, Error, FileEntry, MOST_TEXT, Manifest, Result, Shape, TableEntry, Value,
    pages,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows that are unpacked at a time, of each file that is read.
const BATCH: usize = 1024;
/// The bytes of texts that are unpacked at a time.
const BATCH_TEXTS: u64 = 1 << 24;
/// The largest page, unpacked.
const MOST_PAGE: u64 = 1 << 26;
/// The memory for pages that reading may always take.
const LEAST_MEMORY: u64 = 1 << 28;
/// The largest unpacked size of a file: this, and a thousand times its size.
const MOST_UNPACKED: u64 = 1 << 26;

/// A lake that is read.
#[derive(Debug)]
pub struct Lake {
    folder: PathBuf,
    manifest: Manifest,
    room: Room,
}

/// The memory for unpacked pages.
#[derive(Debug)]
struct Room {
    most: u64,
    taken: AtomicU64,
}

impl Room {
    /// Takes memory; `None` if there isn't so much.
    fn take(&self, bytes: u64) -> Option<Taken<'_>> {
        let taken = Taken { room: self, bytes };
        (self.taken.fetch_add(bytes, Relaxed).saturating_add(bytes) <= self.most).then_some(taken)
    }
}

/// Memory that is given back.
#[derive(Debug)]
struct Taken<'l> {
    room: &'l Room,
    bytes: u64,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.bytes, Relaxed);
    }
}

impl Lake {
    /// Opens a lake: its folder must have the files of the manifest and no others. Unpacked pages take no more than `memory` bytes at
    /// a time, or 256 MiB if that is more; `None`: no limit.
    ///
    /// # Errors
    /// If it can't be read, a file is missing, of another size or too many, or the manifest contradicts itself.
    pub fn open(folder: &Path, memory: Option<u64>) -> Result<Lake> {
        let manifest = Manifest::read(folder)?;
        let lake = Lake {
            folder: folder.to_owned(),
            manifest,
            room: Room {
                most: memory.unwrap_or(u64::MAX).max(LEAST_MEMORY),
                taken: AtomicU64::new(0),
            },
        };
        let mut found = BTreeMap::new();
        find_files(folder, "", 0, &mut found)?;
        lake.manifest.compare(folder, &found)?;
        Ok(lake)
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its contents.
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
        let mut cursors = Vec::new();
        let mut next = BinaryHeap::new();
        for files in table.files.chunk_by(|one, next| one.part == next.part) {
            let mut cursor = Cursor {
                lake: self,
                shape: &table.shape,
                files: files.iter(),
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
}

/// Finds the Parquet files of a folder, which are at most two folders deep, with their sizes.
fn find_files(
    lake: &Path,
    folder: &str,
    depth: u8,
    found: &mut BTreeMap<String, u64>,
) -> Result<()> {
    let here = lake.join(folder);
    for entry in std::fs::read_dir(&here).map_err(Error::io(&here, "read"))? {
        let name = entry.map_err(Error::io(&here, "read"))?.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = match folder {
            "" => name.to_owned(),
            _ => format!("{folder}/{name}"),
        };
        let file = lake.join(&path);
        if file.is_dir() && depth < 2 {
            find_files(lake, &path, depth + 1, found)?;
        } else if path.ends_with(".parquet") {
            let bytes = std::fs::metadata(&file).map_err(Error::io(&file, "open"))?;
            found.insert(path, bytes.len());
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
    lake: &'l Lake,
    shape: &'l Shape,
    files: std::slice::Iter<'l, FileEntry>,
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
                let Some(entry) = self.files.next() else {
                    return Ok(None);
                };
                self.file = Some(OpenFile::new(self.lake, self.shape, entry)?);
            }
            let file = self.file.as_mut().expect("it was opened");
            self.batch = file.batch()?;
            match &self.batch {
                Some(batch) => file.check_size(batch, &self.shape.columns)?,
                None => self.file = None,
            }
        }
        let Some(key) = self.shape.sort_key(|column| self.value(column)) else {
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
            ColumnType::Integer => Value::Integer(cells.as_primitive::<Int64Type>().value(row)),
            ColumnType::Real => Value::Real(cells.as_primitive::<Float64Type>().value(row)),
            ColumnType::Text => Value::Text(cells.as_string::<i32>().value(row).as_bytes()),
            ColumnType::Key => Value::Blob(cells.as_fixed_size_binary().value(row)),
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
    room: &'l Room,
    /// The memory of the row group that is read.
    taken: Option<Taken<'l>>,
    /// The bytes of its rows so far.
    unpacked: u64,
}

impl<'l> OpenFile<'l> {
    fn new(lake: &'l Lake, shape: &Shape, entry: &'l FileEntry) -> Result<OpenFile<'l>> {
        let path = lake.folder.join(&entry.path);
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
        let columns = |schema: &Schema| -> Vec<(String, DataType)> {
            let fields = schema.fields().iter();
            let columns = fields.map(|it| (it.name().clone(), it.data_type().clone()));
            columns.collect()
        };
        if columns(metadata.schema()) != columns(&shape.schema()) {
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
            room: &lake.room,
            taken: None,
            unpacked: 0,
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
            let sought = self.file.seek(SeekFrom::Start(self.begin));
            sought.map_err(Error::io(&self.path, "read"))?;
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
            self.taken = None;
            let batch = self.make_room()?;
            let file = self.file.try_clone();
            let file = file.map_err(Error::io(&self.path, "read"))?;
            let reader =
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                    .with_projection(ProjectionMask::all())
                    .with_row_groups(vec![self.begun - 1])
                    .with_batch_size(batch)
                    .build();
            self.reader = Some(reader.map_err(|error| self.wrong(error))?);
        }
    }

    /// Checks that rows have no long text, and that the file isn't one that only repeats.
    fn check_size(&mut self, batch: &RecordBatch, columns: &[Column]) -> Result<()> {
        for (cells, Column { name, kind, .. }) in batch.columns().iter().zip(columns) {
            let count = (cells.len() - cells.null_count()) as u64;
            self.unpacked += match kind {
                ColumnType::Integer | ColumnType::Real => 8 * count,
                ColumnType::Key => 16 * count,
                ColumnType::Text => {
                    let texts = cells.as_string::<i32>();
                    let lengths = (0..texts.len()).map(|row| texts.value_length(row) as usize);
                    let length = lengths.clone().max().unwrap_or(0);
                    if length > MOST_TEXT {
                        return Err(self.wrong(format!(
                            "a text in column {name} has {length} bytes: expected at most {MOST_TEXT}"
                        )));
                    }
                    lengths.sum::<usize>() as u64
                }
            };
        }
        let bytes = self.entry.bytes;
        let most = MOST_UNPACKED.saturating_add(bytes.saturating_mul(1000));
        if self.unpacked > most {
            let problem = format!(
                "its rows unpack to more than {most} bytes, and it has {bytes}: this is no book"
            );
            return Err(Error::damaged(&self.path, problem));
        }
        Ok(())
    }

    /// Takes memory for the pages of a row group, of which one of each column is unpacked at a time, and its dictionary. Returns how many
    /// rows to read at a time: no text is longer than a page.
    fn make_room(&mut self) -> Result<usize> {
        let metadata = Arc::clone(self.metadata.metadata());
        let (mut all, mut longest) = (0, 1);
        for column in metadata.row_group(self.begun - 1).columns() {
            let begin = column.dictionary_page_offset();
            let begin = begin.unwrap_or_else(|| column.data_page_offset());
            let [begin, length] = [begin, column.compressed_size()].map(i64::cast_unsigned);
            let failed = Error::io(&self.path, "read");
            self.file.seek(SeekFrom::Start(begin)).map_err(failed)?;
            let page = pages::largest(&self.file, length).map_err(|error| self.wrong(error))?;
            if page > MOST_PAGE {
                let problem =
                    format!("a page has {page} bytes, unpacked: expected at most {MOST_PAGE}");
                return Err(self.wrong(problem));
            }
            all += 3 * page;
            if column.column_type() == parquet::basic::Type::BYTE_ARRAY {
                longest = longest.max(page);
            }
        }
        let taken = self.room.take(all);
        self.taken = Some(taken.ok_or_else(|| Error::Memory {
            path: self.path.clone(),
            row_group: self.begun.saturating_sub(1),
            most: self.room.most,
        })?);
        Ok((BATCH_TEXTS / longest).clamp(1, BATCH as u64) as usize)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FORMAT;
    use crate::write::entry;
    use arrow_array::{Int64Array, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    /// A lake of one table with a number and a text, written by somebody else: all checksums are right.
    fn forged(folder: &Path, texts: &[String]) -> Lake {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
            derived: false,
        };
        let shape = Shape {
            name: "history".to_owned(),
            partition: None,
            columns: vec![
                column("id", ColumnType::Integer),
                column("command", ColumnType::Text),
            ],
            key: 1,
        };
        std::fs::create_dir(folder.join("history")).unwrap();
        let path = folder.join("history/part-00000.parquet");
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_page_size_limit(1 << 30)
            .build();
        let schema = Arc::new(shape.schema());
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).unwrap();
        for (number, texts) in (0..).zip(texts.chunks(16)) {
            let ids = (0..texts.len() as i64).map(|id| id + 16 * number + 1);
            let columns: Vec<arrow_array::ArrayRef> = vec![
                Arc::new(Int64Array::from_iter_values(ids)),
                Arc::new(StringArray::from_iter_values(texts)),
            ];
            let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
            writer.write(&batch).unwrap();
        }
        let metadata = writer.close().unwrap();
        let name = "history/part-00000.parquet".to_owned();
        let files = vec![entry(&path, name, None, &metadata, &[]).unwrap()];
        let rows = texts.len() as u64;
        let manifest = Manifest {
            format: FORMAT,
            obook: String::new(),
            schema: 0,
            tables: vec![TableEntry { shape, rows, files }],
        };
        manifest.write(folder).unwrap();
        Lake::open(folder, None).unwrap()
    }

    fn checked(texts: &[String]) -> std::result::Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let lake = forged(folder.path(), texts);
        let bytes = lake.manifest().bytes();
        assert!(bytes < 1 << 20, "{bytes} bytes");
        lake.check(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn forged_lakes_are_refused_before_they_take_memory() {
        let text = |length: usize| "x".repeat(length);
        assert_eq!(checked(&[text(3), text(MOST_TEXT)]), Ok(()));
        let error = checked(&[text(MOST_TEXT + 1)]).unwrap_err();
        assert!(error.contains("a text in column command has"), "{error}");
        let error = checked(&[text(MOST_PAGE as usize)]).unwrap_err();
        assert!(
            error.contains("a page has") && error.contains("unpacked"),
            "{error}"
        );
        // Few bytes name one text again and again.
        let error = checked(&vec![text(1 << 20); 400]).unwrap_err();
        assert!(error.contains("its rows unpack to more than"), "{error}");
    }
}
