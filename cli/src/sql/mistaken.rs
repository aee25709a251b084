//! Notes on comparisons that are never true: a board's key with a text.

use super::tokens::{Token, TokenKind, words};
use obook_games::names::read_line;

/// The columns that hold keys of boards.
const KEYS: [&str; 2] = ["board", "child"];

/// The tables with an argument `board`, which takes texts.
const TAKERS: [&str; 7] = [
    "moves", "choose", "chances", "plays", "games_at", "line_to", "hint",
];

/// Returns a note for each text that names a board and is compared with a key. SQL finds no rows that way, and reports no
/// error.
pub(crate) fn notes(sql: &str) -> Vec<String> {
    let words: Vec<Token<'_>> = words(sql).collect();
    let takes_text = |key: &str| {
        let mut names = words.iter().filter_map(Token::name);
        key == "board" && names.any(|name| TAKERS.contains(&name.to_ascii_lowercase().as_str()))
    };
    let mut notes = Vec::new();
    for (place, word) in words.iter().enumerate().filter(|(_, it)| names_a_board(it)) {
        let (before, after) = (&words[..place], &words[place + 1..]);
        let key = named_before(before)
            .or_else(|| named_in_list(before))
            .or_else(|| named_after(after))
            .filter(|key| !takes_text(key));
        if let Some(key) = key {
            let text = word.text;
            let note = format!(
                "{key} is a key, which never equals a text: write board({text}) instead of {text}"
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// Whether it is a text that names a board: moves, an opening, squares or hexadecimal digits.
fn names_a_board(word: &Token<'_>) -> bool {
    let text = word.text.strip_prefix('\'');
    let text = text.and_then(|rest| rest.strip_suffix('\''));
    word.kind == TokenKind::Literal
        && text.is_some_and(|text| !text.trim().is_empty() && read_line(text).is_ok())
}

/// The column of keys if the words end with `board = `.
fn named_before(words: &[Token<'_>]) -> Option<&'static str> {
    let name = words.iter().rposition(|word| !compares(word))?;
    (name + 1 < words.len()).then(|| key(&words[name]))?
}

/// The same for `board IN (`, perhaps followed by other texts.
fn named_in_list(words: &[Token<'_>]) -> Option<&'static str> {
    let listed = |word: &Token<'_>| word.kind == TokenKind::Literal || word.text == ",";
    let end = words.iter().rposition(|word| !listed(word))?;
    match &words[..=end] {
        [.., name, not, is_in, open] if not.is("not") && is_in.is("in") && open.text == "(" => {
            key(name)
        }
        [.., name, is_in, open] if is_in.is("in") && open.text == "(" => key(name),
        _ => None,
    }
}

/// The same if the words begin with ` = board`.
fn named_after(words: &[Token<'_>]) -> Option<&'static str> {
    let mut rest = words.iter().skip_while(|word| compares(word)).peekable();
    let compared = words.first().is_some_and(compares);
    let mut name = rest.next()?;
    while rest.next_if(|word| word.text == ".").is_some() {
        name = rest.next()?;
    }
    let called = rest.peek().is_some_and(|word| word.text == "(");
    (compared && !called).then(|| key(name))?
}

fn compares(word: &Token<'_>) -> bool {
    word.kind == TokenKind::Symbol && ["=", "<", ">", "!"].contains(&word.text)
        || word.is("is")
        || word.is("not")
}

fn key(word: &Token<'_>) -> Option<&'static str> {
    KEYS.into_iter().find(|key| word.is_name(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::names::tables;
    use rusqlite::Connection;
    use std::collections::BTreeSet;

    #[test]
    fn a_text_for_a_key_is_reported() {
        for (sql, expected) in [
            ("SELECT * FROM links WHERE board = 'f5d6'", 1),
            (
                "SELECT * FROM links l WHERE l.board=='f5 D6' OR 'f5' <> l.\"board\"",
                2,
            ),
            ("SELECT * FROM moves('f5') WHERE CHILD IS NOT 'f5d6'", 1),
            (
                "SELECT 1 FROM links WHERE board IN ('f5d6', 'f5f6', 'f5d6')",
                2,
            ),
            (
                "SELECT 1 FROM links WHERE board NOT IN ('00000008100000000000001008000000')",
                1,
            ),
        ] {
            assert_eq!(notes(sql).len(), expected, "{sql}: {:?}", notes(sql));
        }
        let said = "board is a key, which never equals a text: write board('f5') instead of 'f5'";
        assert_eq!(notes("SELECT 1 WHERE board = 'f5'"), [said]);
    }

    #[test]
    fn tables_that_take_a_text_for_a_board_are_known() {
        let connection = Connection::open_in_memory().unwrap();
        obook_sql::extension::register(&connection).unwrap();
        let takes_board = |name: &String| {
            let sql = "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = 'board' AND hidden = 1";
            connection.prepare(sql).unwrap().exists([name]).unwrap()
        };
        let found: BTreeSet<String> = tables(&connection)
            .into_iter()
            .filter(takes_board)
            .collect();
        assert_eq!(found, TAKERS.map(String::from).into());
    }

    #[test]
    fn possible_conditions_are_not_reported() {
        for sql in [
            "",
            "'f5'",
            "SELECT board, 'f5' FROM links",
            "SELECT * FROM links WHERE board = board('f5d6')",
            "SELECT * FROM links WHERE board = x'00000008100000000000001008000000'",
            "SELECT * FROM moves('f5') WHERE square = 'f5' AND child = child('f5', 'd6')",
            "SELECT 'f5' = board('f5')",
            "SELECT square FROM moves WHERE board = 'f5'",
            "SELECT * FROM \"Games_At\" WHERE since = 2000 AND board IN ('f5', 'f5d6')",
            "SELECT * FROM links WHERE board = :board AND board = 'hello' AND board = ''",
            "SELECT 1 FROM x WHERE diagram IN ('f5')",
            "SELECT = 'f5'",
        ] {
            assert!(notes(sql).is_empty(), "{sql}: {:?}", notes(sql));
        }
    }
}
