//! A run: searches go to engines, and their answers go into the book.

use super::{Grown, Options, Question, Standing};
use crate::Result;
use crate::pace::Pace;
use crate::report::{Failed, Stopped, note};
use crate::search::{Failures, Gather, Next, Reply, Workers};
use obook_engine::{Go, ShogiAnswer};
use obook_shogi::database::fix::compute;
use obook_shogi::database::grow::{self, Search};
use obook_shogi::games::Game;
use obook_shogi::{BookMove, Packed, Sfen};
use obook_store::{Change, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::num::NonZeroU16;
use std::time::Instant;

/// The results of searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Searches with an answer.
    pub searches: u64,
    /// Positions that were added.
    pub added: u64,
    /// Moves that are new or have another score.
    pub moves: u64,
    /// Searches without an answer.
    pub failed: u64,
}

impl Totals {
    /// The difference from earlier counts.
    fn since(self, then: Totals) -> Totals {
        Totals {
            searches: self.searches - then.searches,
            added: self.added - then.added,
            moves: self.moves - then.moves,
            failed: self.failed - then.failed,
        }
    }
}

/// The place of a run in a recipe. The history keeps it, so that the next run begins there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Place {
    /// The recipe, as it was written then: perhaps by an obook that knew other rules.
    pub(super) recipe: Value,
    /// The stage, 0 for the first.
    pub(super) stage: usize,
    /// The searches of the stage.
    pub(super) searches: u64,
    /// Positions that wait for more moves, in SFEN. Those that wait for their first are in the book without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) more: Vec<String>,
}

impl Place {
    /// Whether the run has no recipe.
    fn is_nowhere(&self) -> bool {
        self.recipe.is_null()
    }

    /// The positions that wait for more moves.
    pub(super) fn wanting_more(&self) -> Vec<Packed> {
        let boards = self.more.iter().map(|text| text.parse::<Sfen>());
        boards.flatten().map(|sfen| sfen.board.key()).collect()
    }

    /// Lets these positions wait for more moves, and no others.
    pub(super) fn want_more(&mut self, positions: Vec<Packed>) {
        self.more = positions.into_iter().filter_map(sfen).collect();
    }

    /// Takes positions that have been searched off the list.
    fn got_more(&mut self, positions: impl Iterator<Item = Packed>) {
        if !self.more.is_empty() {
            let searched: HashSet<String> = positions.filter_map(sfen).collect();
            self.more.retain(|waiting| !searched.contains(waiting));
        }
    }
}

/// The name of a position.
fn sfen(key: Packed) -> Option<String> {
    key.board().ok().map(|board| board.to_string())
}

/// The counts of a run, and its place in the recipe, as the history keeps them.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Counts {
    #[serde(flatten)]
    pub(super) totals: Totals,
    #[serde(skip_serializing_if = "Place::is_nowhere")]
    pub(super) place: Place,
}

/// A run on its way.
pub(super) struct Run<'a> {
    pub(super) store: &'a mut Store,
    pub(super) counts: Counts,
    /// The positions of the book, which a wave doesn't change.
    positions: u64,
    /// The report, as far as it is known.
    pub(super) grown: Grown,
    in_a_row: Failures,
    /// The searches of a wave that have not begun.
    rest: VecDeque<Search>,
    /// Answers on their way into the book.
    found: Vec<(Search, Vec<BookMove>)>,
    /// Positions that aren't searched again: nothing comes of it.
    pub(super) idle: HashSet<Packed>,
    /// The counts before that change, and as they were committed last.
    counts_before: Totals,
    committed: Totals,
    pub(super) root: &'a Game,
    pub(super) options: &'a Options,
    pace: Pace,
    begun: Instant,
    tell: &'a mut dyn FnMut(&Standing),
}

