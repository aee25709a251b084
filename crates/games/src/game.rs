//! A game: players, date, moves and result.

use crate::{Clock, Date, Decimal, Score};
use obook_othello::{Line, Side};
use std::time::Duration;

/// A recorded game. Its moves are legal by construction, and every note belongs to a move.
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
    /// The player with the black discs.
    pub black: Player,
    /// The player with the white discs.
    pub white: Player,
    /// The tournament, match or event.
    pub tournament: Option<String>,
    /// The round of the tournament.
    pub round: Option<String>,
    /// The place: a town, or a server such as `GGS/os`.
    pub site: Option<String>,
    /// The date on which it was played.
    pub date: Date,
    /// The time at which it began, as written in the record: `13:24:03.MST`.
    pub time: Option<String>,
    /// The kind of game, as the Generic Game Server calls it: `8`, `8r20` for a random start position with 20 discs, `s8r18` for
    /// one of two such games played at the same time.
    pub kind: Option<String>,
    /// The result in the record. If it contradicts the discs, there is a [`Fault`](crate::Fault).
    pub score: Option<Score>,
    /// Why the game ended early, if known. `None` for a game played to the end.
    pub ending: Option<Ending>,
    /// The result with best play towards the end.
    pub theoretical: Option<Theoretical>,
    /// A comment on the whole game.
    pub comment: Option<String>,
    line: Line,
    /// One note for each move, up to the last that is not empty.
    notes: Vec<Note>,
}

/// One of the two players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name, as written in the record.
    pub name: Option<String>,
    /// The rating before the game, on any scale.
    pub rating: Option<Decimal>,
    /// The time control.
    pub clock: Option<Clock>,
}

/// Notes on a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The time that the player took.
    pub time: Option<Duration>,
    /// An evaluation of the game after this move, by the player or an analyst: in discs, from the side of the player who moved.
    pub value: Option<Decimal>,
    /// A comment.
    pub comment: Option<String>,
}

/// Why a game ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// One of the players resigned.
    Resigned,
    /// One of the players ran out of time.
    TimeOut,
    /// The players agreed on the result.
    Agreed,
}

/// The result with best play from a given number of empty squares, as recorded in WTHOR files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theoretical {
    /// The result.
    pub score: Score,
    /// The number of empty squares from which play is best, from 1 to 60.
    pub empties: u8,
}

impl Note {
    /// An empty note.
    pub const NONE: Note = Note {
        time: None,
        value: None,
        comment: None,
    };
}

impl Game {
    /// Its names and other short texts, with what they are.
    pub(crate) fn names(&mut self) -> [(&'static str, &mut Option<String>); 7] {
        [
            ("Black's name", &mut self.black.name),
            ("White's name", &mut self.white.name),
            ("the tournament", &mut self.tournament),
            ("the round", &mut self.round),
            ("the place", &mut self.site),
            ("the time", &mut self.time),
            ("the kind of game", &mut self.kind),
        ]
    }

    /// The bytes of its texts and notes.
    ///
    /// ```
    /// let mut game = obook_games::Game::default();
    /// game.comment = Some("x".repeat(1000));
    /// assert_eq!(game.text_len(), 1000);
    /// ```
    #[must_use]
    pub fn text_len(&self) -> usize {
        let [black, white] = [&self.black.name, &self.white.name];
        let own = [
            black,
            white,
            &self.tournament,
            &self.round,
            &self.site,
            &self.time,
            &self.kind,
            &self.comment,
        ];
        let notes = self.notes.iter().map(|note| &note.comment);
        let texts = own.into_iter().chain(notes).flatten();
        texts.map(String::len).sum::<usize>() + self.notes.len() * size_of::<Note>()
    }

    /// A game with these moves and nothing else.
    #[must_use]
    pub fn new(line: Line) -> Game {
        Game {
            line,
            ..Game::default()
        }
    }

    /// The same game, begun after its first moves, including passes: as one from a start that was drawn.
    ///
    /// ```
    /// use obook_games::Game;
    /// let game = Game::new("f5d6c3d3".parse()?);
    /// assert_eq!(game.begun_after(2).line().moves(), &game.line().moves()[2..]);
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn begun_after(&self, moves: usize) -> Game {
        let start = self.line.prefix(moves);
        let mut line = Line::at(start.board(), start.side());
        for mv in self.line.moves().iter().skip(moves) {
            line.push(*mv).expect("a line's moves are legal");
        }
        Game {
            line,
            notes: self.notes.iter().skip(moves).cloned().collect(),
            ..self.clone()
        }
    }

    /// The start position and the moves, including every pass.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The side to move at the start.
    #[must_use]
    pub fn first(&self) -> Side {
        self.line.prefix(0).side()
    }

    /// The note on the move with this index, counted from 0 and including passes; [`Note::NONE`] if there is none.
    #[must_use]
    pub fn note(&self, index: usize) -> &Note {
        self.notes.get(index).unwrap_or(&Note::NONE)
    }

    /// Sets the note on the move with this index, counted from 0 and including passes.
    ///
    /// # Panics
    /// Panics if the game has no such move.
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

    /// Sets the moves and their notes, which are in order of their index.
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
