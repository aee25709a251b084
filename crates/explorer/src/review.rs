//! A line judged move by move: by the book, and beyond it by obook's own engine, level after level.

use crate::api::{Losses, Review, ReviewedMove};
use crate::hint::{LIMIT, Searching, or_stopped, request, search};
use crate::problem::Problem;
use crate::stream::Lines;
use obook::read::played::{Judgement, Played, SearchedMove, Tally};
use obook::read::remarks::with_remarks;
use obook_engine::{Inside, Searcher};
use obook_games::{Format, Game, Reader, write_ggf, write_sgf};
use obook_othello::{Line, Side};
use std::collections::BTreeMap;
use std::io::Cursor;

/// The default level.
pub(crate) const USUAL: u8 = 10;
/// With this many empty squares or fewer, positions are searched to the end of the game, as `obook check` does.
const EXACT: u32 = 16;
/// The level at which the engine searches to the end of the game.
const TO_THE_END: u8 = 60;
/// From one answer to the next.
const STEP: usize = 4;

/// The game with this record in GGF, if there is one, whose moves must be those of the line.
pub(crate) fn game_of(line: Line, record: Option<&str>) -> Result<Game, Problem> {
    let Some(record) = record else {
        return Ok(Game::new(line));
    };
    let record = Cursor::new(record.as_bytes().to_vec());
    let mut games = Reader::new(record, None, Some(Format::Ggf)).map_err(Problem::wrong)?;
    let entry = games.next().transpose().map_err(Problem::wrong)?;
    let game = entry.map(|entry| entry.game);
    let game = game.filter(|game| *game.line() == line);
    game.ok_or_else(|| Problem::wrong("expected the record of a game with the same moves"))
}

/// Searches the positions that the book lacks, up to a level, or until the result is dropped.
pub(crate) fn start(played: Played, game: Game, highest: u8, lines: Lines) -> Searching {
    search(lines, LIMIT, move |lines, stop| {
        let mut searcher = Inside::new();
        let mut found: BTreeMap<usize, SearchedMove> = BTreeMap::new();
        let levels = (2..highest).step_by(STEP).chain([highest]);
        for level in levels {
            let mut is_certain = true;
            for (index, board) in played.questions() {
                if found.get(&index).is_some_and(|known| known.proven) {
                    continue;
                }
                let level = match board.empties() {
                    ..=EXACT => TO_THE_END,
                    _ => level,
                };
                let answer = searcher.search(&request(board, level, stop));
                let answer = answer.map_err(or_stopped)?;
                is_certain &= answer.proven;
                let (mv, score, proven) = (answer.mv, answer.score, answer.proven);
                found.insert(index, SearchedMove { mv, score, proven });
            }
            let review = reviewed(level, &game, &played.judge(&found));
            lines.write(&review).map_err(|_| None)?;
            lines.flush().map_err(|_| None)?;
            if is_certain {
                break;
            }
        }
        Ok(())
    })
}

fn reviewed(level: u8, game: &Game, judgement: &Judgement) -> Review {
    let moves = judgement.moves.iter().map(|judged| ReviewedMove {
        square: judged.mv.to_string(),
        value: judged.after.to_black(judged.side).score,
        source: judged.after.source.name().to_owned(),
        loss: judged.loss,
        best: judged.best.map(|best| best.to_string()),
    });
    let remarked = with_remarks(game, judgement);
    Review {
        level,
        value: judgement.start.score,
        black: losses(judgement.tally(Side::Black, None)),
        white: losses(judgement.tally(Side::White, None)),
        moves: moves.collect(),
        ggf: write_ggf(&remarked) + "\n",
        sgf: write_sgf(&remarked) + "\n",
    }
}

fn losses(tally: Tally) -> Losses {
    Losses {
        moves: tally.moves,
        best: tally.best,
        loss: tally.loss,
        mean: tally.mean_loss(),
    }
}
