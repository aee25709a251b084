//! obook's scalar functions, as DataFusion's. SQLite's own that the cookbook uses and DataFusion lacks are here, too.

use crate::judged::judged;
use crate::values::{cell, columns, value, wrong};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarUDF, Signature, SimpleScalarUDF, TypeSignature, Volatility,
};
use obook_lake_files::{Cells, data_type};
use obook_sql::functions::{ALL, Answer, ColumnType, Function, Problem, Value};
use std::sync::Arc;

/// All functions. They travel to executors by name, so sessions, the scheduler and executors know the same ones.
pub(crate) fn all() -> impl Iterator<Item = ScalarUDF> {
    ALL.iter().map(of_obook).chain([hex(), judged()])
}

/// A function of obook.
fn of_obook(function: &'static Function) -> ScalarUDF {
    let counts = function.arguments.clone().map(|count| match count {
        0 => TypeSignature::Nullary,
        count => TypeSignature::Any(count),
    });
    let signature = Signature::one_of(counts.collect(), Volatility::Immutable);
    by_row(function.name, signature, function.kind, move |values| {
        function.call(values)
    })
}

/// A function that is called for each row, or once if all arguments are constants: then the answer is one, too, and known before the
/// query runs.
fn by_row(
    name: &str,
    signature: Signature,
    kind: ColumnType,
    call: impl Fn(&[Value<'_>]) -> Result<Answer<'static>, Problem> + Send + Sync + 'static,
) -> ScalarUDF {
    let answer = move |arguments: &[ColumnarValue]| -> Result<ColumnarValue> {
        let is_constant = |argument: &ColumnarValue| matches!(argument, ColumnarValue::Scalar(_));
        let is_constant = arguments.iter().all(is_constant);
        let columns = columns(arguments)?;
        let rows = columns.first().map_or(1, |column| column.len());
        let mut answers = Cells::new(kind);
        let mut values = Vec::with_capacity(columns.len());
        for row in 0..rows {
            values.clear();
            values.extend(columns.iter().map(|column| value(column, row)));
            let answer = call(&values).map_err(wrong)?;
            if !answers.push(cell(&answer)) {
                let problem = format!("a function answered {answer:?}, which is not of its type");
                return Err(DataFusionError::Internal(problem));
            }
        }
        let answers = answers.finish();
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?),
            false => ColumnarValue::Array(answers),
        })
    };
    let answer = Arc::new(answer);
    SimpleScalarUDF::new_with_signature(name, signature, data_type(kind), answer).into()
}

/// SQLite's `hex(blob)`, which views use.
fn hex() -> ScalarUDF {
    let signature = Signature::any(1, Volatility::Immutable);
    by_row("hex", signature, ColumnType::Text, |values| {
        match values[0] {
            Value::Blob(bytes) | Value::Text(bytes) => {
                let digits = bytes.iter().map(|byte| format!("{byte:02X}"));
                Ok(digits.collect::<String>().into())
            }
            // As in SQLite.
            Value::Null => Ok(String::new().into()),
            other => Err(Problem::new(format!(
                "hex: expected bytes or a text, found {other}"
            ))),
        }
    })
}
