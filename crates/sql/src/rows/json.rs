//! Values in JSON, for `#[serde(serialize_with = "…")]`.

use obook_othello::Side;
use serde::Serializer;
use std::fmt::Display;

/// Serializes a side by its name.
///
/// # Errors
/// Returns the error of the serializer.
pub fn name<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(side.name())
}

/// Serializes a value as text.
///
/// # Errors
/// Returns the error of the serializer.
pub fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serializes a value that may be missing as text.
///
/// # Errors
/// Returns the error of the serializer.
pub fn or_null<T: Display, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}
