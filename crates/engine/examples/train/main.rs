//! Trains the evaluator of obook's engine.

#![forbid(unsafe_code)]

mod balance;
mod errors;
mod fit;
mod positions;
mod recipe;
mod samples;
mod yardstick;

use clap::{Args, Parser};
use obook_engine::Evaluator;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use yardstick::Agreement;

/// Trains the evaluator from games, exact endgames and deeper searches of its own previous generation.
#[derive(Parser)]
#[command(name = "train")]
enum Command {
    /// Run the whole training, from a folder of WTHOR files to weights; each step leaves its files in another folder
    Recipe {
        games: PathBuf,
        folder: PathBuf,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Fit the error model of multi-ProbCut
    Errors(Errors),
    /// Measure how good weights are in openings
    Yardstick(Yardstick),
}

#[derive(Args)]
struct Errors {
    games: PathBuf,
    #[arg(long)]
    weights: PathBuf,
    #[arg(long)]
    count: usize,
    #[arg(long, default_value_t = 9)]
    deepest: u8,
    #[arg(long, default_value_t = 18)]
    end: u32,
    #[arg(long, default_value_t = 9)]
    seed: u64,
}

#[derive(Args)]
struct Yardstick {
    /// The weights to measure
    weights: Vec<PathBuf>,
    /// The weights for the openings and the deeper searches to compare with
    #[arg(long)]
    truth: PathBuf,
    #[arg(long, default_value_t = 15)]
    level: u8,
    /// Also compare with exact scores after play at this level
    #[arg(long)]
    play: Option<u8>,
    #[arg(long, default_value_t = 400)]
    count: usize,
    #[arg(long, default_value_t = 3)]
    seed: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let load = |path: &PathBuf| -> Result<Arc<Evaluator>, Box<dyn Error>> {
        Ok(Arc::new(Evaluator::read(&std::fs::read(path)?)?))
    };
    match Command::parse() {
        Command::Recipe {
            games,
            folder,
            seed,
        } => recipe::run(&games, &folder, seed)?,
        Command::Errors(args) => {
            let games = positions::read(&args.games)?;
            let chosen = positions::choose(&games, true, args.count, args.seed);
            let evaluator = load(&args.weights)?;
            let deviations = errors::measure(&chosen, &evaluator, args.deepest, args.end);
            let polynomial = errors::fit(&deviations);
            for (key, (deviation, count)) in &deviations {
                let (empties, deep, shallow) = key;
                let predicted = errors::predicted(&polynomial, *key);
                println!(
                    "{empties:2} empties, {shallow:2} for {deep:2}: {deviation:5.2}, by the model {predicted:5.2} ({count})"
                );
            }
            println!("{polynomial:?}");
        }
        Command::Yardstick(args) => {
            let truth = load(&args.truth)?;
            let level = args.level;
            // Moves of a book lose few discs.
            let boards = positions::ends(args.count, &truth, 2, 7, args.seed);
            let scores = yardstick::at_level(&boards, &truth, level);
            let mut truths = vec![(format!("level {level}"), scores)];
            if let Some(play) = args.play {
                let scores = yardstick::later(&boards, &truth, play);
                truths.push((format!("exact after play at level {play}"), scores));
            }
            for (name, scores) in &truths {
                let all = Agreement::of(scores, &vec![0.0; scores.len()]);
                println!(
                    "{} openings, {name}: mean {:+.2}, spread {:.2}",
                    boards.len(),
                    all.bias,
                    all.spread
                );
            }
            for path in &args.weights {
                let evaluator = load(path)?;
                for level in [1, 5, 10] {
                    let scores = yardstick::at_level(&boards, &evaluator, level);
                    for (name, truth) in &truths {
                        let found = Agreement::of(&scores, truth);
                        println!(
                            "{} level {level:2}, {name}: correlation {:.3}, bias {:+.2}, spread of the error {:.2}",
                            path.display(),
                            found.correlation,
                            found.bias,
                            found.spread
                        );
                    }
                }
            }
        }
    }
    Ok(())
}
