//! Values for the parameters of statements: `--param moves=f5d6` for `:moves`.

use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::str::FromStr;

/// A parameter's name, without its mark, and its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Param {
    name: String,
    value: Value,
}

impl FromStr for Param {
    type Err = String;

    fn from_str(text: &str) -> Result<Param, String> {
        let (name, value) = text
            .split_once('=')
            .filter(|(name, _)| !bare(name).is_empty())
            .ok_or("expected NAME=VALUE")?;
        Ok(Param::new(name, value))
    }
}

impl Param {
    pub(crate) fn new(name: &str, value: &str) -> Param {
        Param {
            name: bare(name).to_owned(),
            value: value_of(value),
        }
    }
}

/// Removes the mark of a parameter: `:moves` is `moves`, `?1` is `1`.
fn bare(name: &str) -> &str {
    name.strip_prefix([':', '@', '$', '?']).unwrap_or(name)
}

/// Reads numbers, NULL, 'text' and x'blob' as in SQL, and anything else as text.
fn value_of(text: &str) -> Value {
    if text.eq_ignore_ascii_case("null") {
        return Value::Null;
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::Integer(number);
    }
    // “nan” and “inf” are texts.
    let digits = text.trim_start_matches(['+', '-', '.']);
    if digits.starts_with(|c: char| c.is_ascii_digit())
        && let Ok(number) = text.parse::<f64>()
    {
        return Value::Real(number);
    }
    let quoted = |text: &str| {
        let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
        Some(inside.replace("''", "'"))
    };
    let blob = text.strip_prefix(['x', 'X']).and_then(quoted);
    if let Some(bytes) = blob.and_then(|digits| unhex(&digits)) {
        return Value::Blob(bytes);
    }
    Value::Text(quoted(text).unwrap_or_else(|| text.to_owned()))
}

/// Writes a value as [`value_of`] reads it.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::Null => String::from("null"),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) if value_of(text) == *value => text.clone(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{digits}'")
        }
    }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

/// The given values, by name.
#[derive(Clone, Default, Debug)]
pub(crate) struct Params {
    values: BTreeMap<String, Value>,
    /// Whether they are kept for later statements.
    lasting: bool,
}

impl FromIterator<Param> for Params {
    fn from_iter<I: IntoIterator<Item = Param>>(params: I) -> Params {
        let values = params
            .into_iter()
            .map(|Param { name, value }| (name, value));
        Params {
            values: values.collect(),
            lasting: false,
        }
    }
}

impl Params {
    /// No values yet. They will be kept for all statements, so a statement needn't use them all.
    pub(crate) fn lasting() -> Params {
        Params {
            lasting: true,
            ..Params::default()
        }
    }

    pub(crate) fn may_be_unused(&self) -> bool {
        self.lasting
    }

    pub(crate) fn set(&mut self, Param { name, value }: Param) {
        self.values.insert(name, value);
    }

    /// The value of a parameter, named as in SQL.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(bare(name))
    }

    /// Names and values, in alphabetical order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The first name that is not among `used`.
    pub(crate) fn unused(&self, used: &[String]) -> Option<&str> {
        let mut names = self.values.keys();
        names
            .find(|name| !used.iter().any(|used| bare(used) == name.as_str()))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_in_sql() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (written, meant) in [
            ("7", Value::Integer(7)),
            ("-7", Value::Integer(-7)),
            ("1.5", Value::Real(1.5)),
            ("-.5", Value::Real(-0.5)),
            ("1e3", Value::Real(1000.0)),
            ("null", Value::Null),
            ("f5d6", text("f5d6")),
            ("inf", text("inf")),
            ("'7'", text("7")),
            ("'it''s'", text("it's")),
            ("x'00ff'", Value::Blob(vec![0, 255])),
            ("x'0'", text("x'0'")),
            ("x'ä'", text("x'ä'")),
            ("'", text("'")),
            ("", text("")),
            ("a=b", text("a=b")),
        ] {
            assert_eq!(value_of(written), meant, "{written}");
            assert_eq!(value_of(&super::written(&meant)), meant, "{written}");
        }
    }

    #[test]
    fn names_are_given_with_or_without_their_mark() {
        for written in ["moves=f5", ":moves=f5", "@moves=f5", "$moves=f5"] {
            let params: Params = [written.parse().unwrap()].into_iter().collect();
            assert_eq!(params.get(":moves"), Some(&Value::Text("f5".into())));
            assert_eq!(params.unused(&[]), Some("moves"));
            assert_eq!(params.unused(&[":moves".into()]), None);
        }
        for wrong in ["moves", "=f5", ":=f5"] {
            assert!(wrong.parse::<Param>().is_err(), "{wrong}");
        }
    }
}
