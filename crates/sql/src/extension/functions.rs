//! The scalar functions of `obook-sql`, for SQLite.

use crate::functions::{ALL, Function};
use obook_base::sql::{Answer, Value};
use obook_base::sqlite::value;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Result};

pub(crate) fn register(connection: &Connection) -> Result<()> {
    // Innocuous: they may be used in views, triggers and indexes, since they read and change nothing.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for function in ALL {
        for count in function.arguments.clone() {
            let count = i32::try_from(count).expect("a few arguments");
            connection.create_scalar_function(function.name, count, flags, move |context| {
                call(function, context)
            })?;
        }
    }
    Ok(())
}

/// The most arguments of a function.
const MOST: usize = 3;

fn call(function: &Function, context: &Context<'_>) -> Result<Answer<'static>> {
    let mut values = [Value::Null; MOST];
    let values = &mut values[..context.len()];
    for (place, given) in values.iter_mut().enumerate() {
        *given = value(context.get_raw(place));
    }
    let answer = function.call(values);
    answer.map_err(|problem| rusqlite::Error::UserFunctionError(Box::new(problem)))
}
