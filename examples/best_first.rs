//! Which rule settles the value of the root best in the same search time?
//!
//! ```sh
//! cargo run --release --example best_first -- docs/best-first.svg
//! ```
//!
//! For each opening and each rule, a book is grown from nothing by searches at one low level. The number of positions that these
//! searches visit, which determines the time, is printed too. The reference is the same engine's score of the opening at a high
//! level. Whenever a value is plotted, no leaf is missing in the book: each rule gets a number of searches, which includes those
//! for missing leaves.
//!
//! Rules are compared in pairs, opening by opening: means over the same openings differ by less than means over different ones.
//!
//! Another seed gives other openings. Other experiments have a level, a number of openings and a number of searches for each book:
//!
//! ```sh
//! cargo run --release --example best_first -- other.svg 2 4:2000:800 6:100:400
//! ```

use obook::Context;
use obook::plot::{Across, Chart, Curve, Panel};
use obook_engine::{Answer, EngineChoice, Request, SearchError, Searcher, Stop};
use obook_games::names::openings;
use obook_learn::search::Threads;
use obook_learn::{LearnOptions, Recipe, Rule, Stage, learn, open_book};
use obook_othello::{Board, Engine, Line};
use rayon::prelude::*;
use std::collections::HashSet;
use std::error::Error;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The level of the reference.
const TRUTH: u8 = 20;
/// The lengths of openings in plies.
const PLIES: std::ops::RangeInclusive<usize> = 6..=18;
/// Moves added to named openings lose at most `ERROR` discs, by searches at level `SEEN`.
const ERROR: i16 = 4;
const SEEN: u8 = 2;
/// The numbers of searches, including that of the opening itself, after which the value of the root is taken.
const LOOKS: [u64; 5] = [50, 100, 200, 400, 800];
/// The first look at which rules are compared; earlier ones are too random.
const COMPARED: usize = 1;

/// The searches that books are grown by.
struct Experiment {
    level: u8,
    openings: usize,
    /// The number of searches for each book.
    searches: u64,
}

const EXPERIMENTS: [&str; 3] = ["2:600:800", "4:600:800", "8:100:400"];

impl FromStr for Experiment {
    type Err = String;

    fn from_str(text: &str) -> Result<Experiment, String> {
        let read = || {
            let (level, rest) = text.split_once(':')?;
            let (openings, searches) = rest.split_once(':')?;
            Some(Experiment {
                level: level.parse().ok()?,
                openings: openings.parse().ok()?,
                searches: searches.parse().ok()?,
            })
        };
        read().ok_or_else(|| format!("{text}: expected LEVEL:OPENINGS:SEARCHES, such as 4:600:800"))
    }
}

