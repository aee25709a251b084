//! Values of obook's functions in Arrow.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Expr};
use obook_lake_files::data_type;
use obook_sql::functions::{Answer, ColumnType, Value};

/// A function's answer as a value.
pub(crate) fn cell<'a>(answer: &'a Answer<'_>) -> Value<'a> {
    match answer {
        Answer::Null => Value::Null,
        Answer::Integer(number) => Value::Integer(*number),
        Answer::Real(number) => Value::Real(*number),
        Answer::Text(text) => Value::Text(text.as_bytes()),
        Answer::Key(key) => Value::Blob(key),
        Answer::Bytes(bytes) => Value::Blob(bytes),
    }
}

/// A constant of this type.
pub(crate) fn scalar(kind: ColumnType, answer: Answer<'_>) -> Result<ScalarValue> {
    Ok(match answer {
        Answer::Null => ScalarValue::try_from(data_type(kind))?,
        Answer::Integer(number) => ScalarValue::Int64(Some(number)),
        Answer::Real(number) => ScalarValue::Float64(Some(number)),
        Answer::Text(text) => ScalarValue::Utf8(Some(text.into_owned())),
        Answer::Key(key) => ScalarValue::FixedSizeBinary(16, Some(key.to_vec())),
        Answer::Bytes(bytes) => ScalarValue::Binary(Some(bytes.to_vec())),
    })
}

/// The value of a constant; `None` for anything else.
pub(crate) fn literal(expression: &Expr) -> Option<Value<'_>> {
    let Expr::Literal(constant, _) = expression else {
        return None;
    };
    Some(match constant {
        constant if constant.is_null() => Value::Null,
        ScalarValue::Int64(Some(number)) => Value::Integer(*number),
        ScalarValue::Float64(Some(number)) => Value::Real(*number),
        ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) => {
            Value::Text(text.as_bytes())
        }
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes))
        | ScalarValue::FixedSizeBinary(_, Some(bytes)) => Value::Blob(bytes),
        _ => return None,
    })
}

/// The type that [`value`] reads instead of another one; `None` if SQLite has no such values.
pub(crate) fn plain_type(found: &DataType) -> Option<DataType> {
    Some(match found {
        DataType::Int64
        | DataType::Float64
        | DataType::Utf8
        | DataType::Binary
        | DataType::FixedSizeBinary(_)
        | DataType::Null => found.clone(),
        integer if integer.is_integer() => DataType::Int64,
        DataType::Boolean => DataType::Int64,
        DataType::Float16 | DataType::Float32 => DataType::Float64,
        DataType::Utf8View | DataType::LargeUtf8 | DataType::Dictionary(..) => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        _ => return None,
    })
}

/// The arguments as columns of the few types that [`value`] reads; others stay as they are. If all are constants, there is one row.
pub(crate) fn columns(arguments: &[ColumnarValue]) -> Result<Vec<ArrayRef>> {
    let columns = ColumnarValue::values_to_arrays(arguments)?.into_iter();
    let columns = columns.map(|column| match plain_type(column.data_type()) {
        Some(wanted) => Ok(cast(&column, &wanted)?),
        None => Ok(column),
    });
    columns.collect()
}

/// A value for a function or for the output. Values without a counterpart in SQLite are NULL here; [`crate::answer`] writes them as
/// text before.
pub(crate) fn value(column: &ArrayRef, row: usize) -> Value<'_> {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Int64 => Value::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Real(column.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).as_bytes()),
        DataType::Binary => Value::Blob(column.as_binary::<i32>().value(row)),
        DataType::FixedSizeBinary(_) => Value::Blob(column.as_fixed_size_binary().value(row)),
        _ => Value::Null,
    }
}

/// The error of a wrong argument, or of a row that no book has.
pub(crate) fn wrong(problem: impl ToString) -> DataFusionError {
    DataFusionError::Execution(problem.to_string())
}
