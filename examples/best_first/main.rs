//! Which rule settles the value of the root best in the same search time?
//!
//! ```sh
//! cargo run --release --example best_first -- docs/best-first.svg
//! ```
//!
//! For each opening and each rule, a book is grown from nothing by searches at one low level. The reference is the same engine's
//! score of the opening at a high level. Search time is counted in positions that searches visit; a look is a number of searches of
//! average length, those for leaves that a book has lost included. The value of the root is taken before the time is over, when no
//! leaf is missing.
//!
//! Rules are compared in pairs, opening by opening: means over the same openings differ by less than means over different ones.
//!
//! Another seed gives other openings. Other experiments have a level, a number of openings and a number of searches for each book:
//!
//! ```sh
//! cargo run --release --example best_first -- other.svg 2 4:2000:800 6:100:400
//! ```

mod ideas;

use ideas::Way;
use obook::plot::{Across, Chart, Curve, Panel};
use obook_engine::{Answer, Inside, Request, Searcher as _};
use obook_games::names::openings;
use obook_learn::{Chosen, Rule, Want};
use obook_othello::{Board, Engine, Line, Move};
use obook_testing::consistent_book::RULES;
use obook_testing::growing::{Growing, Stage};
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::str::FromStr;

/// The level of the reference.
const TRUTH: u8 = 20;
/// The lengths of openings in plies.
const PLIES: std::ops::RangeInclusive<usize> = 6..=18;
/// Moves added to named openings lose at most `ERROR` discs, by searches at level `SEEN`.
const ERROR: i8 = 4;
const SEEN: u8 = 2;
/// The numbers of searches, including that of the opening itself, after which the value of the root is taken.
const LOOKS: [u64; 5] = [50, 100, 200, 400, 800];
/// A wave is searched in parts of one in this many positions, so that its values are seen in between.
const PART_OF: usize = 16;
/// The first look at which rules are compared; earlier ones are too random.
const COMPARED: usize = 1;

/// The searches that books are grown by.
struct Experiment {
    level: u8,
    openings: usize,
    /// The number of searches for each book.
    searches: u64,
}

const EXPERIMENTS: [&str; 3] = ["2:2000:800", "4:1000:800", "8:200:400"];

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

