//! Egaroucid.

use super::assert_as_recorded;
use crate::grown::Recording;
use crate::grown::egaroucid::Case;
use obook_engine::{Answer, Request, SearchError, Searcher};
use obook_needs::needs;
use obook_othello::{Engine, Move};
use obook_testing::answer::answer;
use obook_testing::engines::egaroucid_functions;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::{Arc, Mutex};

/// The book as Egaroucid grows it.
fn grown_by_egaroucid(case: &Case, folder: &Path) -> PathBuf {
    let after = folder.join("after.egbk3");
    let said = egaroucid_functions()
        .args(["empty", "egbk3"])
        .arg(case.before())
        .args(case.told.functions.split_whitespace())
        .arg("save")
        .arg(&after)
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    after
}

/// Egaroucid's search, as called by its book functions.
struct Asked {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Asked {
    fn start() -> Asked {
        let mut answer = egaroucid_functions();
        answer
            .arg("answer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = answer.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Asked { process, answers }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // It ends when its input ends.
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

impl Searcher for Asked {
    fn name(&self) -> &str {
        "egaroucid"
    }

    fn engine(&self) -> Engine {
        Engine::Egaroucid
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let board = request.board();
        let passes = board.must_pass();
        // A pass has the negated score of the position after it.
        let asked = if passes { board.passed() } else { board };
        let moves = asked.legal_moves().0 & !request.excluded().0;
        let (player, opponent, level) = (asked.player(), asked.opponent(), request.level());
        let questions = self.process.stdin.as_mut().unwrap();
        writeln!(questions, "{player:x} {opponent:x} {moves:x} {level}").unwrap();
        let mut said = String::new();
        self.answers.read_line(&mut said).unwrap();
        let (mv, score) = said.trim().split_once(' ').unwrap();
        let (mv, score): (u8, i8) = (mv.parse().unwrap(), score.parse().unwrap());
        let (mv, score) = match passes {
            true => (Move::Pass, -score),
            false => (Move::from_code(mv).unwrap(), score),
        };
        Ok(answer(request, Engine::Egaroucid, mv, score))
    }
}

#[needs(egaroucid_book)]
#[test]
fn books_and_answers_are_those_that_were_recorded() {
    for (case, same) in Case::all() {
        let folder = tempfile::tempdir().unwrap();
        let after = grown_by_egaroucid(&case, folder.path());
        let answers = Arc::new(Mutex::new(Default::default()));
        let ours = case.ours(&|| {
            Box::new(Recording {
                engine: Box::new(Asked::start()),
                answers: Arc::clone(&answers),
            })
        });
        assert_as_recorded(&case, &after, &ours, &answers.lock().unwrap(), same);
    }
}
