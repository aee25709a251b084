//! What the next wave is.

use super::chosen::each_once;
use super::queue::{Queue, links, links_in};
use super::run::{Run, Working};
use super::state::State;
use super::{Chosen, Place, Recipe, Rule, Stage, Variation, Want};
use crate::search::as_strong_as;
use obook_book::{Error, Result, Store};
use obook_model::Leaf;
use obook_othello::CanonicalBoard;
use std::time::Instant;

impl Run<'_> {
    /// Levels of another engine mean something else.
    pub(crate) fn drop_tasks_of_others(&mut self, working: &Working<'_>) -> Result<()> {
        let engine = working.engine;
        let path = self.reader.path().to_owned();
        self.store.aside(|connection| {
            let dropped = Queue(connection).drop_all_but(engine);
            dropped.map_err(Error::sqlite(&path, "write"))
        })
    }

    /// Lets variations go on whose boards have come into the book.
    pub(crate) fn go_on(&mut self, working: &mut Working<'_>) -> Result<()> {
        let (level, engine) = (working.level, working.engine);
        let (reader, depth) = (&self.reader, working.depth);
        let failed = || Error::sqlite(reader.path(), "write");
        self.store.aside(|connection| {
            let queue = Queue(connection);
            let mut next = Vec::new();
            for task in queue.take_waiting().map_err(failed())? {
                let Want::Variation(variation) = task.want else {
                    continue;
                };
                if let Some((board, variation)) = after(reader, task.board, variation, depth)? {
                    next.push(Chosen {
                        board,
                        want: Want::Variation(variation),
                        level: Some(task.level),
                        priority: board.board().empties().into(),
                    });
                }
            }
            for chosen in each_once(next, level) {
                if reader.numbers(chosen.board)?.is_some() {
                    continue;
                }
                let without = links_in(reader, chosen.board)?;
                let level = chosen.level.unwrap_or(level);
                let pushed = queue.push(&chosen, without, level, engine);
                pushed.map_err(failed())?;
            }
            Ok(())
        })
    }

    /// Queues the positions that lack a leaf; says whether there are any.
    pub(crate) fn complete(&mut self, working: &Working<'_>) -> Result<bool> {
        let engine = working.engine;
        let lacking = Queue(self.reader.connection())
            .lacking()
            .map_err(self.failed("read"))?;
        let reader = &self.reader;
        let failed = || Error::sqlite(reader.path(), "write");
        self.store.aside(|connection| {
            let mut any = false;
            for (board, lost) in lacking {
                let level = lost.map_or(working.level, |lost| as_strong_as(lost, engine, 0, board));
                let chosen = Chosen {
                    board,
                    want: Want::Leaf,
                    level: None,
                    priority: board.board().empties().into(),
                };
                let without = links_in(reader, board)?;
                any |= Queue(connection)
                    .push(&chosen, without, level, engine)
                    .map_err(failed())?;
            }
            Ok(any)
        })
    }

    /// Lets the rule choose, or ends the stage where all its turns came to nothing or it has done what it was to do.
    pub(crate) fn choose(&mut self, working: &mut Working<'_>) -> Result<()> {
        let begun = Instant::now();
        let stage = working.stage;
        let engine = working.engine;
        self.progress.step("choosing", None);
        let most = self.most(stage)?;
        let is_over = most == 0 || self.state.idle >= stage.rule.turns();
        let mut chosen = Vec::new();
        let mut graph = None;
        if !is_over {
            let book = self.in_memory.book(&self.store)?;
            let place = Place {
                book,
                root: self.recipe.root(),
                scoring: self.reader.header()?.negamax_rules(),
                depth: working.depth,
                level: working.level,
                engine,
                turn: self.state.turn,
                played: &self.options.played,
            };
            chosen = wanted(self.recipe, &stage.rule, &place, most);
            graph = Some(book);
        }
        let state = match is_over {
            true => State {
                stage: self.state.stage + 1,
                ..State::default()
            },
            false => State {
                turn: self.state.turn + 1,
                idle: self.state.idle + 1,
                ..self.state
            },
        };
        let path = self.reader.path().to_owned();
        let failed = || Error::sqlite(&path, "write");
        self.store.aside(|connection| {
            for it in &chosen {
                let graph = graph.as_ref().expect("who chose has read the book");
                let without = links(it.board, |child| Ok(graph.find(child).is_some()))?;
                let level = it.level.unwrap_or(working.level);
                let pushed = Queue(connection).push(it, without, level, engine);
                pushed.map_err(failed())?;
            }
            state.write(connection).map_err(failed())
        })?;
        self.state = state;
        working.choosing += begun.elapsed();
        Ok(())
    }

    /// How many searches the stage may still begin.
    fn most(&self, stage: &Stage) -> Result<u64> {
        let searches = stage.until.searches.unwrap_or(u64::MAX);
        let is_large = match stage.until.positions {
            Some(positions) => self.reader.counts()?.rows().positions >= positions,
            None => false,
        };
        Ok(match is_large {
            true => 0,
            false => searches.saturating_sub(self.state.searches),
        })
    }
}

/// What a rule wants, the most important first and no more than so many; before that the way to the root.
pub(crate) fn wanted(recipe: &Recipe, rule: &Rule, place: &Place<'_>, most: u64) -> Vec<Chosen> {
    let way = recipe.way().into_iter();
    let missing = way.filter_map(|board| place.missing(board));
    let mut chosen: Vec<Chosen> = missing.collect();
    if chosen.is_empty() {
        chosen = rule.choose(place);
    }
    chosen.sort_unstable_by(|a, b| {
        let by_priority = b.priority.total_cmp(&a.priority);
        by_priority.then_with(|| a.board.cmp(&b.board))
    });
    chosen.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    chosen
}

/// Where a variation goes on from a position that it has brought into the book: by its leaf, where that is its best move and does
/// not fall short.
fn after(
    book: &Store,
    board: CanonicalBoard,
    variation: Variation,
    depth: u8,
) -> Result<Option<(CanonicalBoard, Variation)>> {
    let Some(position) = book.position(board)? else {
        return Ok(None);
    };
    // By Egaroucid's rules values come from links alone: a leaf may be worth more than its position.
    let is_best = |leaf: &Leaf| position.value <= Some(leaf.score.into());
    let Some(Leaf {
        mv: Some(mv),
        score,
        ..
    }) = position.leaf.filter(is_best)
    else {
        return Ok(None);
    };
    let board = board.board();
    let worth = i16::from(score);
    let has_room = board.empties() >= u32::from(61u8.saturating_sub(depth));
    if !has_room || !variation.goes_on(worth) {
        return Ok(None);
    }
    let child = board.play(mv).map(|child| child.canonical());
    Ok(child.map(|child| (child, variation.after(worth))))
}
