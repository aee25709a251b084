//! Forecasts in the tables `expectations` and `goals`.

use crate::rows::table::qualified;
use obook_othello::{CanonicalBoard, Forecast, Goal};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes a forecast, unless the book has one for the board for which more positions were visited, or as many with larger numbers.
///
/// # Errors
/// Returns an error if SQLite can't write it.
pub fn put_forecast(
    connection: &Connection,
    board: CanonicalBoard,
    forecast: &Forecast,
) -> Result<()> {
    let key = board.to_key();
    let put = "INSERT INTO main.expectations (board, expected, spread, score, visited) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT (board) DO UPDATE
               SET expected = excluded.expected, spread = excluded.spread, score = excluded.score, visited = excluded.visited
               WHERE (excluded.visited, excluded.expected, excluded.spread, excluded.score) > (visited, expected, spread, score)";
    let row = params![
        key,
        forecast.expected,
        forecast.spread,
        forecast.score,
        forecast.visited
    ];
    if connection.prepare_cached(put)?.execute(row)? == 0 {
        return Ok(());
    }
    let clear = "DELETE FROM main.goals WHERE board = ?";
    connection.prepare_cached(clear)?.execute([key])?;
    let add =
        "INSERT INTO main.goals (board, goal, probability, proof, disproof) VALUES (?, ?, ?, ?, ?)";
    let mut add = connection.prepare_cached(add)?;
    for it in &forecast.goals {
        add.execute(params![key, it.goal, it.probability, it.proof, it.disproof])?;
    }
    Ok(())
}

/// The forecast for a board, if the book has one, in the attached database `schema` or the first one found if there's no name.
///
/// ```
/// use obook_othello::{Board, Forecast};
/// use obook_sql::rows::{forecast, put_forecast};
///
/// # let connection = rusqlite::Connection::open_in_memory()?;
/// # connection.execute_batch(
/// #     "CREATE TABLE expectations (board PRIMARY KEY, expected, spread, score, visited);
/// #      CREATE TABLE goals (board, goal, probability, proof, disproof)",
/// # )?;
/// let start = Board::START.canonical();
/// put_forecast(&connection, start, &Forecast::certain(0))?;
/// assert_eq!(forecast(&connection, None, start)?, Some(Forecast::certain(0)));
/// # Ok::<(), rusqlite::Error>(())
/// ```
///
/// # Errors
/// Returns an error if SQLite can't read it, or a value isn't of the column's kind.
pub fn forecast(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
) -> Result<Option<Forecast>> {
    let [expectations, of_goals] = ["expectations", "goals"].map(|table| qualified(schema, table));
    let key = board.to_key();
    let sql =
        format!("SELECT expected, spread, score, visited FROM {expectations} WHERE board = ?");
    let mut select = connection.prepare_cached(&sql)?;
    let numbers = select.query_row([key], |row| {
        Ok(Forecast {
            expected: row.get(0)?,
            spread: row.get(1)?,
            score: row.get(2)?,
            visited: row.get(3)?,
            goals: Vec::new(),
        })
    });
    let Some(mut forecast) = numbers.optional()? else {
        return Ok(None);
    };
    let sql = format!(
        "SELECT goal, probability, proof, disproof FROM {of_goals} WHERE board = ? ORDER BY goal"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let goals = select.query_map([key], |row| {
        Ok(Goal {
            goal: row.get(0)?,
            probability: row.get(1)?,
            proof: row.get(2)?,
            disproof: row.get(3)?,
        })
    })?;
    forecast.goals = goals.collect::<Result<_>>()?;
    Ok(Some(forecast))
}

/// The boards of the main database that have a forecast, in key order. Rows whose key isn't a board are passed over.
///
/// # Errors
/// Returns an error if SQLite can't read them.
pub fn forecast_boards(connection: &Connection) -> Result<Vec<CanonicalBoard>> {
    let mut select = connection.prepare("SELECT board FROM expectations ORDER BY board")?;
    let boards = select.query_map([], |row| {
        let board = row.get(0).ok().map(CanonicalBoard::from_key);
        Ok(board.and_then(|board| board.ok().flatten()))
    })?;
    boards.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::Board;

    /// Of several forecasts the same one stays, in whatever order they come.
    #[test]
    fn the_order_of_forecasts_makes_no_difference() {
        let board = Board::START.canonical();
        let more = Forecast {
            visited: 9.0,
            ..Forecast::certain(2)
        };
        let all = [Forecast::certain(4), Forecast::certain(6), more.clone()];
        let left = |order: &[usize]| {
            let connection = Connection::open_in_memory().unwrap();
            let tables =
                "CREATE TABLE expectations (board PRIMARY KEY, expected, spread, score, visited);
                          CREATE TABLE goals (board, goal, probability, proof, disproof)";
            connection.execute_batch(tables).unwrap();
            for at in order {
                put_forecast(&connection, board, &all[*at]).unwrap();
            }
            forecast(&connection, None, board).unwrap().unwrap()
        };
        assert_eq!(left(&[0, 1]), left(&[1, 0]));
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(left(&order), more);
        }
    }
}
