//! `openapi.json` says what the server answers.

use crate::support::{PGN, Running, book, escaped};
use serde_json::{Value, json};
use std::path::Path;

/// The committed description.
fn committed() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Checks a value against a schema: the keywords that the description uses.
fn check(value: &Value, schema: &Value, description: &Value, place: &str) {
    for keyword in schema.as_object().unwrap().keys() {
        let known = [
            "$ref",
            "type",
            "properties",
            "required",
            "items",
            "enum",
            "oneOf",
            "allOf",
            "format",
            "minimum",
            "description",
            "propertyNames",
            "additionalProperties",
        ];
        assert!(
            known.contains(&keyword.as_str()),
            "{place}: {keyword} isn't checked"
        );
    }
    if let Some(reference) = schema.get("$ref") {
        let path = reference.as_str().unwrap().strip_prefix('#').unwrap();
        return check(
            value,
            description.pointer(path).unwrap(),
            description,
            place,
        );
    }
    for part in schema
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        check(value, part, description, place);
    }
    if let Some(any) = schema.get("oneOf").and_then(Value::as_array) {
        let is_null = |schema: &&Value| schema.get("type") == Some(&Value::from("null"));
        return match any.iter().find(|it| is_null(it) == value.is_null()) {
            Some(schema) => check(value, schema, description, place),
            None => panic!("{place}: {value} is none of {any:?}"),
        };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    let is_number = kind == "integer" && kinds.contains(&"number");
    assert!(
        kinds.contains(&kind) || is_number,
        "{place}: {value} is no {kinds:?}"
    );
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        assert!(
            values.contains(value),
            "{place}: {value} is none of {values:?}"
        );
    }
    if let (Some(minimum), Some(number)) = (schema.get("minimum"), value.as_f64()) {
        assert!(number >= minimum.as_f64().unwrap(), "{place}: {value}");
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for (at, item) in list.iter().enumerate() {
            check(item, items, description, &format!("{place}[{at}]"));
        }
    }
    if let (Some(properties), Some(object)) = (schema.get("properties"), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(
                object.contains_key(name.as_str().unwrap()),
                "{place}: no {name}"
            );
        }
        // Schemas that are combined know only some of the properties.
        for (name, value) in object {
            if let Some(schema) = properties.get(name) {
                check(value, schema, description, &format!("{place}.{name}"));
            } else {
                assert!(
                    place.contains(".openings["),
                    "{place}: {name} isn't described"
                );
            }
        }
    }
}

/// Checks an answer against the description of its address.
fn described(description: &Value, method: &str, path: &str, status: u16, answer: &Value) {
    let place = format!("{method} {path} {status}");
    let operation = &description["paths"][path][method]["responses"][status.to_string()];
    let content = operation["content"].as_object();
    let content = content.unwrap_or_else(|| panic!("{place} isn't described"));
    let schema = &content.values().next().unwrap()["schema"];
    check(answer, schema, description, &place);
}

#[test]
fn all_answers_are_as_described() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let description = committed();
    let ask = |address: &str, query: &str, status: u16| {
        let path = address.replace("{book}", "book");
        let answer = server.get(&format!("{path}{query}"));
        assert_eq!(answer.status, status, "{path}{query}: {answer:?}");
        described(&description, "get", address, status, &answer.json());
    };
    let tiger = format!("?at={}", escaped("tiger"));
    ask("/api/books", "", 200);
    for name in [
        "version",
        "info",
        "stats",
        "history",
        "frontier",
        "worst",
        "sql/schema",
        "openings",
        "parents",
    ] {
        ask(&format!("/api/{{book}}/{name}"), "", 200);
    }
    for at in ["", "?at=f5d6", "?at=f5f6", "?at=f5f6e6f4g5", &tiger] {
        for name in ["position", "choose", "games", "parents", "transpositions"] {
            ask(&format!("/api/{{book}}/{name}"), at, 200);
        }
    }
    for query in ["?at=f5d6", ""] {
        ask("/api/{book}/why", query, 200);
    }
    ask("/api/{book}/choose", "?at=f5d6&rule=loss:1&seed=3", 200);
    ask("/api/{book}/choose", "?at=f5d6&rule=weak", 400);
    ask("/api/{book}/openings", "?search=rose", 200);
    ask("/api/{book}/parse", "?text=f5d6", 200);
    for name in [
        "position",
        "choose",
        "games",
        "why",
        "parents",
        "transpositions",
        "hint",
        "review",
        "frontier",
        "worst",
    ] {
        ask(&format!("/api/{{book}}/{name}"), "?at=f5f5", 400);
    }
    ask("/api/{book}/parse", "?text=nowhere", 400);
    let games = server.get("/api/book/games?anywhere=true").json();
    let game = format!("?number={}", games["games"][0]["game"]);
    ask("/api/{book}/game", &game, 200);
    ask("/api/{book}/game", "?number=-1", 404);
    ask("/api/{book}/games", "?anywhere=true&limit=2", 200);
    ask("/api/{book}/why", "?at=f5f6e6f4g5", 404);
    ask("/api/{book}/plot/{kind}", "", 404);
    ask("/api/{book}/parse", &format!("?text={}", escaped(PGN)), 200);
    for (name, count) in [("hint", 3), ("review", 2)] {
        let answer = server.get(&format!("/api/book/{name}?at=f5f6e6f4g5&level=3"));
        let levels = answer.lines();
        assert_eq!(levels.len(), count, "{levels:?}");
        for level in levels {
            let address = format!("/api/{{book}}/{name}");
            described(&description, "get", &address, 200, &level);
        }
    }
    let failed = server.sql("SELECT * FROM nowhere");
    described(
        &description,
        "post",
        "/api/{book}/sql",
        failed.status,
        &failed.json(),
    );
    let server = Running::writing(&[&path]);
    let change = |address: &str, body: Value, status: u16| {
        let answer = server.post(&address.replace("{book}", "book"), &body.to_string());
        assert_eq!(answer.status, status, "{address}: {answer:?}");
        described(&description, "post", address, status, &answer.json());
    };
    let f5d6 = json!({ "at": "f5d6", "value": 9 });
    change("/api/{book}/value", f5d6, 200);
    let last = server.get("/api/book/history").json()["changes"][0]["id"].clone();
    change("/api/{book}/undo", json!({ "change": last }), 200);
    change("/api/{book}/undo", json!({ "change": 0 }), 409);
    for name in ["line", "search"] {
        let address = format!("/api/{{book}}/{name}");
        let at = json!({ "at": "f5f6e6f4g5", "level": 2 });
        change(&address, at, 200);
        let info = server.get("/api/book/info").json();
        assert!(!info["next"].as_array().unwrap().is_empty());
        described(&description, "get", "/api/{book}/info", 200, &info);
        change(&address, json!({ "at": "f5f5" }), 400);
    }
}
