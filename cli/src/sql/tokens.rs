//! A tokenizer for SQL, for what the command line needs: to find the end of statements, to mark errors, and to colour the input.
//! SQLite itself does the parsing.
//!
//! Nothing else does all three: rusqlite's `Batch` hides where a statement ends, `sqlite3_complete` needs unsafe code and says
//! only yes or no, and the crate sqlite3-parser fails on open quotes, which are common while typing, has no tokens for comments
//! and spaces, and brings 17 more crates.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Space,
    Comment,
    /// A keyword or a plain name.
    Word,
    /// A name in double quotes, backquotes or square brackets.
    Name,
    /// A text or a blob.
    Literal,
    Number,
    /// `?1`, `:name`, `@name` or `$name`.
    Parameter,
    Symbol,
}

/// A token of SQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'s str,
    /// Its offset in bytes.
    pub(crate) at: usize,
    /// Whether its closing quote is there, if it needs one.
    pub(crate) closed: bool,
}

impl Token<'_> {
    /// Whether it is this keyword.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is this name, quoted or not.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.name().is_some_and(|it| it.eq_ignore_ascii_case(name))
    }

    /// The name of a word or a quoted name; `None` for other tokens.
    pub(crate) fn name(&self) -> Option<&str> {
        match self.kind {
            TokenKind::Word => Some(self.text),
            TokenKind::Name if self.closed => Some(&self.text[1..self.text.len() - 1]),
            _ => None,
        }
    }
}

/// All tokens of `sql`, including spaces and comments.
pub(crate) fn tokens(sql: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &sql[at..];
        let (kind, length, closed) = token(rest)?;
        let token = Token {
            kind,
            text: &rest[..length],
            at,
            closed,
        };
        at += length;
        Some(token)
    })
}

/// The tokens other than spaces and comments.
pub(crate) fn words(sql: &str) -> impl Iterator<Item = Token<'_>> {
    tokens(sql).filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment))
}

/// One of several statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) text: &'s str,
    /// Its offset in bytes.
    pub(crate) at: usize,
    /// Whether its semicolon is there.
    ended: bool,
}

/// Splits `sql` into statements; spaces and comments alone are no statement.
pub(crate) fn statements(sql: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut statement: Vec<Token<'_>> = Vec::new();
    for token in words(sql) {
        let ends = token.text == ";";
        if ends && statement.is_empty() {
            continue;
        }
        statement.push(token);
        if ends && (!makes_trigger(&statement) || ends_body(&statement)) {
            pieces.extend(piece(sql, &statement, true));
            statement.clear();
        }
    }
    pieces.extend(piece(sql, &statement, false));
    pieces
}

fn piece<'s>(sql: &'s str, statement: &[Token<'_>], ended: bool) -> Option<Piece<'s>> {
    let (first, last) = (statement.first()?, statement.last()?);
    Some(Piece {
        text: &sql[first.at..last.at + last.text.len()],
        at: first.at,
        ended,
    })
}

/// Whether `sql` ends with a complete statement: with a semicolon that is not inside a text, a comment or the body of a
/// trigger.
pub(crate) fn is_complete(sql: &str) -> bool {
    tokens(sql).all(|token| token.closed) && statements(sql).last().is_none_or(|last| last.ended)
}

/// Whether a statement creates a trigger, whose body contains semicolons.
fn makes_trigger(statement: &[Token<'_>]) -> bool {
    let mut words = statement.iter();
    words.next().is_some_and(|word| word.is("create"))
        && words
            .find(|word| !word.is("temp") && !word.is("temporary"))
            .is_some_and(|word| word.is("trigger"))
}

/// Whether the last three tokens are `; END ;`.
fn ends_body(statement: &[Token<'_>]) -> bool {
    match statement {
        [.., before, end, _] => before.text == ";" && end.is("end"),
        _ => false,
    }
}

/// The first token of `sql`: its kind, its length in bytes, and whether it is closed.
fn token(sql: &str) -> Option<(TokenKind, usize, bool)> {
    let first = sql.chars().next()?;
    let run = |of: fn(char) -> bool| sql.find(|c| !of(c)).unwrap_or(sql.len());
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let open = |kind, end: Option<usize>| (kind, end.unwrap_or(sql.len()), end.is_some());
    Some(match first {
        _ if first.is_whitespace() => (TokenKind::Space, run(char::is_whitespace), true),
        '-' if sql.starts_with("--") => (TokenKind::Comment, run(|c| c != '\n'), true),
        '/' if sql.starts_with("/*") => {
            open(TokenKind::Comment, sql[2..].find("*/").map(|end| end + 4))
        }
        '\'' => open(TokenKind::Literal, closing(sql, 1, '\'')),
        'x' | 'X' if sql[1..].starts_with('\'') => open(TokenKind::Literal, closing(sql, 2, '\'')),
        '"' | '`' => open(TokenKind::Name, closing(sql, 1, first)),
        '[' => open(TokenKind::Name, sql.find(']').map(|end| end + 1)),
        '?' | ':' | '@' | '$' => {
            let name = sql[1..].find(|c| !part_of_word(c)).unwrap_or(sql.len() - 1);
            (TokenKind::Parameter, 1 + name, true)
        }
        _ if first.is_ascii_digit() => (
            TokenKind::Number,
            run(|c| c.is_alphanumeric() || c == '.'),
            true,
        ),
        _ if part_of_word(first) => (TokenKind::Word, run(part_of_word), true),
        _ => (TokenKind::Symbol, first.len_utf8(), true),
    })
}

/// The end of a quoted text; a doubled quote is part of the text.
fn closing(sql: &str, from: usize, quote: char) -> Option<usize> {
    let mut at = from;
    loop {
        at += sql[at..].find(quote)? + 1;
        if !sql[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_statement_ends_at_a_semicolon_that_is_one() {
        for complete in [
            "",
            "  -- nothing",
            "SELECT 1;",
            "SELECT 1; -- done",
            "SELECT ';' ; /* ; */",
            "SELECT 'it''s';",
            "CREATE TEMP TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END;",
            "SELECT CASE WHEN 1 THEN 2 END;",
        ] {
            assert!(is_complete(complete), "{complete}");
        }
        for incomplete in [
            "SELECT 1",
            "SELECT ';",
            "SELECT 'it'';",
            "SELECT \"a;",
            "SELECT [a;",
            "SELECT 1; /* more",
            "SELECT 1; SELECT",
            "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1;",
        ] {
            assert!(!is_complete(incomplete), "{incomplete}");
        }
    }

    #[test]
    fn statements_come_one_by_one() {
        let texts = |sql| {
            let pieces = statements(sql).into_iter();
            pieces.map(|piece| piece.text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts("SELECT 1 ; -- one\n; SELECT ';' -- two"),
            ["SELECT 1 ;", "SELECT ';'"]
        );
        assert!(texts(" ;; /* ; */ -- ;").is_empty());
    }

    proptest! {
        #[test]
        fn tokens_are_the_whole_of_the_sql(sql in "[a-z0-9;:'\"\\[\\]`xX?$ \\-/*\näß.]{0,40}") {
            let whole: String = tokens(&sql).map(|token| token.text).collect();
            prop_assert_eq!(whole, sql.clone());
            prop_assert!(tokens(&sql).all(|token| !token.text.is_empty()));
        }
    }
}
