//! Egaroucid's console.

use super::dialogue::{Claim, Dialogue, Spoken, depth, no_answer, remaining, rows, score};
use super::process::{Process, Wait};
use super::{Failed, Outside, Trouble};
use crate::Request;
use obook_othello::Move;
use std::io;

/// Egaroucid, at its prompt.
pub(super) struct Egaroucid {
    process: Process,
}

impl Egaroucid {
    pub(super) fn start(outside: &Outside) -> io::Result<Egaroucid> {
        Ok(Egaroucid {
            process: Process::start(outside)?,
        })
    }
}

impl Spoken for Egaroucid {
    fn greet(&mut self, wait: &mut Wait) -> Result<(), Failed> {
        self.process.say("version")?;
        while !self.process.hear(wait)?.starts_with("Egaroucid") {}
        Ok(())
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

impl Dialogue for Egaroucid {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        wait: &mut Wait,
    ) -> Result<Vec<Claim>, Failed> {
        let level = request.level().to_string();
        let rows = rows(request, count);
        self.process.say(&format!("level {level}"))?;
        // Otherwise the answer would depend on earlier questions.
        self.process.say("clearcache")?;
        self.process
            .say(&format!("setboard {}", request.board().to_text()))?;
        self.process.say(&format!("hint {rows}"))?;
        let columns = loop {
            if let Some(columns) = Columns::read(&self.process.hear(wait)?) {
                break columns;
            }
        };
        let mut claims = Vec::new();
        while claims.len() < rows {
            let line = self.process.hear(wait)?;
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
