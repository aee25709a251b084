//! A book as a folder of Parquet files, and back.

use crate::commands::{export, import};
use crate::prelude::*;
use obook::write::import::into_store;
use obook::{Error, LakeLimits, LakeReport, restore_lake};

/// `obook export --format parquet`.
pub(crate) fn write(arguments: &export::Arguments) -> Result<(), Failure> {
    let folder = &arguments.file;
    let mut limits = LakeLimits::default();
    limits.rows = arguments.rows_per_file.unwrap_or(limits.rows);
    let context = arguments.memory.context();
    let book = Book::open(&arguments.book, &context)?;
    let store = into_store(book, &context)?;
    if arguments.mapping.strict {
        let left_out = store.outside_lakes()?;
        if !left_out.is_empty() {
            return Err(Failure::from(Error::Lossy {
                path: arguments.book.clone(),
                format: "parquet",
                losses: left_out.join("\n  "),
            }));
        }
    }
    let lake = store.write_lake(folder, arguments.force.if_exists(), limits)?;
    drop(store);
    drop(context);
    account(&lake, arguments.json, |lake, out| {
        describe(lake, folder, out)?;
        out.flush()?;
        if !lake.left_out.is_empty() {
            let lost = lake.left_out.join("\n  ");
            say(format_args!("parquet can't hold:\n  {lost}"));
        }
        Ok(())
    })
}

/// Makes a database of what [`write()`] wrote.
pub(crate) fn restore(
    lake: &Path,
    database: &Path,
    arguments: &import::Arguments,
) -> Result<(), Failure> {
    let context = arguments.memory.context();
    let report = restore_lake(lake, database, arguments.force.if_exists(), &context)?;
    drop(context);
    account(&report, arguments.json, |report, out| {
        describe(report, lake, out)?;
        if arguments.book.is_none() {
            writeln!(out, "database: {}", database.display())?;
        }
        Ok(())
    })
}

/// Says what a folder of Parquet files has.
fn describe(lake: &LakeReport, folder: &Path, out: &mut dyn Write) -> io::Result<()> {
    let rows = |table| lake.rows.get(table).copied().unwrap_or(0);
    let positions = count(rows("positions"), "position[|s]");
    let links = count(rows("links"), "link[|s]");
    let games = some(rows("games"), ", # game[|s]");
    let files = count(lake.files as u64, "file[|s]");
    let name = folder.display();
    writeln!(out, "{name}: {positions}, {links}{games} in {files}")
}
