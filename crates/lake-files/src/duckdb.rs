//! A lake for DuckDB.

use crate::{Manifest, Partition};
use std::fmt::Write;

/// The name of the script in a lake's folder.
pub const SCRIPT: &str = "duckdb.sql";

/// Functions of SQLite and obook that DuckDB lacks, as far as plain SQL can define them.
const MACROS: &str = "\
SET integer_division = true;
CREATE OR REPLACE MACRO square(move) AS
    CASE WHEN move = 64 THEN 'pa' ELSE substr('abcdefgh', move % 8 + 1, 1) || ((move >> 3) + 1) END;
";

impl Manifest {
    /// A script by which DuckDB knows the tables and these views, if it runs in the lake's folder.
    #[must_use]
    pub fn duckdb(&self, views: &str) -> String {
        let mut script = String::from("-- For DuckDB, in this folder: duckdb -init duckdb.sql\n");
        script += MACROS;
        for table in &self.tables {
            let name = &table.shape.name;
            let (files, hive) = match table.shape.partition.map(Partition::name) {
                None => ("*.parquet", String::new()),
                Some(part) => (
                    "*/*.parquet",
                    format!(", hive_partitioning = true, hive_types = {{'{part}': BIGINT}}"),
                ),
            };
            let _ = writeln!(
                script,
                "CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM read_parquet('{name}/{files}'{hive});"
            );
        }
        script.push('\n');
        script += &views.replace("CREATE VIEW", "CREATE OR REPLACE TEMP VIEW");
        script
    }
}
