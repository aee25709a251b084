//! Reading `.wtb` files.

use crate::records::Records;
use crate::replay::Replay;
use crate::wthor::{GAME, Header, List, ListKind, Names, Numbers, UNKNOWN, square};
use crate::{Date, Entry, Error, ErrorKind, Fault, Game, Score, Theoretical};
use obook_othello::Move;
use std::io::Read;
use std::sync::Arc;

/// A streaming reader of a `.wtb` file: an iterator over its games.
///
/// The reader has its own buffer, and ends after an error. A wrong number of games in the header is an error after the last game,
/// so that all games can be read.
///
/// ```
/// use obook_games::wthor::{Names, Reader};
/// # let file = include_bytes!("../../examples/levels.wtb");
/// let mut games = Reader::new(&file[..], Names::default(), None)?;
/// assert_eq!((games.header().games, games.header().year), (300, 2026));
/// let first = games.next().unwrap()?;
/// assert_eq!(first.game.black.name.as_deref(), Some("player 1"), "without a list of players");
/// assert!(first.game.line().to_string().starts_with("f5d6c3d3"));
/// assert_eq!(first.game.score.unwrap().get(), -12);
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    records: Records<R, GAME>,
    header: Header,
    names: Names,
    done: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the header. `file` is the name used in errors and places.
    ///
    /// # Errors
    /// Returns an error if the input can't be read, ends inside the header, or has games on a larger board.
    pub fn new(mut input: R, names: Names, file: Option<Arc<str>>) -> Result<Reader<R>, Error> {
        let header = Header::read(&mut input).and_then(Header::checked);
        let header = header.map_err(|error| error.named(file.as_deref()))?;
        Ok(Reader {
            records: Records::new(input, Header::LEN, file),
            header,
            names,
            done: false,
        })
    }

    /// The header of the file.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    fn next_entry(&mut self) -> Result<Option<Entry>, Error> {
        let Some((place, record)) = self.records.next_record()? else {
            let (promised, found) = (u64::from(self.header.games), self.records.count);
            if promised == found {
                return Ok(None);
            }
            let error = Error::new(ErrorKind::Count { promised, found });
            return Err(error.named(self.records.file.as_deref()));
        };
        let number = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        let numbers = Numbers {
            tournament: number(0),
            black: number(2),
            white: number(4),
        };
        let (game, faults) = self.game(&record, numbers);
        Ok(Some(Entry {
            game,
            place,
            faults,
            numbers: Some(numbers),
        }))
    }

    fn game(&self, record: &[u8; GAME], numbers: Numbers) -> (Game, Vec<Fault>) {
        let (head, moves) = record.split_at(8);
        let mut replay = Replay::default();
        let mut codes = moves.iter();
        for code in codes.by_ref().take_while(|code| **code != 0) {
            match square(*code) {
                Some(square) => replay.play(Move::Place(square)),
                None => replay.no_move(&code.to_string(), "10 × row + column, both from 1 to 8"),
            }
        }
        if let Some(code) = codes.find(|code| **code != 0) {
            let found = format!("0 and later {code}");
            replay.no_move(&found, "nothing after 0, which ends the moves");
        }
        let mut named = |kind, number| self.name(kind, number, &mut replay);
        let tournament = named(ListKind::Tournaments, numbers.tournament);
        let black = named(ListKind::Players, numbers.black);
        let white = named(ListKind::Players, numbers.white);
        let mut score = |name, discs: u8| {
            // Empty squares are the winner's already, so all squares that aren't Black's are White's.
            let score = Score::of_discs(discs, 64u8.saturating_sub(discs));
            if score.is_none() {
                replay.fault(Fault::field(name, &discs.to_string(), "0 to 64 discs"));
            }
            score
        };
        let said = score("the score", head[6]);
        let theoretical = match self.header.depth {
            0 => None,
            empties => {
                score("the theoretical score", head[7]).map(|score| Theoretical { score, empties })
            }
        };
        let mut game = Game::default();
        (game.black.name, game.white.name) = (black, white);
        game.tournament = tournament;
        game.date = Date::of_year(self.header.year).unwrap_or_default();
        game.score = said;
        game.theoretical = theoretical;
        replay.finish(game)
    }

    /// The name with this number. Without a list, it is made of the number; also, with a fault, if the list lacks it.
    fn name(&self, kind: ListKind, number: u16, replay: &mut Replay) -> Option<String> {
        let list = match kind {
            ListKind::Players => &self.names.players,
            ListKind::Tournaments => &self.names.tournaments,
        };
        let name = list.as_ref().map(|list| List::get(list, number));
        if name == Some(None) {
            let expected = "a number that the list of names has";
            let fault = Fault::field(kind.singular(), &number.to_string(), expected);
            replay.fault(fault);
        }
        match name.flatten() {
            Some(UNKNOWN) => None,
            Some(name) => Some(name.to_owned()),
            None => Some(kind.made_up(number)),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Result<Entry, Error>> {
        if self.done {
            return None;
        }
        let entry = self.next_entry().transpose();
        self.done = !matches!(entry, Some(Ok(_)));
        entry
    }
}
