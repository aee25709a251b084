//! Writing the files of a table.

use crate::{
    ColumnType, Error, FileEntry, MOST_TEXT, Partition, Result, RowGroupEntry, Shape, TableEntry,
    Value,
};
use arrow_array::builder::{FixedSizeBinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use obook_base::hex;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are handed to Parquet's writer at a time.
const BATCH: usize = 2048;
/// Bytes of texts that are handed over at a time: a page has hardly more.
const BATCH_TEXTS: usize = 1 << 20;
/// Rows of a row group.
const ROW_GROUP: usize = 1 << 17;
/// The size of a page, the least that a reader unpacks, in bytes.
const PAGE: usize = 1 << 16;
const ZSTD: i32 = 3;

/// When a file is full, and another one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// At most this many rows.
    pub rows: u64,
    /// Not much more than this many bytes.
    pub bytes: u64,
}

impl Default for Limits {
    /// 256 M rows or 2 GB.
    fn default() -> Limits {
        Limits {
            rows: 1 << 28,
            bytes: 2_000_000_000,
        }
    }
}

/// Writes the rows of a table, which come in the order of their key. Memory is bounded: in each layer at most a row group waits,
/// compressed.
///
/// ```
/// use obook_lake_files::{Column, ColumnType, Limits, Shape, TableWriter, Value};
/// # let folder = tempfile::tempdir()?;
/// let number = Column { name: "number".to_owned(), kind: ColumnType::Integer, derived: false };
/// let shape = Shape { name: "numbers".to_owned(), partition: None, columns: vec![number], key: 1 };
/// let mut table = TableWriter::new(folder.path(), shape, Limits::default())?;
/// table.push(&[Value::Integer(-1)])?;
/// table.push(&[Value::Integer(7)])?;
/// // A look-up would not find it.
/// assert!(table.push(&[Value::Integer(6)]).is_err());
/// assert!(table.push(&[Value::Integer(7)]).is_err());
/// assert_eq!(table.finish()?.rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TableWriter<'f> {
    folder: &'f Path,
    shape: Shape,
    schema: SchemaRef,
    properties: WriterProperties,
    limits: Limits,
    open: BTreeMap<Option<i64>, Part>,
    /// Finished files.
    files: Vec<FileEntry>,
}

impl<'f> TableWriter<'f> {
    /// Begins a table in the folder of a lake.
    ///
    /// # Errors
    /// If the table's folder can't be made.
    ///
    /// # Panics
    /// If a table by layers doesn't begin with a key, or one by years with an integer.
    pub fn new(folder: &'f Path, shape: Shape, limits: Limits) -> Result<TableWriter<'f>> {
        let first = shape.columns[0].kind;
        assert!(match shape.partition {
            Some(Partition::Layer) => first == ColumnType::Key,
            Some(Partition::Year) => first == ColumnType::Integer,
            None => true,
        });
        let level = ZstdLevel::try_new(ZSTD).expect("a level of zstd");
        let ascending = |place: usize| SortingColumn {
            column_idx: place as i32,
            descending: false,
            nulls_first: false,
        };
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("obook {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_data_page_size_limit(PAGE)
            .set_sorting_columns(Some((0..shape.key).map(ascending).collect()));
        for column in &shape.columns {
            // Hardly any key occurs twice.
            if column.kind == ColumnType::Key {
                let path = ColumnPath::from(column.name.as_str());
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::PLAIN);
            }
        }
        let table = folder.join(&shape.name);
        std::fs::create_dir_all(&table).map_err(Error::io(&table, "create"))?;
        Ok(TableWriter {
            folder,
            schema: Arc::new(shape.schema()),
            properties: properties.build(),
            shape,
            limits,
            open: BTreeMap::new(),
            files: Vec::new(),
        })
    }

    /// Adds a row, with a value for each column; a key is a blob.
    ///
    /// # Errors
    /// If the file can't be written, rows don't come in the order of their keys, or a value is of another type than its column.
    pub fn push(&mut self, row: &[Value<'_>]) -> Result<()> {
        let part = self.shape.partition.and_then(|it| it.of(row[0]));
        if let (Some(partition), None) = (self.shape.partition, part) {
            return Err(Error::row(format!("no {} for it", partition.name())));
        }
        if !self.open.contains_key(&part) {
            // Years come one after another, layers don't.
            if self.shape.partition == Some(Partition::Year) {
                self.close_all()?;
            }
            let opened = self.begin(part)?;
            self.open.insert(part, opened);
        }
        let file = self.open.get_mut(&part).expect("it was opened");
        file.push(&self.shape, row)?;
        if file.waiting == BATCH || file.texts >= BATCH_TEXTS {
            file.write(&self.schema)?;
        }
        if file.rows >= self.limits.rows || file.writer.bytes_written() as u64 >= self.limits.bytes
        {
            let file = self.open.remove(&part).expect("it is open");
            self.close(part, file)?;
        }
        Ok(())
    }

    /// Whether no row has come yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.files.is_empty()
    }

    /// Finishes the files. A table without rows has one, which says what columns it has.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn finish(mut self) -> Result<TableEntry> {
        self.close_all()?;
        if self.files.is_empty() {
            let part = self.shape.partition.map(|_| 0);
            let empty = self.begin(part)?;
            self.close(part, empty)?;
        }
        self.files
            .sort_by(|one, other| (one.part, &one.path).cmp(&(other.part, &other.path)));
        let TableWriter { shape, files, .. } = self;
        let rows = files.iter().map(|file| file.rows).sum();
        Ok(TableEntry { shape, rows, files })
    }

