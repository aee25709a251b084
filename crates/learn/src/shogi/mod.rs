//! Growing books of shogi, with engines that speak USI.
//!
//! The queue is in the book itself: positions without moves. So a run may end at any moment. Such positions are searched
//! first, whatever the rule; then the book is fixed, and the rule chooses again. A choice is one transaction, and depends on nothing but
//! the book. So the finished book depends neither on the order of the answers nor on interruptions.

mod question;
mod recipe;
mod run;

pub use question::{Question, USI};
pub use recipe::{Recipe, Rule, Stage};
pub use run::Totals;

use crate::lock::RunLock;
use crate::report::{Failed, Stopped};
use crate::search::{Clock, Trusted, Workers};
use crate::state::stage_at_work;
use crate::{Error, Result};
use obook::read::lookup::rows_where;
use obook_engine::{Go, Stop};
use obook_shogi::database::SHOGI;
use obook_shogi::database::extract::{ExtractOptions, played};
use obook_shogi::database::games::Condition;
use obook_shogi::database::grow::{self, Next, Search};
use obook_shogi::games::Game;
use obook_shogi::{Packed, Scope};
use obook_store::{Change, Context, Store};
use run::{Place, Run};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::num::{NonZeroU16, NonZeroUsize};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// Hires those who search.
pub type Hire<'a> = dyn FnMut() -> Result<Box<dyn Workers<Question>>> + 'a;

/// How to search, and when to end.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long each search lasts. `None`: as the stages of a recipe say.
    pub go: Option<Go>,
    /// The number of moves to ask for in a position.
    pub moves: NonZeroU16,
    /// The time for all searches.
    pub time: Option<Duration>,
    /// The greatest number of searches.
    pub limit: Option<u64>,
    /// The number of answers that go into the book at once; `None`: all that come in a few seconds.
    pub batch: Option<NonZeroUsize>,
    /// Games for the rules that need them.
    pub games: Option<Rc<Games>>,
    /// Ends the run, from any thread.
    pub stop: Stop,
    /// Tells the time.
    pub clock: Clock,
}

/// Games of a database.
#[derive(Debug)]
pub struct Games {
    /// The database.
    pub store: Store,
    /// Only games that meet it.
    pub condition: Condition,
}

