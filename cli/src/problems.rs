//! Problem files: positions with or without the scores of their moves.

use crate::prelude::*;
use obook::Error;
use obook_base::compression::decompress;
use obook_base::{Source, UntilError};
use obook_othello::{Board, Move, Side};
use std::io::{BufRead, BufReader, Read};

/// A position of a problem file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) file: PathBuf,
    /// From 1.
    pub(crate) line: u64,
    pub(crate) board: Board,
    pub(crate) side: Side,
    /// Scores of moves in the file, for the side to move.
    pub(crate) scores: Vec<(Move, i8)>,
}

/// The maximum length of a line, enough for the 33 moves that a position can have.
const LONGEST_LINE: u64 = 4096;

impl Problem {
    /// The best move's score, if the file has scores.
    pub(crate) fn expected(&self) -> Option<i8> {
        self.scores.iter().map(|(_, score)| *score).max()
    }

    /// A move's score in the file.
    pub(crate) fn score_of(&self, mv: Move) -> Option<i8> {
        let found = self.scores.iter().find(|(known, _)| *known == mv);
        found.map(|(_, score)| *score)
    }

    /// The file and line, for messages.
    pub(crate) fn place(&self) -> String {
        format!("{}: line {}", self.file.display(), self.line)
    }
}

/// Reads the problems of a file; `-` is standard input. The first wrong line is an error and ends the reading.
pub(crate) fn problems(file: &Path) -> impl Iterator<Item = Result<Problem, Failure>> {
    let opened = Source::open_or_stdin(file).and_then(decompress);
    let lines: Box<dyn Iterator<Item = _>> = match opened {
        Ok(input) => Box::new(lines_of(BufReader::new(input))),
        Err(error) => Box::new(std::iter::once(Err(error))),
    };
    let read = move |(line, text)| read(file, line, text).transpose();
    UntilError::new((1..).zip(lines).filter_map(read))
}

/// The lines of a file, cut off at the maximum length.
fn lines_of(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    std::iter::from_fn(move || {
        let mut text = Vec::new();
        let mut begin = input.by_ref().take(LONGEST_LINE);
        match begin.read_until(b'\n', &mut text) {
            Ok(0) => None,
            read => Some(read.map(|_| text)),
        }
    })
}

/// Reads a line of a file; `None` if it has no problem.
fn read(file: &Path, line: u64, text: io::Result<Vec<u8>>) -> Result<Option<Problem>, Failure> {
    let text = text.map_err(Error::io(file, "read"))?;
    let read = match text.len() as u64 == LONGEST_LINE {
        true => Err(format!(
            "longer than {LONGEST_LINE} characters, which is too long for a problem"
        )),
        false => problem(&String::from_utf8_lossy(&text)),
    };
    let read = read.map_err(|problem| Failure::file(file, format!("line {line}: {problem}")))?;
    Ok(read.map(|(board, side, scores)| Problem {
        file: file.to_owned(),
        line,
        board,
        side,
        scores,
    }))
}

type Scored = (Board, Side, Vec<(Move, i8)>);

/// Reads a line; `None` if it is empty or a comment. A comment may follow, and Edax fills up lines with `--:-127`.
fn problem(line: &str) -> Result<Option<Scored>, String> {
    let line = line.split(['%', '#']).next().unwrap_or_default().trim();
    if line.is_empty() {
        return Ok(None);
    }
    let mut parts = line.split(';').map(str::trim);
    let board = parts.next().unwrap_or_default();
    let (board, side) = Board::read_with_side(board).map_err(|error| error.to_string())?;
    let wrong = |part: &str| {
        let part = part.escape_debug();
        format!("“{part}”: expected a legal move and its score, such as f5:+2")
    };
    let parts = parts.filter(|part| !part.is_empty() && *part != "--:-127");
    let scores = parts.map(|part| scored(board, part).ok_or_else(|| wrong(part)));
    Ok(Some((board, side, scores.collect::<Result<_, _>>()?)))
}

fn scored(board: Board, part: &str) -> Option<(Move, i8)> {
    let (mv, score) = part.split_once(':')?;
    let mv: Move = mv.trim().parse().ok()?;
    board.play(mv)?;
    let score: i8 = score.trim().parse().ok()?;
    (-64..=64).contains(&score).then_some((mv, score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_position_with_scores_or_without() {
        let start = "---------------------------OX------XO---------------------------";
        assert_eq!(problem("% remark"), Ok(None));
        assert_eq!(problem("  "), Ok(None));
        let remark = problem(&format!("{start} X % a remark; f5")).unwrap();
        assert_eq!(remark, problem(&format!("{start}X")).unwrap());
        let filled = problem(&format!("{start} X; f5:+2; --:-127; --:-127;")).unwrap();
        assert_eq!(filled, problem(&format!("{start} X; f5:+2")).unwrap());
        let plain = problem(&format!("{start}X\r\n")).unwrap().unwrap();
        assert_eq!(plain, (Board::START, Side::Black, Vec::new()));
        let (_, _, scores) = problem(&format!("{start} X; F5:+2; d3: -4 ;"))
            .unwrap()
            .unwrap();
        let scores: Vec<i8> = scores.into_iter().map(|(_, score)| score).collect();
        assert_eq!(scores, [2, -4]);
        for wrong in [
            "X",
            &format!("{start} X; a1:+2"),
            &format!("{start} X; f5:+65"),
            &format!("{start} X; f5"),
        ] {
            assert!(problem(wrong).is_err(), "{wrong}");
        }
    }
}
