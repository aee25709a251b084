//! NBoard's protocol.

use super::dialogue::{Dialogue, Found, depth, no_answer, remaining, rows, score, variation};
use super::engine::Outside;
use super::process::Process;
use super::trouble::{Failed, Trouble};
use super::wait::Wait;
use crate::Request;
use obook_othello::{Board, Square};
use std::io;

/// An engine that speaks it.
pub(super) struct NBoard {
    process: Process,
}

impl NBoard {
    pub(super) fn start(outside: &Outside) -> io::Result<NBoard> {
        Ok(NBoard {
            process: Process::start(outside)?,
        })
    }

    pub(super) fn greet(&mut self, wait: &mut Wait) -> Result<(), Failed> {
        self.process.say("nboard 1")?;
        self.process.say("ping 1")?;
        while self.process.hear(wait)? != "pong 1" {}
        Ok(())
    }
}

impl Dialogue for NBoard {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        wait: &mut Wait,
    ) -> Result<Vec<Found>, Failed> {
        let board = request.board();
        // An engine that remembers forgets what it knew when a game begins: Edax clears its tables then.
        self.process
            .say(&format!("set depth {}", request.level()))?;
        self.process.say(&format!("set game {}", game(board)))?;
        let rows = rows(request, count);
        self.process.say(&format!("hint {rows}"))?;
        let mut found: Vec<Found> = Vec::new();
        let mut nodes = None;
        loop {
            let line = self.process.hear(wait)?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "search" => {
                    let new = read(board, rest)
                        .ok_or_else(|| no_answer("search MOVES SCORE 0 DEPTH", &line))?;
                    // An engine that tells every depth says the last at the end, and the best move first.
                    found.retain(|known| known.mv != new.mv);
                    found.push(new);
                }
                "book" => return Err(Trouble::FromBook(line).into()),
                "nodestats" => nodes = rest.split(' ').next().and_then(number_of_nodes),
                "status" if is_idle(rest) => break,
                _ => {}
            }
        }
        if let [only] = &mut found[..] {
            only.nodes = nodes;
        }
        remaining(found, request, count)
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

/// Whether a status says that the engine has finished: Edax is waiting then, ntest has nothing to say.
fn is_idle(status: &str) -> bool {
    status.trim().is_empty() || status.contains("waiting")
}

/// Numbers of nodes may be written with a point.
fn number_of_nodes(text: &str) -> Option<u64> {
    let nodes: f64 = text.parse().ok()?;
    (nodes >= 0.0).then_some(nodes as u64)
}

/// What follows `search`: moves, score, a nought, depth, and whatever the engine wants to add.
fn read(board: Board, line: &str) -> Option<Found> {
    let mut words = line.split_whitespace();
    let (mv, variation) = variation(board, words.next()?)?;
    let score = score(words.next()?)?;
    let (depth, probability) = depth(words.nth(1)?)?;
    Some(Found {
        mv,
        score,
        depth,
        probability,
        variation,
        nodes: None,
    })
}

/// The position as a game that begins there, black to move.
fn game(board: Board) -> String {
    let squares: String = Square::all()
        .map(|square| match square.bit() {
            bit if board.player() & bit != 0 => '*',
            bit if board.opponent() & bit != 0 => 'O',
            _ => '-',
        })
        .collect();
    format!("(;GM[Othello]PC[obook]DT[2000-01-01]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {squares} *];)")
}
