//! Egaroucid's console.

use super::dialogue::{Claim, Dialogue, Spoken, depth, no_answer, remaining, rows, score};
use super::process::Exchange;
use super::{Failed, Trouble};
use crate::Request;
use obook_othello::Move;

/// The columns of the table that are read.
const COLUMNS: [&str; 5] = ["Level", "Depth", "Move", "Score", "Nodes"];

/// Egaroucid, at its prompt.
pub(super) struct Egaroucid;

impl Spoken for Egaroucid {
    fn greet(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed> {
        engine.say("version")?;
        while !engine.hear()?.starts_with("Egaroucid") {}
        Ok(())
    }
}

impl Dialogue for Egaroucid {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        engine: &mut Exchange<'_>,
    ) -> Result<Vec<Claim>, Failed> {
        let level = request.level().to_string();
        let rows = rows(request, count);
        engine.say(&format!("level {level}"))?;
        // Otherwise the answer would depend on earlier questions.
        engine.say("clearcache")?;
        engine.say(&format!("setboard {}", request.board().to_text()))?;
        engine.say(&format!("hint {rows}"))?;
        let heading = loop {
            let line = engine.hear()?;
            let is_named = |name: &&str| cells(&line).any(|cell| cell == *name);
            if COLUMNS.iter().all(is_named) {
                break line;
            }
        };
        let mut claims = Vec::new();
        while claims.len() < rows {
            let line = engine.hear()?;
            let at = |name: &str| {
                let mut columns = cells(&heading).zip(cells(&line));
                let found = columns.find(|(column, _)| *column == name);
                found.map_or("", |(_, cell)| cell)
            };
            match at("Level") {
                "Book" => return Err(Trouble::FromBook(line).into()),
                asked if asked == level => {}
                _ => return Err(no_answer("a row of the level that was asked for", &line)),
            }
            let row = claim(at);
            claims.push(row.ok_or_else(|| no_answer("a row with depth, move and score", &line))?);
        }
        remaining(claims, request, count)
    }
}

/// Reads a row by the names of its columns.
fn claim<'a>(at: impl Fn(&str) -> &'a str) -> Option<Claim> {
    let (depth, probability) = depth(at("Depth"))?;
    let mv: Move = at("Move").parse().ok()?;
    Some(Claim {
        mv,
        score: score(at("Score"))?,
        depth,
        probability,
        variation: vec![mv],
        nodes: at("Nodes").parse().ok(),
    })
}

/// The text between the bars of a row.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split('|').map(str::trim)
}
