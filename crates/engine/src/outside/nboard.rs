//! The NBoard protocol.

use super::dialogue::{
    Claim, Dialogue, Spoken, depth, no_answer, remaining, rows, score, variation,
};
use super::process::Exchange;
use super::{Failed, Trouble};
use crate::Request;
use obook_othello::Board;

/// The NBoard protocol with an engine that has had this many pings.
#[derive(Default)]
pub(super) struct NBoard {
    pings: u32,
}

impl NBoard {
    /// Waits until the engine has done everything it was told, and skips what it says meanwhile.
    fn synchronize(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed> {
        self.pings = self.pings.wrapping_add(1);
        let pings = self.pings;
        engine.say(&format!("ping {pings}"))?;
        let pong = format!("pong {pings}");
        while engine.hear()? != pong {}
        Ok(())
    }
}

impl Spoken for NBoard {
    fn greet(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed> {
        engine.say("nboard 1")?;
        self.synchronize(engine)
    }
}

impl Dialogue for NBoard {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        engine: &mut Exchange<'_>,
    ) -> Result<Vec<Claim>, Failed> {
        let board = request.board();
        // Engines clear their memory when a game begins: Edax empties its hash tables.
        engine.say(&format!("set depth {}", request.level()))?;
        engine.say(&format!("set game {}", game(board)))?;
        self.synchronize(engine)?;
        let rows = rows(request, count);
        engine.say(&format!("hint {rows}"))?;
        let mut claims: Vec<Claim> = Vec::new();
        let mut nodes = None;
        loop {
            let line = engine.hear()?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "search" => {
                    let new = read(board, rest)
                        .ok_or_else(|| no_answer("search MOVES SCORE 0 DEPTH", &line))?;
                    // If the engine reports every depth, the last one counts. It reports the best move first.
                    claims.retain(|known| known.mv != new.mv);
                    claims.push(new);
                }
                "book" => return Err(Trouble::FromBook(line).into()),
                "nodestats" => nodes = rest.split(' ').next().and_then(number_of_nodes),
                "status" if is_idle(rest, !claims.is_empty()) => break,
                _ => {}
            }
        }
        if let [only] = &mut claims[..] {
            only.nodes = nodes;
        }
        remaining(claims, request, count)
    }
}

/// Whether a status says that the engine has finished. Edax says that it's waiting. Ntest clears its status, which means
/// nothing before the first row of the answer.
fn is_idle(status: &str, has_answered: bool) -> bool {
    status.contains("waiting") || has_answered && status.trim().is_empty()
}

/// Parses a number of nodes, which may have a decimal point.
fn number_of_nodes(text: &str) -> Option<u64> {
    let nodes: f64 = text.parse().ok()?;
    (nodes >= 0.0).then_some(nodes as u64)
}

/// Parses the rest of a `search` line: moves, score, a zero, depth, and free text.
fn read(board: Board, line: &str) -> Option<Claim> {
    let mut words = line.split_whitespace();
    let (mv, variation) = variation(board, words.next()?)?;
    let score = score(words.next()?)?;
    let (depth, probability) = depth(words.nth(1)?)?;
    Some(Claim {
        mv,
        score,
        depth,
        probability,
        variation,
        nodes: None,
    })
}

/// The position as a GGF game that begins there, with Black to move.
fn game(board: Board) -> String {
    let position = board.to_text().replace('X', "*");
    format!("(;GM[Othello]PC[obook]DT[2000-01-01]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {position}];)")
}
