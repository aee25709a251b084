//! `obook-lake shell`: statements from a prompt or from a script.

use crate::answer::{Look, answer};
use crate::error::{Error, Result};
use datafusion::prelude::SessionContext;
use obook_sql::answers::text::printable;
use rustyline::error::ReadlineError;
use rustyline::{Config, Editor};
use std::io::{self, BufRead, IsTerminal};

/// Answers statements, each of which ends with a semicolon, until the input ends. A script ends at its first error.
pub(crate) async fn run(session: &SessionContext, look: Look) -> Result<()> {
    let mut waiting = String::new();
    if !io::stdin().is_terminal() {
        for line in io::stdin().lock().lines() {
            waiting += &line?;
            waiting.push('\n');
            while let Some(statement) = next(&mut waiting) {
                answer(session, &statement, look).await?;
            }
        }
        return match waiting.trim() {
            "" => Ok(()),
            rest => answer(session, rest, look).await,
        };
    }
    let config = Config::builder().auto_add_history(true).build();
    let failed = |error: ReadlineError| Error::Other(format!("the prompt: {error}"));
    let mut editor: Editor<(), _> = Editor::with_config(config).map_err(failed)?;
    loop {
        let prompt = match waiting.is_empty() {
            true => "lake> ",
            false => " ...> ",
        };
        match editor.readline(prompt) {
            Ok(line) if waiting.is_empty() && matches!(line.trim(), "exit" | "quit") => {
                return Ok(());
            }
            Ok(line) => {
                waiting += &line;
                waiting.push('\n');
                while let Some(statement) = next(&mut waiting) {
                    if let Err(error) = answer(session, &statement, look).await {
                        eprintln!("{}", printable(&error.to_string()));
                    }
                }
                if waiting.trim().is_empty() {
                    waiting.clear();
                }
            }
            Err(ReadlineError::Interrupted) => waiting.clear(),
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Takes the first complete statement out of the input.
fn next(waiting: &mut String) -> Option<String> {
    let (mut quote, mut comment) = (None, false);
    let mut before = ' ';
    for (place, c) in waiting.char_indices() {
        match quote {
            _ if comment => comment = c != '\n',
            Some(open) => quote = (c != open).then_some(open),
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == '-' && before == '-' => comment = true,
            None if c == ';' => {
                let rest = waiting.split_off(place + 1);
                let statement = std::mem::replace(waiting, rest);
                return Some(statement[..place].to_owned());
            }
            None => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes() {
        let mut waiting = "SELECT ';' -- it's; \n, \"a;\"; SELECT 2;x".to_owned();
        let mut found = Vec::new();
        while let Some(statement) = next(&mut waiting) {
            found.push(statement);
        }
        assert_eq!(found, ["SELECT ';' -- it's; \n, \"a;\"", " SELECT 2"]);
        assert_eq!(waiting, "x");
    }
}
