//! A position with its moves, and the best line from it.

use crate::database::position::{Answer, Position, seen_by};
use crate::database::rows::find;
use crate::games::{Game, MARKS, read_move};
use crate::{At, Board, Colour, Comment, ENDLESS, Kif, MATE, Move, ReadError, Repetition, Sfen};
use obook_store::{Error, Result, Store};
use std::str::FromStr;

impl FromStr for Game {
    type Err = ReadError;

    /// Reads moves from the start position, such as `7g7f 3c3d`, or from a position in SFEN in front of them. The words `startpos`,
    /// `sfen`, `position` and `moves` of USI may be there. Moves may also be written as in records: `+7776FU`, `▲７六歩`.
    fn from_str(text: &str) -> Result<Game, ReadError> {
        let is_word = |word: &&str| ["position", "startpos", "sfen", "moves"].contains(word);
        // A mark begins a move, and 同 stands before a blank.
        let text = text.replace("同　", "同").replace("同 ", "同");
        let text = MARKS
            .iter()
            .fold(text, |text, &mark| text.replace(mark, &format!(" {mark}")));
        let words = text.split_whitespace().filter(|word| !is_word(word));
        let words: Vec<&str> = words.collect();
        let (start, moves) = match words.first() {
            Some(first) if first.contains('/') => {
                let has_ply = words.get(3).is_some_and(|word| word.parse::<u32>().is_ok());
                let length = words.len().min(if has_ply { 4 } else { 3 });
                let (start, moves) = words.split_at(length);
                let start = start.join(" ").parse::<Sfen>();
                let start = start.map_err(|error| ReadError(format!("the position: {error}")))?;
                (start.board, moves)
            }
            _ => (Board::start(), &words[..]),
        };
        let mut line = Game::new(start);
        for (number, word) in (1..).zip(moves) {
            let board = *line.board();
            let mv = read_move(&board, line.last(), word)
                .map_err(|problem| ReadError(format!("move {number}: {problem}")))?;
            let illegal = || format!("move {number}, {mv}, isn't legal in {board}");
            line.play(mv).ok_or_else(|| ReadError(illegal()))?;
        }
        Ok(line)
    }
}

/// A move as it is shown.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Shown {
    /// In USI.
    pub usi: String,
    /// In 棋譜 notation.
    pub kif: String,
    /// Whether it leads to a position of the book.
    pub is_link: bool,
    /// For the side that makes it.
    pub score: Option<i32>,
    /// Of a link, the length of the best line; of a leaf, the depth of its search.
    pub depth: Option<u32>,
    /// How often it was played.
    pub count: Option<u32>,
    /// The expected answer.
    pub ponder: Option<String>,
    /// The score that files list, if another counts: the move is a link, was searched deeper for the other side, or has a score beyond
    /// a mate.
    pub listed_score: Option<i32>,
}

impl Shown {
    pub(crate) fn of(answer: &Answer, line: &Game) -> Shown {
        let board = line.board();
        let listed = seen_by(answer.listed, board.turn());
        let kif = Kif {
            board,
            mv: listed.mv,
            last: line.last(),
        };
        Shown {
            usi: listed.mv.to_string(),
            kif: kif.to_string(),
            is_link: answer.is_link,
            score: listed.score,
            depth: listed.depth,
            count: listed.count,
            ponder: listed.ponder.map(|ponder| ponder.to_string()),
            listed_score: answer.said,
        }
    }
}

/// A position of a book, as it is shown.
#[derive(Clone, Debug, serde::Serialize)]
pub struct View {
    /// The position in SFEN.
    pub sfen: String,
    /// Whether the book has it.
    pub in_book: bool,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Its score for the side to move, if the book is fixed.
    pub value: Option<i32>,
    /// Its own score, if the value differs from it because of the worth of draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_score: Option<i32>,
    /// The length of the best line.
    pub depth: Option<u32>,
    /// Its moves, the best first.
    pub moves: Vec<Shown>,
    /// The comments in files about it.
    pub comments: Vec<Remark>,
}

/// A comment as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Remark {
    /// The move in USI below which it stands; `None` if it stands beside the position.
    pub usi: Option<String>,
    /// A line, with its mark.
    pub text: String,
}

impl From<Comment> for Remark {
    fn from(Comment { at, text }: Comment) -> Remark {
        let usi = match at {
            At::Move(mv) => Some(mv.to_string()),
            At::Above | At::Below => None,
        };
        Remark { usi, text }
    }
}