fn rules() -> [(&'static str, Rule); 3] {
    let deviate = Rule::Deviate {
        relative: 2,
        absolute: 4,
    };
    let egaroucid = Rule::EgaroucidDeviate {
        per_move: Some(2),
        sum: Some(2),
        leaf: Some(2),
    };
    [
        ("best-first", Rule::BestFirst { least: 0.0 }),
        ("deviate 2 4", deviate),
        ("Egaroucid's 2 2 2", egaroucid),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let seed = arguments.next().map_or(Ok(1), |it| it.parse())?;
    let mut experiments: Vec<String> = arguments.collect();
    if experiments.is_empty() {
        experiments = EXPERIMENTS.map(String::from).to_vec();
    }
    let experiments: Vec<Experiment> = experiments
        .iter()
        .map(|it| it.parse())
        .collect::<Result<_, String>>()?;
    let most = experiments.iter().map(|it| it.openings).max();
    let roots = roots(seed, most.unwrap_or(0))?;
    let truths: Vec<f64> = roots
        .par_iter()
        .map(|root| Ok(score(root.board(), TRUTH)?.into()))
        .collect::<Result<_, String>>()?;
    println!("truth of level {TRUTH}: mean error in discs");
    let panels: Vec<Panel> = experiments
        .iter()
        .map(|experiment| panel(&roots[..experiment.openings], &truths, experiment))
        .collect::<obook_learn::Result<_>>()?;
    if let Some(path) = path {
        let chart = Chart {
            title: String::from("Which rule decides the value of the root best?"),
            note: format!("how far the root's value is from what level {TRUTH} says"),
            across: Across::Doubling(String::from("searches")),
            panels,
        };
        std::fs::write(path, chart.to_svg())?;
    }
    Ok(())
}

/// The openings: random moves after named openings and their beginnings, or after each other.
fn roots(seed: u64, count: usize) -> Result<Vec<Line>, String> {
    let mut seen = HashSet::new();
    let mut roots: Vec<Line> = Vec::new();
    for opening in openings() {
        let plies = PLIES.take_while(|plies| *plies <= opening.line().moves().len());
        let prefixes = plies.map(|plies| opening.line().prefix(plies));
        roots.extend(prefixes.filter(|line| seen.insert(line.board().canonical())));
    }
    let named = roots.len();
    let mut random = fastrand::Rng::with_seed(seed);
    while roots.len() < named + count {
        let mut line = random.choice(&roots).expect("some have names").clone();
        let moves: Vec<_> = line.board().moves().collect();
        let mv = *random.choice(&moves).expect("no game ends this early");
        let before = score(line.board(), SEEN)?;
        let is_short = line.push(mv).is_ok() && PLIES.contains(&line.moves().len());
        let is_near = -score(line.board(), SEEN)? >= before - ERROR;
        if is_short && is_near && seen.insert(line.board().canonical()) {
            roots.push(line);
        }
    }
    Ok(roots.split_off(named))
}

/// The engine's score of a board.
fn score(board: Board, level: u8) -> Result<i16, String> {
    let mut searcher = EngineChoice::Inside
        .start()
        .map_err(|error| error.to_string())?;
    let request = Request::new(board, level).map_err(|error| error.to_string())?;
    let answer = searcher
        .search(&request)
        .map_err(|error| error.to_string())?;
    Ok(answer.score.into())
}

/// The mean error of each rule, by searches at one level; prints it, and how much worse than the first rule each one is.
fn panel(roots: &[Line], truths: &[f64], experiment: &Experiment) -> obook_learn::Result<Panel> {
    let level = experiment.level;
    let looks = LOOKS.iter().filter(|look| **look <= experiment.searches);
    let looks: Vec<u64> = looks.copied().collect();
    let mean = |of: &dyn Fn(usize) -> f64| {
        let sum: f64 = (0..roots.len()).map(of).sum();
        sum / roots.len() as f64
    };
    let mut curves = Vec::new();
    let mut first: Option<Vec<Vec<f64>>> = None;
    println!("level {level}, {} openings", roots.len());
    for (name, rule) in rules() {
        let visited = Arc::default();
        let seen: Vec<Vec<[f64; 2]>> = roots
            .par_iter()
            .map(|root| grow(root, &rule, level, &looks, &visited))
            .collect::<obook_learn::Result<_>>()?;
        let searches: f64 = seen.iter().filter_map(|it| Some(it.last()?[0])).sum();
        let visited = visited.load(Ordering::Relaxed) as f64 / searches;
        let errors: Vec<Vec<f64>> = seen
            .iter()
            .zip(truths)
            .map(|(seen, truth)| seen.iter().map(|it| (it[1] - truth).abs()).collect())
            .collect();
        let points: Vec<[f64; 2]> = (0..looks.len())
            .map(|look| [mean(&|at| seen[at][look][0]), mean(&|at| errors[at][look])])
            .collect();
        let told = points
            .iter()
            .map(|[searches, error]| format!("{searches:.0}: {error:.3}"));
        print!("{name:18} {}", told.collect::<Vec<_>>().join("  "));
        let first = first.get_or_insert_with(|| errors.clone());
        let worse = |at: usize| {
            let compared = COMPARED..looks.len();
            let worse = compared
                .clone()
                .map(|look| errors[at][look] - first[at][look]);
            worse.sum::<f64>() / compared.len() as f64
        };
        let by = mean(&worse);
        let variance = mean(&|at| (worse(at) - by).powi(2));
        let certain = (variance / (roots.len() - 1) as f64).sqrt();
        println!("  worse by {by:.3} ± {certain:.3}; {visited:.0} positions a search");
        curves.push(Curve {
            name: name.to_owned(),
            points,
            is_stepped: false,
        });
    }
    Ok(Panel {
        label: format!(
            "mean error at level {level} for {} openings, in discs",
            roots.len()
        ),
        curves,
    })
}

/// The built-in engine, with a count of the positions that its searches visit.
struct Counting {
    engine: Box<dyn Searcher>,
    visited: Arc<AtomicU64>,
}

impl Searcher for Counting {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn engine(&self) -> Engine {
        self.engine.engine()
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let answer = self.engine.search(request)?;
        let nodes = answer.nodes.expect("the built-in engine counts them");
        self.visited.fetch_add(nodes, Ordering::Relaxed);
        Ok(answer)
    }
}

/// For each look: the searches so far, and the value of the root.
fn grow(
    root: &Line,
    rule: &Rule,
    level: u8,
    looks: &[u64],
    visited: &Arc<AtomicU64>,
) -> obook_learn::Result<Vec<[f64; 2]>> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("new.obook");
    let stage = Stage::new(rule.clone(), level, 60);
    let recipe = Recipe {
        from: Some(root.clone()),
        stages: vec![stage],
    };
    let mut searches = 0;
    let mut seen = Vec::new();
    for look in looks.iter().copied() {
        let stop = Stop::default();
        let options = LearnOptions {
            limit: Some(look.saturating_sub(searches)),
            batch: NonZeroUsize::new(64),
            stop: stop.clone(),
            ..LearnOptions::default()
        };
        let mut hire = Threads::hire(NonZeroUsize::MIN, stop, || {
            Ok(Counting {
                engine: EngineChoice::Inside.start()?,
                visited: Arc::clone(visited),
            })
        });
        let mut book = open_book(&path, &recipe, &Context::new("grow"))?;
        let learned = learn(&mut book, &recipe, &options, &mut hire, &mut |_| {})?;
        searches += learned.totals.searches;
        let value = learned.root.expect("the root is searched first");
        seen.push([searches as f64, value.into()]);
    }
    Ok(seen)
}