    fn begin(&mut self, part: Option<i64>) -> Result<Part> {
        let before = self.files.iter().filter(|file| file.part == part);
        let name = format!("part-{:05}.parquet", before.count());
        let name = match (self.shape.partition, part) {
            (Some(partition), Some(part)) => format!("{}={part}/{name}", partition.name()),
            _ => name,
        };
        let name = format!("{}/{name}", self.shape.name);
        let path = self.folder.join(&name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io(folder, "create"))?;
        }
        let file = File::create_new(&path).map_err(Error::io(&path, "create"))?;
        let options = ArrowWriterOptions::new()
            .with_properties(self.properties.clone())
            .with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(file, self.schema.clone(), options)
            .map_err(failed(&path))?;
        let columns = self.shape.columns.iter();
        Ok(Part {
            name,
            path,
            writer,
            columns: columns.map(|column| Cells::new(column.kind)).collect(),
            waiting: 0,
            texts: 0,
            rows: 0,
            keys: Vec::new(),
            last: Vec::new(),
        })
    }

    fn close_all(&mut self) -> Result<()> {
        while let Some((part, file)) = self.open.pop_first() {
            self.close(part, file)?;
        }
        Ok(())
    }

    fn close(&mut self, part: Option<i64>, file: Part) -> Result<()> {
        let entry = file.finish(&self.schema, part)?;
        self.files.push(entry);
        Ok(())
    }
}

/// Errors of Parquet's writer are those of the file under it.
fn failed(path: &Path) -> impl FnOnce(ParquetError) -> Error {
    let path = path.to_owned();
    move |error| match error {
        ParquetError::External(error) if error.is::<std::io::Error>() => {
            let source = *error.downcast::<std::io::Error>().expect("it is one");
            Error::io(&path, "write")(source)
        }
        error => Error::damaged(&path, format!("can't write: {error}")),
    }
}

/// A file that is written.
#[derive(Debug)]
struct Part {
    name: String,
    path: PathBuf,
    writer: ArrowWriter<File>,
    /// The rows that wait to be handed to the writer.
    columns: Vec<Cells>,
    waiting: usize,
    /// The bytes of their texts.
    texts: usize,
    rows: u64,
    /// The first and the last key of each row group, if rows begin with keys.
    keys: Vec<[[u8; 16]; 2]>,
    /// The key of the last row, as bytes that sort as rows do.
    last: Vec<u8>,
}