impl View {
    /// Looks up the position that a line leads to.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn new(store: &Store, line: &Game) -> Result<View> {
        let board = line.board();
        let found = look_up(store, board)?;
        let in_book = found.is_some();
        let position = found.unwrap_or_else(|| Position::new(board.key()));
        let by_draws = &position.own.by_draws[board.turn() as usize];
        let (value, depth) = match by_draws.first() {
            Some(best) => (Some(best.score), Some(best.depth)),
            None => (position.own.value, position.own.depth),
        };
        let answers = position.answers(board.turn());
        Ok(View {
            sfen: board.to_string(),
            in_book,
            check: board.is_check(),
            value,
            own_score: position.own.value.filter(|&own| value != Some(own)),
            depth,
            moves: answers.iter().map(|it| Shown::of(it, line)).collect(),
            comments: position.comments(board.turn()).map(Remark::from).collect(),
        })
    }
}

/// The moves of a position, which the book may not have, for the side to move.
pub(crate) fn answers(found: Option<&Position>, turn: Colour) -> Vec<Answer> {
    found.map_or_else(Vec::new, |found| found.answers(turn))
}

/// Looks a position up.
pub(crate) fn look_up(store: &Store, board: &Board) -> Result<Option<Position>> {
    store.read(|it| find(it, board.key()))
}

/// Looks a position up. Draws are worth 0, as for own scores.
pub(crate) fn look_up_own(store: &Store, board: &Board) -> Result<Option<Position>> {
    let mut found = look_up(store, board)?;
    if let Some(position) = &mut found {
        position.own.by_draws = Default::default();
    }
    Ok(found)
}

/// The best line from a position.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BestLine {
    /// Its moves.
    pub moves: Vec<Shown>,
    /// How it ends.
    #[serde(flatten)]
    pub end: Ending,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum Ending {
    /// The position isn't in the book.
    OutOfBook,
    /// The book knows no move of the position.
    NoMoves,
    /// The side to move is mate.
    Mate,
    /// The position was there before: a draw.
    Repetition,
    /// The position was there before, and one side only gave checks.
    PerpetualCheck {
        /// That side, which loses.
        loser: Colour,
    },
    /// It is as long as was asked for.
    Longest,
}

impl From<Repetition> for Ending {
    fn from(repetition: Repetition) -> Ending {
        match repetition {
            Repetition::Draw => Ending::Repetition,
            Repetition::Perpetual(loser) => Ending::PerpetualCheck { loser },
        }
    }
}

impl BestLine {
    /// Follows the best moves from where a line leads to, until they end, leave the book or repeat.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read, and [`Error::Unfit`] if it lists a move that isn't legal.
    pub fn new(store: &Store, mut line: Game, longest: usize) -> Result<BestLine> {
        let mut moves = Vec::new();
        let each = |line: &Game, answers: &[Answer]| moves.push(Shown::of(&answers[0], line));
        let end = follow(store, &mut line, longest, look_up, each)?;
        Ok(BestLine { moves, end })
    }
}

/// Plays the best moves as [`BestLine`] has them. `each` gets the moves of every position on the way, before the best one is played.
pub(crate) fn follow(
    store: &Store,
    line: &mut Game,
    longest: usize,
    position_at: fn(&Store, &Board) -> Result<Option<Position>>,
    mut each: impl FnMut(&Game, &[Answer]),
) -> Result<Ending> {
    for _ in 0..longest {
        let found = position_at(store, line.board())?;
        let answers = answers(found.as_ref(), line.board().turn());
        let Some(best) = answers.first() else {
            return Ok(match found {
                _ if line.board().is_lost() => Ending::Mate,
                Some(_) => Ending::NoMoves,
                None => Ending::OutOfBook,
            });
        };
        each(line, &answers);
        play(store, line, best.listed.mv)?;
        if let Some(repetition) = line.repetition() {
            return Ok(repetition.into());
        }
    }
    Ok(Ending::Longest)
}

/// Plays a move that a row has, as the canonical position has it.
pub(crate) fn play(store: &Store, line: &mut Game, mv: Move) -> Result<()> {
    let mv = mv.seen_by(line.board().turn());
    line.play(mv).ok_or_else(|| {
        let board = line.board();
        let problem = format!("a move of the book, {mv}, isn't legal in {board}");
        Error::unfit(store.path(), problem)
    })
}

/// A score in words.
#[must_use]
pub fn words(score: i32, depth: Option<u32>) -> String {
    match score {
        MATE => String::from("+mate"),
        score if score == -MATE => String::from("-mate"),
        0 if depth == Some(ENDLESS) => String::from("0 (repetition)"),
        0 => String::from("0"),
        score => format!("{score:+}"),
    }
}
