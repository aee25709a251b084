//! Egaroucid's console.

use super::dialogue::{Claim, Dialogue, Spoken, depth, no_answer, remaining, rows, score};
use super::process::Exchange;
use super::{Failed, Trouble};
use crate::Request;
use obook_othello::Move;

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
        let columns = loop {
            if let Some(columns) = Columns::read(&engine.hear()?) {
                break columns;
            }
        };
        let mut claims = Vec::new();
        while claims.len() < rows {
            let line = engine.hear()?;
            let cells: Vec<&str> = cells(&line).collect();
            let at = |column: usize| cells.get(column).copied().unwrap_or_default();
            match at(columns.level) {
                "Book" => return Err(Trouble::FromBook(line).into()),
                asked if asked == level => {}
                _ => return Err(no_answer("a row of the level that was asked for", &line)),
            }
            let row = columns
                .claim(&at)
                .ok_or_else(|| no_answer("a row with depth, move and score", &line))?;
            claims.push(row);
        }
        remaining(claims, request, count)
    }
}

/// The number of each column of the table, found by its name.
struct Columns {
    level: usize,
    depth: usize,
    mv: usize,
    score: usize,
    nodes: usize,
}

impl Columns {
    fn read(line: &str) -> Option<Columns> {
        let of = |name: &str| cells(line).position(|cell| cell == name);
        Some(Columns {
            level: of("Level")?,
            depth: of("Depth")?,
            mv: of("Move")?,
            score: of("Score")?,
            nodes: of("Nodes")?,
        })
    }

    fn claim<'a>(&self, at: &impl Fn(usize) -> &'a str) -> Option<Claim> {
        let (depth, probability) = depth(at(self.depth))?;
        let mv: Move = at(self.mv).parse().ok()?;
        Some(Claim {
            mv,
            score: score(at(self.score))?,
            depth,
            probability,
            variation: vec![mv],
            nodes: at(self.nodes).parse().ok(),
        })
    }
}

/// The text between the bars of a row.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split('|').map(str::trim)
}
