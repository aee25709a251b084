//! Values for the parameters of statements: `--param moves=f5d6` for `:moves`.

use obook_base::hex;
use rusqlite::types::Value;
use std::collections::BTreeMap;

/// The given values, by name.
pub(crate) type Params = BTreeMap<String, Value>;

/// Reads `NAME=VALUE`.
pub(crate) fn param(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !bare(name).is_empty())
        .ok_or("expected NAME=VALUE")?;
    Ok(named(name, value))
}

/// A parameter's name, without its mark, and its value.
pub(crate) fn named(name: &str, value: &str) -> (String, Value) {
    (bare(name).to_owned(), value_of(value))
}

/// Removes the mark of a parameter: `:moves` is `moves`, `?1` is `1`.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix([':', '@', '$', '?']).unwrap_or(name)
}

/// Reads decimal numbers, NULL, 'text' and x'blob' as in SQL, and anything else as text, such as the key of a board.
fn value_of(text: &str) -> Value {
    // The digits of a key may look like a number.
    if unhex(text).is_some_and(|key| key.len() == 16) {
        return Value::Text(text.to_owned());
    }
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
        Value::Blob(bytes) => format!("x'{}'", hex(bytes)),
    }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |&[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes.filter(|_| rest.is_empty())
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
            (
                "00000008100000000000001008000000",
                text("00000008100000000000001008000000"),
            ),
            (
                "0000000810000000000000100800e000",
                text("0000000810000000000000100800e000"),
            ),
        ] {
            assert_eq!(value_of(written), meant, "{written}");
            assert_eq!(value_of(&super::written(&meant)), meant, "{written}");
        }
    }

    #[test]
    fn names_are_given_with_or_without_their_mark() {
        for written in ["moves=f5", ":moves=f5", "@moves=f5", "$moves=f5"] {
            let moves = ("moves".to_owned(), Value::Text("f5".into()));
            assert_eq!(param(written), Ok(moves));
        }
        for wrong in ["moves", "=f5", ":=f5"] {
            assert!(param(wrong).is_err(), "{wrong}");
        }
    }
}