impl<'a> Run<'a> {
    pub(super) fn new(
        store: &'a mut Store,
        root: &'a Game,
        options: &'a Options,
        tell: &'a mut dyn FnMut(&Standing),
    ) -> Result<Run<'a>> {
        let (positions, _) = grow::sizes(store)?;
        Ok(Run {
            grown: Grown {
                positions_before: positions,
                root_before: grow::value(store, root.board())?,
                ..Grown::default()
            },
            store,
            counts: Counts::default(),
            positions,
            in_a_row: Failures::default(),
            rest: VecDeque::new(),
            found: Vec::new(),
            idle: HashSet::new(),
            counts_before: Totals::default(),
            committed: Totals::default(),
            root,
            options,
            pace: Pace::new(options.batch, &options.clock),
            begun: options.clock.now(),
            tell,
        })
    }

    /// Counts the positions, and returns how many of them have moves.
    pub(super) fn count(&mut self) -> Result<u64> {
        let (positions, filled) = grow::sizes(self.store)?;
        self.positions = positions;
        Ok(filled)
    }

    /// How far it is.
    pub(super) fn standing(&self) -> Result<Standing> {
        Ok(Standing {
            totals: self.counts.totals,
            left: self.rest.len() as u64,
            positions: self.positions,
            seconds: self.options.clock.since(self.begun).as_secs_f64(),
            root: grow::value(self.store, self.root.board())?,
        })
    }

    /// The chosen searches that haven't been made yet: those of positions without moves, and those for more moves.
    pub(super) fn waiting(&self, moves: NonZeroU16) -> Result<Vec<Search>> {
        let mut searches = grow::lacking_moves(self.store, moves)?;
        let more = self.counts.place.wanting_more();
        searches.extend(grow::for_more_moves(self.store, &more, moves)?);
        Ok(searches)
    }

    fn deadline(&self) -> Option<Instant> {
        self.begun.checked_add(self.options.time?)
    }

    /// How many more searches may begin.
    fn left(&self) -> u64 {
        let limit = self.options.limit.unwrap_or(u64::MAX);
        let totals = self.counts.totals;
        limit.saturating_sub(totals.searches + totals.failed)
    }

    /// Whether nothing more begins, for whatever reason.
    pub(super) fn is_over(&mut self) -> bool {
        let is_late = |deadline| self.options.clock.now() >= deadline;
        if self.options.stop.is_set() {
            self.grown.stopped.get_or_insert(Stopped::Told);
        } else if self.deadline().is_some_and(is_late) {
            self.grown.stopped.get_or_insert(Stopped::Time);
        } else if self.left() == 0 {
            self.grown.stopped.get_or_insert(Stopped::Limit);
        }
        self.grown.stopped.is_some()
    }

    /// Fixes the book, if it isn't.
    pub(super) fn fix(&mut self) -> Result<()> {
        if self.store.is_fixed()? {
            return Ok(());
        }
        self.change(|change, _| Ok(compute(change)?)).map(drop)
    }

    /// Makes a part of the change that this run is. If another change has come between, it is a change of its own.
    pub(super) fn change<T>(
        &mut self,
        make: impl FnOnce(&Change<'_>, &mut Counts) -> Result<T>,
    ) -> Result<T> {
        let last = self.grown.change;
        let change = self.store.continue_change(last)?;
        if last.is_some_and(|last| last != change.number()) {
            self.counts_before = self.committed;
        }
        let made = make(&change, &mut self.counts)?;
        let totals = self.counts.totals.since(self.counts_before);
        let place = self.counts.place.clone();
        if let Some(number) = change.commit(&Counts { totals, place })? {
            self.grown.change = Some(number);
            self.committed = self.counts.totals;
        }
        Ok(made)
    }

    /// Makes at most `most` of these searches and takes in their answers, but does not fix the book.
    pub(super) fn wave(
        &mut self,
        workers: &mut dyn Workers<Question>,
        searches: Vec<Search>,
        go: Go,
        most: u64,
    ) -> Result<()> {
        let most = usize::try_from(most.min(self.left())).unwrap_or(usize::MAX);
        self.rest = searches.into_iter().take(most).collect();
        let progress = self.store.context().progress();
        progress.step("searching", Some(self.rest.len() as u64));
        let mut in_a_row = std::mem::take(&mut self.in_a_row);
        let (stop, clock) = (&self.options.stop, &self.options.clock);
        let mut gather = Gather::new(workers, &mut in_a_row, stop, clock);
        let asked = self.ask(&mut gather, go);
        // Answers that came before an engine died count.
        self.take_in()?;
        gather.taken_in()?;
        self.in_a_row = in_a_row;
        asked
    }

    fn ask(&mut self, gather: &mut Gather<'_, Question>, go: Go) -> Result<()> {
        let stop = &self.options.stop;
        loop {
            while !self.is_over()
                && gather.has_room()
                && let Some(search) = self.rest.pop_front()
            {
                match grow::known(&search) {
                    Some(moves) => self.found.push((search, moves)),
                    None => gather.ask(Question { search, go })?,
                }
            }
            let due = self.pace.due().filter(|_| !self.found.is_empty());
            let until = self.deadline().into_iter().chain(due).min();
            match gather.next(until)? {
                Next::Reply(reply) => self.receive(*reply),
                Next::Due => {}
                Next::End if self.rest.is_empty() || self.is_over() => return Ok(()),
                Next::End => {}
            }
            if self.is_over() && self.grown.stopped == Some(Stopped::Time) {
                // Ends what is being searched.
                stop.set();
            }
            if self.pace.is_due(self.found.len()) {
                self.take_in()?;
                gather.taken_in()?;
            }
        }
    }

    fn receive(&mut self, reply: Reply<Question>) {
        self.store.context().progress().advance(1);
        match &reply.answer {
            Ok(answers) => {
                self.counts.totals.searches += 1;
                self.counts.place.searches += 1;
                let search = reply.question.search;
                self.found.push((search, listed(&search, answers)));
            }
            Err(why) => {
                self.counts.totals.failed += 1;
                self.idle.insert(reply.question.search.key);
                Failed::add(&mut self.grown.failures, &reply, why);
            }
        }
    }

    fn take_in(&mut self) -> Result<()> {
        if self.found.is_empty() {
            return Ok(());
        }
        let begun = self.options.clock.now();
        let found = std::mem::take(&mut self.found);
        let taken = self.change(|change, counts| {
            let taken = grow::take_in(change, &found)?;
            counts.totals.moves += taken.moves;
            let searched = found.iter().map(|(search, _)| search.key);
            counts.place.got_more(searched);
            Ok(taken)
        })?;
        self.idle.extend(taken.idle);
        self.pace.taken_in(self.options.clock.since(begun));
        let standing = self.standing()?;
        self.store.context().progress().note(&note(
            standing.totals.searches,
            standing.seconds,
            Some(standing.positions),
            standing.root,
        ));
        (self.tell)(&standing);
        Ok(())
    }
}

/// The moves that an answer lists.
fn listed(search: &Search, answers: &[ShogiAnswer]) -> Vec<BookMove> {
    let Some(mv) = search.mv else {
        let listed = answers.iter().map(|answer| BookMove {
            ponder: answer.ponder,
            score: Some(answer.score),
            depth: answer.depth,
            ..BookMove::new(answer.mv)
        });
        return listed.collect();
    };
    // The position after the move was asked about, seen by the other side.
    let listed = answers.iter().take(1).map(|answer| BookMove {
        ponder: Some(answer.mv.turned()),
        score: Some(-answer.score),
        depth: answer.depth.map(|depth| depth + 1),
        ..BookMove::new(mv)
    });
    listed.collect()
}
