//! Which rule decides the value of the root best, at equal search time?
//!
//! ```sh
//! cargo run --release --example best_first -- docs/best-first.svg
//! ```
//!
//! Books grow from openings that have a name, each by each rule, from nothing, by searches of one low level, which all take about the
//! same time. The truth is what the same engine says of the opening at a high level. Where the picture shows a value, no leaf is
//! missing in the book: each rule is given a number of searches and those that the missing leaves take, which count.

use obook_book::learn::{LearnOptions, Recipe, Rule, Stage, Until, learn};
use obook_book::plot::{Across, Chart, Curve, Panel};
use obook_book::search::{Threads, Workers};
use obook_book::{Progress, Result};
use obook_engine::{EngineChoice, Request, Stop};
use obook_games::names::openings;
use obook_othello::Line;
use rayon::prelude::*;
use std::error::Error;
use std::num::NonZeroUsize;

/// The level of the searches, and that of the truth.
const LEVEL: u8 = 4;
const TRUTH: u8 = 20;
/// How long the openings are, in plies.
const PLIES: std::ops::RangeInclusive<usize> = 6..=14;
/// After so many searches, those of the opening itself included, the value of the root is looked at.
const LOOKS: [u64; 6] = [50, 100, 200, 300, 400, 800];

fn rules() -> [(&'static str, Rule); 4] {
    let egaroucid = |discs| Rule::EgaroucidDeviate {
        per_move: Some(discs),
        sum: Some(discs),
        leaf: Some(discs),
    };
    let deviate = Rule::Deviate {
        relative: 2,
        absolute: 4,
    };
    [
        ("best-first", Rule::BestFirst { least: 0.0 }),
        ("deviate 2 4", deviate),
        ("Egaroucid's 2 2 2", egaroucid(2)),
        ("Egaroucid's 4 4 4", egaroucid(4)),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let lines = openings().iter().map(|opening| opening.line().clone());
    let roots: Vec<Line> = lines
        .filter(|line| PLIES.contains(&line.moves().len()))
        .collect();
    let truths: Vec<f64> = roots.par_iter().map(truth).collect::<Result<_, _>>()?;
    println!(
        "{} openings, searches of level {LEVEL}, truth of level {TRUTH}: mean error in discs",
        roots.len()
    );
    let mut curves = Vec::new();
    for (name, rule) in rules() {
        let seen: Vec<Vec<[f64; 2]>> = roots
            .par_iter()
            .map(|root| grow(root, &rule))
            .collect::<Result<_>>()?;
        let mean =
            |of: &dyn Fn(usize) -> f64| (0..roots.len()).map(of).sum::<f64>() / roots.len() as f64;
        let points = (0..LOOKS.len()).map(|look| {
            let searches = mean(&|root| seen[root][look][0]);
            let error = mean(&|root| (seen[root][look][1] - truths[root]).abs());
            [searches, error]
        });
        let points: Vec<[f64; 2]> = points.collect();
        let told = points
            .iter()
            .map(|[searches, error]| format!("{searches:.0}: {error:.2}"));
        println!("{name:18} {}", told.collect::<Vec<_>>().join("  "));
        curves.push(Curve {
            name: name.to_owned(),
            points,
            is_stepped: false,
        });
    }
    if let Some(path) = std::env::args_os().nth(1) {
        std::fs::write(path, chart(roots.len(), curves).to_svg())?;
    }
    Ok(())
}

fn chart(openings: usize, curves: Vec<Curve>) -> Chart {
    Chart {
        title: String::from("Which rule decides the value of the root best?"),
        note: format!(
            "{openings} openings, searches of level {LEVEL}: how far the root's value is from what level {TRUTH} says"
        ),
        across: Across::Doubling(String::from("searches")),
        panels: vec![Panel {
            label: String::from("mean error, in discs"),
            curves,
        }],
    }
}

/// What the engine says of a root at a high level.
fn truth(root: &Line) -> Result<f64, String> {
    let mut searcher = EngineChoice::Inside
        .start()
        .map_err(|error| error.to_string())?;
    let request = Request::new(root.board(), TRUTH).map_err(|error| error.to_string())?;
    let answer = searcher
        .search(&request)
        .map_err(|error| error.to_string())?;
    Ok(answer.score.into())
}

/// After each look: the searches so far, and what the root is worth.
fn grow(root: &Line, rule: &Rule) -> Result<Vec<[f64; 2]>> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("new.obook");
    let stage = Stage {
        rule: rule.clone(),
        level: Some(LEVEL),
        depth: Some(60),
        engine: None,
        until: Until::default(),
    };
    let recipe = Recipe {
        from: Some(root.clone()),
        stages: vec![stage],
    };
    let mut searches = 0;
    let mut seen = Vec::new();
    for look in LOOKS {
        let stop = Stop::default();
        let options = LearnOptions {
            limit: Some(look.saturating_sub(searches)),
            batch: NonZeroUsize::new(64),
            stop: stop.clone(),
            ..LearnOptions::default()
        };
        let mut hire = |_: usize| -> Result<Box<dyn Workers>> {
            let start = || EngineChoice::Inside.start();
            Ok(Box::new(Threads::start(NonZeroUsize::MIN, &start, &stop)?))
        };
        let progress = Progress::hidden();
        let learned = learn(
            &path,
            &recipe,
            &options,
            &mut hire,
            "grow",
            &progress,
            &mut |_| {},
        )?;
        searches += learned.totals.searches;
        let value = learned.root.expect("the root is searched first");
        seen.push([searches as f64, value.into()]);
    }
    Ok(seen)
}
