//! Writing `.wtb` files and the lists of names.

use crate::wthor::{GAME, Header, List, ListKind, Names, UNKNOWN, code};
use crate::{Date, Error, ErrorKind, Fault, Format, Game, Score};
use std::collections::HashMap;

/// Writes a `.wtb` file and the lists of the names in it.
///
/// Games stay in memory, 68 bytes each, because the header before them has their number. A file has the games of one year. Files
/// share their lists, so [`Writer::finish`] returns them for the next file.
///
/// ```
/// use obook_games::wthor::{Names, Reader, Writer};
/// use obook_games::{Date, Game, Score};
/// let mut game = Game::new("e6f4e3f6g5d6e7f5c5".parse()?);
/// game.black.name = Some("Rose Brian".to_owned());
/// game.date = Date::of_year(1990).unwrap();
/// let mut writer = Writer::new(Names::default(), Some(1990));
/// writer.write(&game)?;
/// let (file, names) = writer.finish(Date::UNKNOWN);
/// let again = Reader::new(&file[..], names, None)?.next().unwrap()?;
/// assert_eq!(again.game.line(), game.line());
/// assert_eq!(again.game.black, game.black);
/// assert_eq!(again.game.score, Score::new(64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    players: Index,
    tournaments: Index,
    year: Option<u16>,
    games: Vec<u8>,
    /// The depth of the theoretical scores; `None` before the first game.
    depth: Option<u8>,
}

/// A list with the number of each name.
#[derive(Debug)]
struct Index {
    list: List,
    numbers: HashMap<String, u16>,
}

impl Writer {
    /// Creates a writer. Names in the lists keep their numbers, and new names get the next ones. Without a year, the file is for
    /// games of unknown years.
    #[must_use]
    pub fn new(names: Names, year: Option<u16>) -> Writer {
        Writer {
            players: Index::new(names.players, ListKind::Players),
            tournaments: Index::new(names.tournaments, ListKind::Tournaments),
            year: year.filter(|year| *year > 0),
            games: Vec::new(),
            depth: None,
        }
    }

    /// The number of games written.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len() / GAME
    }

    /// Writes a game. A missing result is taken from the discs. The format has no room for ratings, clocks, month and day, time,
    /// round, site, the reason for an early end, and notes on moves.
    ///
    /// # Errors
    /// Returns [`ErrorKind::DoesNotFit`] if the game begins at another position, has no result or an odd one, was played in another
    /// year, or has a name that is too long or not in Latin-1; or if there would be too many names or games. No game is
    /// added then.
    pub fn write(&mut self, game: &Game) -> Result<(), Error> {
        let line = game.line();
        if !line.is_from_start() {
            let start = line.prefix(0).to_string();
            return Err(misfit("the start", &start, "the usual start only"));
        }
        if game.date.year() != self.year {
            let year = game.date.to_string();
            return Err(misfit("the date", &year, "games of one year in a file"));
        }
        if self.games.len() / GAME >= u32::MAX as usize {
            return Err(misfit("the number of games", "4294967296", "one less"));
        }
        let Some(score) = game.score.or_else(|| Score::at_end(line)) else {
            return Err(misfit("the result", "not known", "games with a result"));
        };
        let discs = discs(score)?;
        let theoretical = game.theoretical.map_or(Ok(0), |it| self::discs(it.score))?;
        let tournament = self.tournaments.fitting(game.tournament.as_deref())?;
        let black = self.players.fitting(game.black.name.as_deref())?;
        let white = self.players.fitting(game.white.name.as_deref())?;
        let tournament = self.tournaments.number(tournament)?;
        let (black, white) = (self.players.number(black)?, self.players.number(white)?);
        for number in [tournament, black, white] {
            self.games.extend(number.to_le_bytes());
        }
        self.games.extend([discs, theoretical]);
        let places = line.moves().iter().filter_map(|mv| mv.square());
        self.games.extend(places.map(code));
        self.games
            .resize(self.games.len().next_multiple_of(GAME), 0);
        let empties = game.theoretical.map(|theoretical| theoretical.empties);
        let depth = empties.filter(|empties| *empties <= Header::DEEPEST);
        let depth = depth.unwrap_or(0);
        // A file has theoretical scores of one depth only.
        self.depth = Some(match self.depth {
            Some(before) if before != depth => 0,
            _ => depth,
        });
        Ok(())
    }

    /// Returns the `.wtb` file, dated `made`, and the lists of names.
    ///
    /// Leaves out the theoretical scores unless every game has one, all for the same number of empty squares.
    #[must_use]
    pub fn finish(mut self, made: Date) -> (Vec<u8>, Names) {
        let depth = self.depth.unwrap_or(0);
        if depth == 0 {
            for game in self.games.chunks_exact_mut(GAME) {
                game[7] = 0;
            }
        }
        let header = Header {
            made: Header::made_on(made),
            games: self.games() as u32,
            year: self.year.unwrap_or(0),
            board_size: 8,
            depth,
            ..Header::default()
        };
        let mut file = header.encode().to_vec();
        file.append(&mut self.games);
        let names = Names {
            players: Some(self.players.list),
            tournaments: Some(self.tournaments.list),
        };
        (file, names)
    }
}

impl Index {
    fn new(list: Option<List>, kind: ListKind) -> Index {
        let list = list.unwrap_or_else(|| List::new(kind));
        let mut numbers = HashMap::with_capacity(list.names().len());
        for (number, name) in (0..=u16::MAX).zip(list.names()) {
            // Of equal names, the first counts.
            numbers.entry(name.clone()).or_insert(number);
        }
        Index { list, numbers }
    }

    /// The name to look up, if it fits into the list.
    fn fitting<'n>(&self, name: Option<&'n str>) -> Result<&'n str, Error> {
        let name = name.unwrap_or(UNKNOWN);
        let (what, limit) = match self.list.kind() {
            ListKind::Players => ("a player's name", "19 letters of Latin-1"),
            ListKind::Tournaments => ("a tournament's name", "25 letters of Latin-1"),
        };
        match self.list.kind().takes(name) {
            true => Ok(name),
            false => Err(misfit(what, name, limit)),
        }
    }

    /// The number of a name, which is added if the list does not have it.
    fn number(&mut self, name: &str) -> Result<u16, Error> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let number = self.list.push(name).ok_or_else(|| {
            let what = match self.list.kind() {
                ListKind::Players => "the number of players",
                ListKind::Tournaments => "the number of tournaments",
            };
            misfit(what, "65536", "65535 names in a list")
        })?;
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }
}

/// Black's discs, with the empty squares given to the winner.
fn discs(score: Score) -> Result<u8, Error> {
    match score.get() {
        score if score % 2 == 0 => Ok((score / 2 + 32) as u8),
        _ => Err(misfit("a result", &score.to_string(), "even results")),
    }
}

fn misfit(what: &'static str, found: &str, limit: &'static str) -> Error {
    Error::new(ErrorKind::DoesNotFit {
        format: Format::Wthor,
        what,
        found: Fault::cut(found),
        limit,
    })
}
