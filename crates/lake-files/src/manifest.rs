//! The manifest of a lake: `manifest.json`.

use crate::{Error, Result, Shape};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The name of the manifest in its folder.
pub const FILE: &str = "manifest.json";

/// The version of the layout that this crate writes and reads.
pub const FORMAT: u32 = 1;

/// The largest manifest that is read, in bytes: enough for a hundred billion rows.
const LARGEST: u64 = 1 << 28;

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
        if length > LARGEST {
            let problem = format!("{length} bytes: a manifest has at most {LARGEST}");
            return Err(Error::damaged(&path, problem));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .map_err(Error::io(&path, "read"))?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let unlike = |error| Error::damaged(&path, format!("not the manifest of a lake: {error}"));
        let Version { format } = serde_json::from_str(&text).map_err(unlike)?;
        if format != FORMAT {
            let problem = format!("format {format}: this obook reads format {FORMAT}");
            return Err(Error::damaged(&path, problem));
        }
        serde_json::from_str(&text).map_err(unlike)
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