/// Which of the searches that a book waits for are made.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only positions for which this SQL condition on the columns of table `positions` holds.
    pub condition: Option<String>,
    /// Only the end of this line and what it leads to.
    pub from: Option<Game>,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Standing {
    /// The results so far.
    #[serde(flatten)]
    pub totals: Totals,
    /// Searches that are left in this wave.
    pub left: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// The own score of the root as of the last fix, in centipawns for its side to move.
    pub root: Option<i32>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Grown {
    /// The number of the change in the book's history; `None`: nothing changed.
    pub change: Option<i64>,
    /// How far it came.
    #[serde(flatten)]
    pub standing: Standing,
    /// The name of the engine.
    pub engine: String,
    /// Positions of the book before.
    pub positions_before: u64,
    /// The own score of the root before.
    pub root_before: Option<i32>,
    /// The first searches without an answer, with the reasons.
    pub failures: Vec<Failed>,
    /// The workers that were refused, but not before answers of theirs had counted because they were the only ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<Trusted>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
}

/// Searches what a book lacks: the moves of positions without a move out of the book, and the scores of such moves. Afterwards the book is
/// fixed.
///
/// The whole run is one change in the book's history, as long as nobody else changes the book meanwhile. `tell` is called whenever
/// answers have gone in.
///
/// # Errors
/// Fails if nobody can be hired, and returns [`Error::NoAnswer`] after too many failures in a row. Fails if SQLite
/// refuses the condition, or the book can't be read or written. Answers taken in before stay.
pub fn search(
    store: &mut Store,
    choice: &Choice,
    options: &Options,
    hire: &mut Hire<'_>,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Grown> {
    let go = options.go.ok_or(Error::NoGo)?;
    let root = choice.from.clone().unwrap_or_default();
    let mut workers = hire()?;
    let mut run = Run::new(store, &root, options, tell)?;
    let mut searched = || {
        run.fix()?;
        run.store.context().progress().step("choosing", None);
        let searches = chosen(run.store, choice, options.moves)?;
        run.wave(&mut *workers, searches, go, u64::MAX)?;
        let mut left = chosen(run.store, choice, options.moves)?;
        left.retain(|search| !run.idle.contains(&search.key));
        Ok(left.len() as u64)
    };
    let left = searched();
    run.end(&*workers, left)
}

/// The searches that a book waits for and that are meant.
fn chosen(store: &Store, choice: &Choice, moves: NonZeroU16) -> Result<Vec<Search>> {
    let mut searches = grow::lacking(store, moves)?;
    if let Some(condition) = &choice.condition {
        let sql = |holds: &str| format!("SELECT board FROM positions WHERE {holds}");
        let key = |row: &Row<'_>| Ok(Some(Packed(row.get(0)?)));
        let reader = store.reader()?;
        let keys = rows_where(&reader, Some(condition), sql, key)?;
        let keys: HashSet<Packed> = keys.into_iter().collect();
        searches.retain(|search| keys.contains(&search.key));
    }
    if let Some(line) = &choice.from {
        let reached = grow::below(store, line.board())?;
        searches.retain(|search| reached.contains(&search.key));
    }
    Ok(searches)
}

/// Opens a book for learning. One that doesn't exist is created, without positions.
///
/// # Errors
/// If the database can't be opened or created.
pub fn open_book(path: &Path, context: &Context) -> Result<Store> {
    if !path.exists() {
        grow::create(path, context)?;
    }
    Ok(Store::open_for_writing(&SHOGI, path, context)?)
}

/// Grows a book by a recipe, in stages. Afterwards the book is fixed.
///
/// The whole run is one change in the book's history, as long as nobody else changes the book meanwhile; then the next run of the same
/// recipe begins in the stage in which this one ended.
///
/// # Errors
/// As [`search`], and if another run is in progress, the recipe's line isn't one, or neither the options nor a stage say how long to
/// search.
pub fn learn(
    store: &mut Store,
    recipe: &Recipe,
    root: &Game,
    options: &Options,
    hire: &mut Hire<'_>,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Grown> {
    let _lock = RunLock::take(store.path(), Duration::ZERO)?;
    let mut workers = hire()?;
    let place = Place::last(store, recipe)?;
    let mut run = Run::new(store, root, options, tell)?;
    run.counts.place = place;
    let learned = run.stages(&mut *workers, recipe);
    run.end(&*workers, learned)
}

impl Place {
    /// The place where the last run of the recipe ended, or the first stage if the book has changed since.
    fn last(store: &Store, recipe: &Recipe) -> Result<Place> {
        let recipe = serde_json::to_value(recipe).expect("a recipe is text and numbers");
        let last = Place::stored(store)?;
        let last = last.filter(|(place, is_latest)| *is_latest && place.recipe == recipe);
        let first = Place {
            recipe,
            ..Place::default()
        };
        Ok(last.map_or(first, |(place, _)| place))
    }

    /// The place where the last run of any recipe ended, and whether the book is as that left it.
    fn stored(store: &Store) -> Result<Option<(Place, bool)>> {
        #[derive(Deserialize)]
        struct Learned {
            place: Place,
        }
        let sql = "SELECT counts, id = max(id) OVER () FROM history WHERE undone IS NULL ORDER BY id DESC";
        let columns = |row: &Row<'_>| Ok((row.get::<_, Option<String>>(0)?, row.get(1)?));
        let found = store.read(|connection| {
            let mut select = connection.prepare(sql)?;
            for row in select.query_map([], columns)? {
                let (counts, is_latest) = row?;
                let counts = counts.and_then(|it| serde_json::from_str(&it).ok());
                if let Some(Learned { place }) = counts {
                    return Ok(Some((place, is_latest)));
                }
            }
            Ok(None)
        });
        Ok(found?)
    }
}

/// How far learning is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Status {
    /// The last recipe; `None` if there was none, or if this obook does not know it.
    pub recipe: Option<Recipe>,
    /// Its stage; 1 is the first; `None`: all are done.
    pub stage: Option<usize>,
    /// Answers since the stage began.
    pub searches: u64,
    /// Positions that wait to be searched.
    pub waiting: u64,
    /// Whether the book has changed since, so that the recipe will begin with its first stage.
    pub outdated: bool,
}

