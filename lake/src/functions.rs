//! obook's scalar functions, as DataFusion's. SQLite's own that the cookbook uses and DataFusion lacks are here, too.

use crate::values::{cell, columns, failed, lake_type, value};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use obook_lake_files::Cells;
use obook_sql::functions::{ALL, Answer, ColumnType, Function, Problem, Value};
use std::hash::{Hash, Hasher};

/// The functions that people call.
pub(crate) fn all() -> Vec<ScalarUDF> {
    let of_obook = ALL.iter().map(OfObook::new);
    let of_obook = of_obook.map(ScalarUDF::new_from_impl);
    let hex = ScalarUDF::new_from_impl(Hex::new());
    of_obook.chain([hex]).collect()
}

/// A function of obook.
#[derive(Debug)]
struct OfObook {
    function: &'static Function,
    signature: Signature,
}

impl OfObook {
    fn new(function: &'static Function) -> OfObook {
        let counts = function.counts().map(|count| match count {
            0 => TypeSignature::Nullary,
            count => TypeSignature::Any(count),
        });
        OfObook {
            function,
            signature: Signature::one_of(counts.collect(), Volatility::Immutable),
        }
    }
}

impl PartialEq for OfObook {
    fn eq(&self, other: &OfObook) -> bool {
        self.function.name == other.function.name
    }
}

impl Eq for OfObook {}

impl Hash for OfObook {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name.hash(state);
    }
}

impl ScalarUDFImpl for OfObook {
    fn name(&self) -> &str {
        self.function.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(lake_type(self.function.kind).data_type())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        by_row(&arguments, self.function.kind, |values| {
            self.function.call(values)
        })
    }
}

/// Calls a function for each row, or once if all arguments are constants: then the answer is one, too, and known before the query runs.
fn by_row(
    arguments: &ScalarFunctionArgs,
    kind: ColumnType,
    call: impl Fn(&[Value<'_>]) -> obook_sql::functions::Result<Answer<'static>>,
) -> Result<ColumnarValue> {
    let is_constant = |argument: &ColumnarValue| matches!(argument, ColumnarValue::Scalar(_));
    let is_constant = arguments.args.iter().all(is_constant);
    let rows = if is_constant {
        1
    } else {
        arguments.number_rows
    };
    let columns = columns(arguments, rows)?;
    let mut answers = Cells::new(lake_type(kind));
    let mut values = Vec::with_capacity(columns.len());
    for row in 0..rows {
        values.clear();
        values.extend(columns.iter().map(|column| value(column, row)));
        let answer = call(&values).map_err(failed)?;
        if !cell(&answer).is_some_and(|it| answers.push(it)) {
            let problem = format!("a function answered {answer:?}, which is not of its type");
            return Err(DataFusionError::Internal(problem));
        }
    }
    let answers = answers.finish();
    Ok(match is_constant {
        true => ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?),
        false => ColumnarValue::Array(answers),
    })
}

/// SQLite's `hex(blob)`, which views use.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Hex {
    signature: Signature,
}

impl Hex {
    fn new() -> Hex {
        Hex {
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for Hex {
    fn name(&self) -> &str {
        "hex"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        by_row(&arguments, ColumnType::Text, |values| match values[0] {
            Value::Blob(bytes) | Value::Text(bytes) => {
                let digits = bytes.iter().map(|byte| format!("{byte:02X}"));
                Ok(digits.collect::<String>().into())
            }
            // As in SQLite.
            Value::Null => Ok(String::new().into()),
            other => Err(Problem::new(format!(
                "hex: expected bytes or a text, found {other}"
            ))),
        })
    }
}
