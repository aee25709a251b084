//! A game: who played, when, which moves, how it ended.

use crate::{Clock, Date, Decimal, Score};
use obook_othello::{Line, Side};
use std::time::Duration;

/// A game as a record tells it. The moves are legal by construction, and what is said about a move belongs to one.
///
/// ```
/// use obook_games::{Game, Note};
/// use std::time::Duration;
/// let mut game = Game::new("f5d6c3".parse()?);
/// game.black.name = Some("Rose".to_owned());
/// game.annotate(2, Note { time: Some(Duration::from_millis(1500)), ..Note::NONE });
/// assert_eq!(game.line().to_string(), "f5d6c3");
/// assert_eq!(game.note(2).time, Some(Duration::from_millis(1500)));
/// assert_eq!(game.note(0), &Note::NONE);
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Who had black.
    pub black: Player,
    /// Who had white.
    pub white: Player,
    /// The tournament, match or event that it was part of.
    pub tournament: Option<String>,
    /// Which round of the tournament.
    pub round: Option<String>,
    /// Where it was played: a town, or a server such as `GGS/os`.
    pub site: Option<String>,
    /// When it was played.
    pub date: Date,
    /// At which hour it began, as the record writes it: `13:24:03.MST`.
    pub time: Option<String>,
    /// What kind of game it was by the names of the Generic Game Server: `8`, `8r20` for a start from a random position
    /// with 20 discs, `s8r18` for one of two such games played side by side.
    pub kind: Option<String>,
    /// The result as the record says it, which may contradict the discs: then a [`Fault`](crate::Fault) says so.
    pub score: Option<Score>,
    /// Why it ended before its end; `None` where it was played out, or nobody says why.
    pub ending: Option<Ending>,
    /// What the result would have been with best play towards the end.
    pub theoretical: Option<Theoretical>,
    /// What is said about the game as a whole.
    pub comment: Option<String>,
    line: Line,
    /// One for each move, as far as the last one that says something.
    notes: Vec<Note>,
}

/// One of the two players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name as the record has it.
    pub name: Option<String>,
    /// The rating before the game, on the scale of whoever keeps the ratings.
    pub rating: Option<Decimal>,
    /// The time that there was.
    pub clock: Option<Clock>,
}

/// What is said about one move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// How long the player thought.
    pub time: Option<Duration>,
    /// What the player, or who looked at the game, thought the game worth after this move: discs, seen by the side that
    /// moves.
    pub value: Option<Decimal>,
    /// Anything else.
    pub comment: Option<String>,
}

/// Why a game ended before nobody could move any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Somebody gave up.
    Resigned,
    /// Somebody's time ran out.
    TimeOut,
    /// Both agreed on the result.
    Agreed,
}

/// The result that best play would have had from some number of empty squares on, as WTHOR files tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theoretical {
    /// The result.
    pub score: Score,
    /// With how many empty squares best play began, 1 to 60.
    pub empties: u8,
}

impl Note {
    /// Nothing is said.
    pub const NONE: Note = Note {
        time: None,
        value: None,
        comment: None,
    };
}

impl Game {
    /// A game of which only the moves are known.
    #[must_use]
    pub fn new(line: Line) -> Game {
        Game {
            line,
            ..Game::default()
        }
    }

    /// The start position and the moves, every pass included.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// Whose turn it was at the start.
    #[must_use]
    pub fn first(&self) -> Side {
        self.line.prefix(0).side()
    }

    /// What is said about the move with this index, counted from 0, passes included; [`Note::NONE`] where nothing is.
    #[must_use]
    pub fn note(&self, index: usize) -> &Note {
        self.notes.get(index).unwrap_or(&Note::NONE)
    }

    /// Whether anything is said about any move.
    #[must_use]
    pub fn is_annotated(&self) -> bool {
        !self.notes.is_empty()
    }

    /// Says something about the move with this index, counted from 0, passes included, instead of what was said before.
    ///
    /// # Panics
    /// The game has no such move.
    pub fn annotate(&mut self, index: usize, note: Note) {
        let moves = self.line.moves().len();
        assert!(
            index < moves,
            "a note on move {index} of a game of {moves} moves"
        );
        if index >= self.notes.len() {
            self.notes.resize(index + 1, Note::NONE);
        }
        self.notes[index] = note;
        let said = self.notes.iter().rposition(|note| *note != Note::NONE);
        self.notes.truncate(said.map_or(0, |last| last + 1));
    }

    /// Puts in moves with their notes, by index and in order.
    pub(crate) fn set_moves(&mut self, line: Line, notes: Vec<(usize, Note)>) {
        self.line = line;
        self.notes.clear();
        for (index, note) in notes {
            if note != Note::NONE {
                self.notes.resize(index, Note::NONE);
                self.notes.push(note);
            }
        }
    }
}