/// The first is compared with each of the others.
fn ways() -> [(&'static str, Way); 9] {
    let best_first = Rule::BestFirst { least: 0.0 };
    let deviate = Rule::Deviate {
        relative: 2,
        absolute: 4,
    };
    let egaroucid = Rule::EgaroucidDeviate {
        per_move: Some(2),
        sum: Some(2),
        leaf: Some(2),
    };
    let in_turn = Way::InTurn(best_first.clone(), deviate.clone());
    [
        ("best first", Way::Rule(best_first.clone())),
        ("deviate 2 4", Way::Rule(deviate)),
        ("Egaroucid's 2 2 2", Way::Rule(egaroucid)),
        ("in turn", in_turn),
        ("searched again", Way::Again(best_first, 2)),
        ("derivative", Way::Derivative),
        ("drop-out 0.25", Way::DropOut(0.25)),
        ("drop-out 0.5", Way::DropOut(0.5)),
        ("drop-out 1", Way::DropOut(1.0)),
    ]
}

/// The rules of obook: these are drawn.
const DRAWN: usize = 3;

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
    let roots = roots(seed, most.unwrap_or(0));
    let truths = searched(&roots, TRUTH).into_iter();
    let truths: Vec<f64> = truths.map(|truth| f64::from(truth.score)).collect();
    println!("truth of level {TRUTH}: mean error in discs");
    let panels: Vec<Panel> = experiments
        .iter()
        .map(|experiment| panel(&roots[..experiment.openings], &truths, experiment))
        .collect();
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
fn roots(seed: u64, count: usize) -> Vec<Line> {
    let mut engine = Inside::new();
    let mut score = |board| search(&mut engine, board, SEEN).score;
    let mut seen = HashSet::new();
    let mut roots: Vec<Line> = Vec::new();
    for opening in openings() {
        let plies = PLIES.take_while(|plies| *plies <= opening.line.moves().len());
        let prefixes = plies.map(|plies| opening.line.prefix(plies));
        roots.extend(prefixes.filter(|line| seen.insert(line.board().canonical())));
    }
    let named = roots.len();
    let mut random = fastrand::Rng::with_seed(seed);
    while roots.len() < named + count {
        let mut line = random.choice(&roots).expect("some have names").clone();
        let moves: Vec<_> = line.board().moves().collect();
        let mv = *random.choice(&moves).expect("no game ends this early");
        let before = score(line.board());
        let is_short = line.push(mv).is_ok() && PLIES.contains(&line.moves().len());
        let is_near = -score(line.board()) >= before - ERROR;
        if is_short && is_near && seen.insert(line.board().canonical()) {
            roots.push(line);
        }
    }
    roots.split_off(named)
}

/// The engine's answer for a board whose game is not over.
fn search(engine: &mut Inside, board: Board, level: u8) -> Answer {
    let request = Request::new(board, level).expect("the game is not over");
    engine.search(&request).expect("nothing stops the search")
}

/// The answers for all openings.
fn searched(roots: &[Line], level: u8) -> Vec<Answer> {
    let answer = |engine: &mut Inside, root: &Line| search(engine, root.board(), level);
    roots.par_iter().map_init(Inside::new, answer).collect()
}

/// The mean error of each rule, by searches at one level; prints it, and how much worse than the first rule each one is.
fn panel(roots: &[Line], truths: &[f64], experiment: &Experiment) -> Panel {
    let level = experiment.level;
    let looks = LOOKS.iter().filter(|look| **look <= experiment.searches);
    let looks: Vec<f64> = looks.map(|look| *look as f64).collect();
    let mean = |of: &dyn Fn(usize) -> f64| {
        let sum: f64 = (0..roots.len()).map(of).sum();
        sum / roots.len() as f64
    };
    let answers = searched(roots, level);
    let visited = |answer: &Answer| answer.nodes.expect("the built-in engine counts them");
    let search = Search {
        level,
        visited: mean(&|at| visited(&answers[at]) as f64),
        spread: Spread::of(roots, &answers, truths),
    };
    let count = roots.len();
    println!(
        "level {level}, {count} openings: a search visits {:.0} positions",
        search.visited
    );
    // By opening, by rule, by look.
    let errors: Vec<Vec<Vec<f64>>> = roots
        .par_iter()
        .zip(truths)
        .map_init(Inside::new, |engine, (root, truth)| {
            let mut asked = HashMap::new();
            let error = |value: i16| (f64::from(value) - truth).abs();
            let mut errors = |way: &Way| {
                let values = grow(root, way, &search, &looks, engine, &mut asked);
                values.into_iter().map(error).collect()
            };
            ways().iter().map(|(_, way)| errors(way)).collect()
        })
        .collect();
    let compared = COMPARED..looks.len();
    let all = |at: usize, way: usize| -> f64 {
        errors[at][way][compared.clone()].iter().sum::<f64>() / compared.len() as f64
    };
    let mut curves = Vec::new();
    for (way, (name, _)) in ways().into_iter().enumerate() {
        let error = |look: usize| mean(&|at| errors[at][way][look]);
        let points = looks
            .iter()
            .enumerate()
            .map(|(at, look)| [*look, error(at)]);
        let points: Vec<[f64; 2]> = points.collect();
        let worse = |at: usize| all(at, way) - all(at, 0);
        let by = mean(&worse);
        let variance = mean(&|at| (worse(at) - by).powi(2));
        let certain = (variance / (count - 1) as f64).sqrt();
        let tell = |[searches, error]: &[f64; 2]| format!("{searches}: {error:.2}");
        let told = points.iter().map(tell).collect::<Vec<_>>().join("  ");
        println!("{name:18} {told}  worse by {by:.3} ± {certain:.3}");
        curves.push(Curve {
            name: name.to_owned(),
            points,
            is_stepped: false,
        });
    }
    curves.truncate(DRAWN);
    Panel {
        label: format!("mean error at level {level} for {count} openings, in discs"),
        curves,
    }
}

/// What searches at one level are like.
struct Search {
    level: u8,
    /// The number of positions that one visits, on average.
    visited: f64,
    spread: Spread,
}

/// The standard deviation of a score's error in discs, on a line over the number of plies played.
struct Spread {
    at_once: f64,
    per_ply: f64,
}

impl Spread {
    /// As measured on the openings: a line through the mean errors by ply, by least squares.
    fn of(roots: &[Line], answers: &[Answer], truths: &[f64]) -> Spread {
        // What the mean error of a normal distribution must be multiplied by.
        let by = (std::f64::consts::PI / 2.0).sqrt();
        let plies = |root: &Line| root.moves().len() as f64;
        let errors = answers.iter().zip(truths);
        let errors = errors.map(|(answer, truth)| by * (f64::from(answer.score) - truth).abs());
        let points: Vec<(f64, f64)> = roots.iter().map(plies).zip(errors).collect();
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
            points.iter().map(of).sum::<f64>() / points.len() as f64
        };
        let (x, y) = (mean(&|it| it.0), mean(&|it| it.1));
        let together = mean(&|it| (it.0 - x) * (it.1 - y));
        let per_ply = (together / mean(&|it| (it.0 - x).powi(2))).max(0.0);
        Spread {
            at_once: y - per_ply * x,
            per_ply,
        }
    }

    fn at(&self, empties: u8) -> f64 {
        let plies = f64::from(60 - empties);
        (self.at_once + self.per_ply * plies).max(0.25)
    }
}