/// Reads how far learning is in a book.
///
/// # Errors
/// Fails if the book can't be read.
pub fn status(book: &Store) -> Result<Status> {
    let last = Place::stored(book)?;
    let (place, is_latest) = last.unwrap_or_else(|| (Place::default(), true));
    let recipe: Option<Recipe> = serde_json::from_value(place.recipe.clone()).ok();
    // A recipe that this obook doesn't know has no place.
    let place = recipe.as_ref().map(|_| place).unwrap_or_default();
    let waiting = grow::lacking_moves(book, NonZeroU16::MIN)?.len() + place.more.len();
    Ok(Status {
        stage: stage_at_work(place.stage, recipe.as_ref().map(|it| it.stages.len())),
        recipe,
        searches: place.searches,
        waiting: waiting as u64,
        outdated: !is_latest,
    })
}

impl Run<'_> {
    /// Makes the stages that are left. Returns how many positions wait to be searched.
    fn stages(&mut self, workers: &mut dyn Workers<Question>, recipe: &Recipe) -> Result<u64> {
        while let Some(stage) = recipe.stages.get(self.counts.place.stage)
            && !self.is_over()
        {
            if self.stage(workers, stage)? {
                self.counts.place.stage += 1;
                self.counts.place.searches = 0;
                self.counts.place.more.clear();
            }
        }
        Ok(self.waiting(self.options.moves)?.len() as u64)
    }

    /// Makes a wave of a stage. Returns whether the stage is over.
    fn stage(&mut self, workers: &mut dyn Workers<Question>, stage: &Stage) -> Result<bool> {
        let options = self.options;
        let go = stage.go.or(options.go).ok_or(Error::NoGo)?;
        let moves = stage.moves.unwrap_or(options.moves);
        let positions = self.count()?;
        let [most, room] = stage.until.left(self.counts.place.searches, positions);
        if most == 0 || room == 0 {
            return Ok(true);
        }
        let mut searches = self.waiting(moves)?;
        searches.retain(|search| !self.idle.contains(&search.key));
        if searches.is_empty() {
            self.store.context().progress().step("choosing", None);
            match self.choose(stage, room)? {
                Next::Added(_) => return Ok(false),
                Next::Moves(positions) => {
                    searches = grow::for_more_moves(self.store, &positions, moves)?;
                    self.counts.place.want_more(positions);
                }
                Next::Nothing if stage.rule == Rule::Complete => {
                    self.fix()?;
                    searches = grow::lacking(self.store, moves)?;
                    searches.retain(|search| !self.idle.contains(&search.key));
                }
                Next::Nothing => {}
            }
        }
        let is_over = searches.is_empty();
        self.wave(workers, searches, go, most)?;
        Ok(is_over)
    }

    /// Lets the rule of a stage choose, at most as many positions as there is room for.
    fn choose(&mut self, stage: &Stage, room: u64) -> Result<Next> {
        let root = self.root;
        let most = usize::try_from(room).unwrap_or(usize::MAX);
        match stage.rule {
            Rule::Complete => Ok(Next::Nothing),
            Rule::Played { min_games } => {
                let rule = stage.rule.name();
                let games = self.options.games.as_deref();
                let games = games.ok_or(Error::NoGames { rule })?;
                let which = ExtractOptions {
                    min_games,
                    depth: stage.depth.unwrap_or(u32::MAX),
                    side: None,
                    condition: games.condition.clone(),
                };
                let first = u32::try_from(root.moves().len() + 1).unwrap_or(u32::MAX);
                let book = played(&games.store, root.board(), first, &which)?;
                self.add(|change| grow::add_positions(change, &book, most))
            }
            Rule::BestFirst { error } => {
                let scope = Scope {
                    root: root.board().key(),
                    error: error.into(),
                    depth: stage.depth,
                    most,
                };
                let idle = self.idle.clone();
                self.add(|change| grow::choose(change, root, &scope, |key| idle.contains(&key)))
            }
        }
    }

    /// Adds what a rule chooses.
    fn add(
        &mut self,
        choose: impl FnOnce(&Change<'_>) -> obook_store::Result<Next>,
    ) -> Result<Next> {
        self.change(|change, counts| {
            let next = choose(change)?;
            if let Next::Added(count) = next {
                counts.totals.added += count;
            }
            Ok(next)
        })
    }

    /// Fixes the book, whether or not all went well, and says what has come of it.
    fn end(mut self, workers: &dyn Workers<Question>, left: Result<u64>) -> Result<Grown> {
        self.fix()?;
        self.count()?;
        let left = left?;
        let mut doubtful = workers.trusted();
        doubtful.retain(|trusted| trusted.refused);
        Ok(Grown {
            standing: Standing {
                left,
                ..self.standing()?
            },
            engine: workers.name().to_owned(),
            doubtful,
            ..self.grown
        })
    }
}
