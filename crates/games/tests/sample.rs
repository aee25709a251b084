//! The sample archive in `examples/`: games that the engine inside played against itself.
//!
//! Every level plays every other one, with both colours, from each of ten openings. An answer of the engine depends on the
//! request alone, so the archive can be made again byte for byte.

use crate::support::sample;
use obook_engine::{Inside, Request, Searcher};
use obook_games::wthor::{Names, Writer};
use obook_games::{Date, Game, Score, Theoretical, names};
use obook_othello::{Line, Side};
use std::fs;

/// The players.
const LEVELS: [u8; 6] = [1, 2, 3, 4, 5, 6];
/// The tournaments.
const OPENINGS: [&str; 10] = [
    "Tiger",
    "Bent Ganglion",
    "Rabbit",
    "Horse",
    "Cow",
    "Buffalo",
    "Heath",
    "Snake",
    "Mimura",
    "Parallel",
];
const YEAR: u16 = 2026;
/// The number of empty squares at which the games are solved.
const SOLVED_AT: u8 = 14;

/// Plays on until neither side can move.
fn play(engine: &mut Inside, start: &Line, black: u8, white: u8) -> Line {
    let mut line = start.clone();
    while !line.board().is_over() {
        let level = match line.side() {
            Side::Black => black,
            Side::White => white,
        };
        let request = Request::new(line.board(), level).unwrap();
        line.push(engine.search(&request).unwrap().mv).unwrap();
    }
    line
}

/// The result with best play from [`SOLVED_AT`] empty squares, or the result of a game that ends before.
fn solve(engine: &mut Inside, game: &Line) -> Score {
    let lines = (0..=game.moves().len()).map(|len| game.prefix(len));
    let mut late = lines.filter(|line| line.board().empties() <= SOLVED_AT.into());
    let line = late.next().unwrap_or_else(|| game.clone());
    if let Some(score) = Score::at_end(&line) {
        return score;
    }
    let request = Request::new(line.board(), 1).unwrap();
    let answer = engine.search_to(&request, SOLVED_AT, 100).unwrap();
    assert!(answer.proven);
    let score = match line.side() {
        Side::Black => answer.score,
        Side::White => -answer.score,
    };
    Score::new(score).unwrap()
}

fn games() -> impl Iterator<Item = Game> {
    let mut engine = Inside::new();
    let pairs = LEVELS
        .into_iter()
        .flat_map(|black| LEVELS.map(|white| (black, white)));
    let matches = pairs.filter(|(black, white)| black != white);
    let games = matches.flat_map(|players| OPENINGS.map(|opening| (players, opening)));
    games.map(move |((black, white), opening)| {
        let start = &names::find(opening).unwrap().line;
        let mut game = Game::new(play(&mut engine, start, black, white));
        game.black.name = Some(format!("level {black}"));
        game.white.name = Some(format!("level {white}"));
        game.tournament = Some(opening.to_owned());
        game.date = Date::of_year(YEAR).unwrap();
        game.score = Score::at_end(game.line());
        game.theoretical = Some(Theoretical {
            score: solve(&mut engine, game.line()),
            empties: SOLVED_AT,
        });
        game
    })
}

/// With `OBOOK_RECORD` set, writes the archive anew.
#[test]
fn the_archive_agrees_with_the_engine() {
    let mut writer = Writer::new(Names::default(), Some(YEAR));
    games().for_each(|game| writer.write(&game).unwrap());
    assert_eq!(writer.games(), 300);
    let made = Date::new(Some(YEAR), Some(11), Some(22)).unwrap();
    let (games, names) = writer.finish(made);
    let lists = [names.players, names.tournaments].map(|list| list.unwrap().encode(made));
    let [players, tournaments] = lists;
    let files = [("wtb", games), ("jou", players), ("trn", tournaments)];
    for (extension, bytes) in files {
        let file = sample(extension);
        if std::env::var_os("OBOOK_RECORD").is_some() {
            fs::write(&file, &bytes).unwrap();
        }
        assert!(
            fs::read(&file).unwrap() == bytes,
            "{} is out of date: set OBOOK_RECORD to write it anew",
            file.display()
        );
    }
}
