//! The manifest of a lake: `manifest.json`.

use crate::{Error, Result, Shape};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The name of the manifest in its folder.
pub const FILE: &str = "manifest.json";

/// The version of the layout that this crate writes and reads.
pub const FORMAT: u32 = 1;

/// The largest manifest that is read, in bytes: enough for a hundred billion rows.
pub const MOST_MANIFEST: u64 = 1 << 28;

/// The contents of a lake.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the layout: [`FORMAT`].
    pub format: u32,
    /// The version of the program that wrote the lake.
    pub obook: String,
    /// The schema version of the database: its `PRAGMA user_version`.
    pub schema: i64,
    /// The tables.
    pub tables: Vec<TableEntry>,
}

/// A table of a lake.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name, columns and order.
    #[serde(flatten)]
    pub shape: Shape,
    /// The number of rows.
    pub rows: u64,
    /// Its files, by partition and then by key.
    pub files: Vec<FileEntry>,
}

/// A file of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// The path within the folder, with slashes.
    pub path: String,
    /// The layer or year of all rows; `None` if the table is not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<i64>,
    /// The number of rows.
    pub rows: u64,
    /// The size, in bytes.
    pub bytes: u64,
    /// The row groups, in order.
    pub row_groups: Vec<RowGroupEntry>,
    /// The SHA-256 of what follows the last row group, in hexadecimal.
    pub end_sha256: String,
}

/// A row group of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowGroupEntry {
    /// The number of rows.
    pub rows: u64,
    /// The size in bytes. The first one begins with the file.
    pub bytes: u64,
    /// The SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
    /// The first key, in hexadecimal, of a table whose rows begin with keys of positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The last key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Manifest {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// If it can't be read, is no manifest, or is one of a later version.
    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(FILE);
        let mut file = File::open(&path).map_err(Error::io(&path, "open"))?;
        let length = file.metadata().map_err(Error::io(&path, "read"))?.len();
        if length > MOST_MANIFEST {
            let problem = format!("{length} bytes: a manifest has at most {MOST_MANIFEST}");
            return Err(Error::damaged(&path, problem));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .map_err(Error::io(&path, "read"))?;
        Manifest::parse(&text, &path)
    }

    /// Parses a manifest and checks that it is consistent: its counts add up, and its names and paths stay within the lake. `path`
    /// is where it was found, for errors.
    ///
    /// # Errors
    /// If it is no manifest, or one of a later version, or contradicts itself.
    pub fn parse(text: &str, path: &Path) -> Result<Manifest> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let unlike = |error| Error::damaged(path, format!("not the manifest of a lake: {error}"));
        let Version { format } = serde_json::from_str(text).map_err(unlike)?;
        if format != FORMAT {
            let problem = format!("format {format}: this obook reads format {FORMAT}");
            return Err(Error::damaged(path, problem));
        }
        let manifest: Manifest = serde_json::from_str(text).map_err(unlike)?;
        let checked = manifest.check_consistency();
        checked.map_err(|problem| Error::damaged(path, problem))?;
        Ok(manifest)
    }

    /// Compares a lake's files with the manifest: `found` has the sizes of all Parquet files that are there, by their paths within
    /// the lake.
    ///
    /// # Errors
    /// If a file is missing, of another size or too many.
    pub fn compare(&self, lake: &Path, found: &BTreeMap<String, u64>) -> Result<()> {
        let files = self.tables.iter().flat_map(|table| &table.files);
        let expected: BTreeMap<&String, u64> = files.map(|file| (&file.path, file.bytes)).collect();
        for (path, expected) in &expected {
            let problem = match found.get(*path) {
                None => "missing: the manifest lists it".to_owned(),
                Some(found) if found != expected => {
                    format!("{found} bytes: the manifest says {expected}")
                }
                Some(_) => continue,
            };
            return Err(Error::damaged(&lake.join(path), problem));
        }
        match found.keys().find(|path| !expected.contains_key(path)) {
            None => Ok(()),
            Some(stray) => {
                let problem = "not in the manifest: the folder has files of another lake";
                Err(Error::damaged(&lake.join(stray), problem))
            }
        }
    }

    /// Writes the manifest to a folder.
    ///
    /// # Errors
    /// If it can't be written.
    ///
    /// # Panics
    /// Never: a manifest is always JSON.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        let mut text = serde_json::to_string_pretty(self).expect("names and numbers are JSON");
        text.push('\n');
        std::fs::write(&path, text).map_err(Error::io(&path, "write"))
    }

    /// Checks names, paths and counts, without looking at any file.
    fn check_consistency(&self) -> Result<(), String> {
        let wrong = Err::<(), String>;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_plain);
        let mut names = BTreeSet::new();
        for table in &self.tables {
            let shape = &table.shape;
            let name = &shape.name;
            if !is_name(name) || !names.insert(name) {
                return wrong(format!(
                    "“{name}” is no name for a table, or not its only one"
                ));
            }
            let mut columns = shape.columns.iter().map(|column| &*column.name);
            if let Some(column) = columns.find(|column| !is_name(column)) {
                return wrong(format!(
                    "“{column}” is no name for a column of table {name}"
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
                let mut steps = file.path.split('/');
                let inside = steps.all(|step| step != ".." && !step.is_empty())
                    && file.path.starts_with(&format!("{name}/"))
                    && !file.path.contains('\\');
                if !inside {
                    return wrong(format!("“{}” is no file of table {name}", file.path));
                }
                if shape.partition.is_some() != file.part.is_some() {
                    return wrong(format!("{}: its layer or year is missing", file.path));
                }
                let groups = &file.row_groups;
                let rows = sum(groups.iter().map(|group| group.rows));
                let bytes = sum(groups.iter().map(|group| group.bytes));
                if rows != Some(file.rows) || bytes.is_none_or(|bytes| bytes > file.bytes) {
                    return wrong(format!("{}: its row groups are not the file", file.path));
                }
            }
        }
        Ok(())
    }

    /// The table of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&TableEntry> {
        self.tables.iter().find(|table| table.shape.name == name)
    }

    /// The size of all tables, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let files = self.tables.iter().flat_map(|table| &table.files);
        files.map(|file| file.bytes).sum()
    }
}

/// A sum that doesn't overflow.
fn sum(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.try_fold(0u64, |sum, number| sum.checked_add(number))
}