impl Part {
    fn push(&mut self, shape: &Shape, row: &[Value<'_>]) -> Result<()> {
        if let Some(key) = shape.sort_key(|column| row[column]) {
            if self.rows > 0 && self.last >= key {
                let problem = "a row does not come after the one before, by its key";
                return Err(Error::damaged(&self.path, problem));
            }
            self.last = key;
        }
        if let Value::Blob(key) = row[0]
            && let Ok(key) = key.try_into()
        {
            match self.keys.last_mut() {
                Some([_, last]) if !self.rows.is_multiple_of(ROW_GROUP as u64) => *last = key,
                _ => self.keys.push([key; 2]),
            }
        }
        assert_eq!(row.len(), self.columns.len());
        for ((cells, value), column) in self.columns.iter_mut().zip(row).zip(&shape.columns) {
            if let Value::Text(text) = value {
                self.texts += text.len();
                if text.len() > MOST_TEXT {
                    let (name, length) = (&column.name, text.len());
                    return Err(Error::row(format!(
                        "column {name} has a text of {length} bytes: expected at most {MOST_TEXT}"
                    )));
                }
            }
            if !cells.push(*value) {
                let (name, kind) = (&column.name, column.kind);
                let problem = format!("column {name} has {value}: expected {kind:?}");
                return Err(Error::row(problem));
            }
        }
        self.waiting += 1;
        self.rows += 1;
        Ok(())
    }

    /// Hands the waiting rows to the writer.
    fn write(&mut self, schema: &SchemaRef) -> Result<()> {
        if self.waiting == 0 {
            return Ok(());
        }
        let columns = self.columns.iter_mut().map(Cells::finish).collect();
        (self.waiting, self.texts) = (0, 0);
        let batch = RecordBatch::try_new(schema.clone(), columns);
        // Its only possible error is a null in a column of the key.
        let batch = batch.map_err(|error| Error::row(error.to_string()))?;
        self.writer.write(&batch).map_err(failed(&self.path))
    }

    fn finish(mut self, schema: &SchemaRef, part: Option<i64>) -> Result<FileEntry> {
        self.write(schema)?;
        let metadata = self.writer.close().map_err(failed(&self.path))?;
        entry(&self.path, self.name, part, &metadata, &self.keys)
    }
}

/// The manifest's entry for a file. `keys` are the first and the last key of each row group, if rows begin with keys.
pub(crate) fn entry(
    file: &Path,
    path: String,
    part: Option<i64>,
    metadata: &ParquetMetaData,
    keys: &[[[u8; 16]; 2]],
) -> Result<FileEntry> {
    let input = &mut File::open(file).map_err(Error::io(file, "read"))?;
    let mut keys = keys.iter();
    let (mut begin, mut row_groups) = (0, Vec::new());
    for group in metadata.row_groups() {
        let ends = group.columns().iter().map(|column| {
            let (start, length) = column.byte_range();
            start + length
        });
        let bytes = ends.max().unwrap_or(begin) - begin;
        let keys = keys.next();
        row_groups.push(RowGroupEntry {
            rows: group.num_rows().cast_unsigned(),
            bytes,
            sha256: sha256(file, input, bytes)?.0,
            first: keys.map(|[first, _]| hex(first)),
            last: keys.map(|[_, last]| hex(last)),
        });
        begin += bytes;
    }
    let (end_sha256, rest) = sha256(file, input, u64::MAX)?;
    Ok(FileEntry {
        path,
        part,
        rows: metadata.file_metadata().num_rows().cast_unsigned(),
        bytes: begin + rest,
        row_groups,
        end_sha256,
    })
}

/// The SHA-256 of the next bytes of a file, in hexadecimal, and how many there were: at most `length`.
pub(crate) fn sha256(path: &Path, file: &mut File, length: u64) -> Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut file = file.take(length);
    let mut bytes = 0;
    while let count @ 1.. = file.read(&mut buffer).map_err(Error::io(path, "read"))? {
        hasher.update(&buffer[..count]);
        bytes += count as u64;
    }
    Ok((hex(&hasher.finalize()), bytes))
}

/// A column that grows, cell by cell.
#[derive(Debug)]
pub enum Cells {
    /// Integers.
    Integers(Int64Builder),
    /// Floating-point numbers.
    Reals(Float64Builder),
    /// Texts.
    Texts(StringBuilder),
    /// Keys of positions.
    Keys(FixedSizeBinaryBuilder),
}

impl Cells {
    /// A column of this type, empty.
    #[must_use]
    pub fn new(kind: ColumnType) -> Cells {
        match kind {
            ColumnType::Integer => Cells::Integers(Int64Builder::new()),
            ColumnType::Real => Cells::Reals(Float64Builder::new()),
            ColumnType::Text => Cells::Texts(StringBuilder::new()),
            ColumnType::Key => Cells::Keys(FixedSizeBinaryBuilder::new(16)),
        }
    }

    /// Adds a cell. Returns false if the value is of another type, or a text that is not UTF-8.
    pub fn push(&mut self, value: Value<'_>) -> bool {
        match (self, value) {
            (Cells::Integers(cells), Value::Integer(value)) => cells.append_value(value),
            (Cells::Integers(cells), Value::Null) => cells.append_null(),
            (Cells::Reals(cells), Value::Real(value)) => cells.append_value(value),
            (Cells::Reals(cells), Value::Null) => cells.append_null(),
            (Cells::Texts(cells), Value::Text(value)) => match str::from_utf8(value) {
                Ok(text) => cells.append_value(text),
                Err(_) => return false,
            },
            (Cells::Texts(cells), Value::Null) => cells.append_null(),
            (Cells::Keys(cells), Value::Blob(value)) => return cells.append_value(value).is_ok(),
            (Cells::Keys(cells), Value::Null) => cells.append_null(),
            _ => return false,
        }
        true
    }

    /// The cells so far, as an array; then it is empty again.
    pub fn finish(&mut self) -> ArrayRef {
        match self {
            Cells::Integers(cells) => Arc::new(cells.finish()),
            Cells::Reals(cells) => Arc::new(cells.finish()),
            Cells::Texts(cells) => Arc::new(cells.finish()),
            Cells::Keys(cells) => Arc::new(cells.finish()),
        }
    }
}
