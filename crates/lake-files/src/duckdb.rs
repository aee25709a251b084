//! A lake for DuckDB.

use crate::{Manifest, Partition};

/// The name of the script in a lake's folder.
pub const SCRIPT: &str = "duckdb.sql";

/// The beginning of the script: functions of SQLite and obook that DuckDB lacks, as far as plain SQL can define them.
const HEAD: &str = "\
-- For DuckDB, in this folder: duckdb -init duckdb.sql
SET integer_division = true;
CREATE OR REPLACE MACRO square(move) AS
    CASE WHEN move = 64 THEN 'pa' ELSE substr('abcdefgh', move % 8 + 1, 1) || ((move >> 3) + 1) END;
";

impl Manifest {
    /// A script by which DuckDB knows the tables and these views, if it runs in the lake's folder.
    #[must_use]
    pub fn duckdb(&self, views: &str) -> String {
        let tables = self.tables.iter().map(|table| {
            let name = &table.shape.name;
            let (files, hive) = match table.shape.partition.map(Partition::name) {
                None => ("*.parquet", String::new()),
                Some(part) => (
                    "*/*.parquet",
                    format!(", hive_partitioning = true, hive_types = {{'{part}': BIGINT}}"),
                ),
            };
            format!(
                "CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM read_parquet('{name}/{files}'{hive});\n"
            )
        });
        let tables: String = tables.collect();
        let views = views.replace("CREATE VIEW", "CREATE OR REPLACE TEMP VIEW");
        format!("{HEAD}{tables}\n{views}")
    }
}