/// Answers by board, moves left out, and level. The rules ask much alike.
type Asked = HashMap<(Board, u64, u8), (Move, i8, u64)>;

/// The value of the root at each look.
fn grow(
    root: &Line,
    way: &Way,
    search: &Search,
    looks: &[f64],
    engine: &mut Inside,
    asked: &mut Asked,
) -> Vec<i16> {
    let stage = Stage {
        root: root.board().canonical(),
        scoring: RULES,
        depth: 60,
        level: search.level,
        engine: Engine::Obook,
    };
    let visited = Cell::new(0);
    let mut answers = |request: &Request| {
        let key = (request.board(), request.excluded().0, request.level());
        let (mv, score, nodes) = *asked.entry(key).or_insert_with(|| {
            let answer = engine.search(request).expect("nothing stops the search");
            let nodes = answer.nodes.expect("the built-in engine counts them");
            (answer.mv, answer.score, nodes)
        });
        visited.set(visited.get() + nodes);
        (mv, score)
    };
    let the_root = Chosen {
        board: stage.root,
        want: Want::Position,
        level: None,
        priority: 1.0,
    };
    let mut book = Growing::new([], stage);
    book.take(&[the_root], &mut answers);
    book.complete(&mut answers);
    let value = |book: &Growing| book.positions[&stage.root].value.expect("it has a leaf");
    let mut values = Vec::new();
    let (mut turn, mut nothing) = (0, 0);
    let spread = |empties| search.spread.at(empties);
    while nothing < way.turns() {
        let chosen = way.choose(&book.graph(), &stage.setting(turn), &spread);
        nothing = if chosen.is_empty() { nothing + 1 } else { 0 };
        turn += 1;
        for part in chosen.chunks(book.positions.len().div_ceil(PART_OF)) {
            let before = value(&book);
            // A variation may have brought what was chosen along with it.
            let part = part.iter().copied();
            let part = part.filter(|it| book.has(it.board.board()) == (it.want == Want::Leaf));
            let part: Vec<Chosen> = part.collect();
            book.take(&part, &mut answers);
            book.complete(&mut answers);
            let is_over = |look: &f64| visited.get() as f64 > look * search.visited;
            let over = looks.iter().filter(|look| is_over(look)).count();
            values.resize(over, before);
            if over == looks.len() {
                return values;
            }
        }
    }
    values.resize(looks.len(), value(&book));
    values
}
