//! The functions of SQL, in a connection of one's own.

use obook::{extension, rusqlite::Connection};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let connection = Connection::open_in_memory()?;
    extension::register(&connection)?;
    let sql = "SELECT mobility(board('f5d6')), count(*) FROM edax('examples/games.dat')";
    let found: (u32, u32) = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    println!("{found:?}");
    assert_eq!(found, (5, 2247));
    Ok(())
}
