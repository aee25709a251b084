//! The whole training, from games to weights. docs/research/evaluator.md describes its steps.
//!
//! Each step leaves a file in the folder. Existing files are not made again, so an interrupted training can be resumed.

use crate::balance;
use crate::fit::{Set, Weights};
use crate::positions::{self, Game};
use crate::samples::{self, Labelling, Sample};
use obook_engine::Evaluator;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first estimates come from noisy results alone. Each generation labels more positions, with more reliable searches.
const GENERATIONS: [Labelling; 4] = [
    Labelling {
        games: 400_000,
        walks: 0,
        depth: 6,
        probability: 100,
        exact: 14,
    },
    Labelling {
        games: 400_000,
        walks: 100_000,
        depth: 8,
        probability: 87,
        exact: 14,
    },
    Labelling {
        games: 400_000,
        walks: 150_000,
        depth: 8,
        probability: 87,
        exact: 14,
    },
    Labelling {
        games: 500_000,
        walks: 300_000,
        depth: 8,
        probability: 95,
        exact: 16,
    },
];

/// The number of empty squares from which games are solved. The first generation learns that score for all earlier positions.
const EXACT: u32 = 12;

/// The initial step of the fit, in discs.
const RATE: f32 = 0.6;

/// The number of passes over all samples.
const PASSES: usize = 5;

/// The number of positions of games, and as many of walks, for comparing searches of odd and even depth.
const BALANCED: usize = 10_000;

/// Trains in `folder` on the games of `archive`. Writes the weights to `weights.zst` in the folder.
pub(crate) fn run(archive: &Path, folder: &Path, seed: u64) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let games = positions::read(archive)?;
    if games.is_empty() {
        let archive = archive.display();
        return Err(format!("{archive} contains no games: expected .wtb files").into());
    }
    let (exact, outcomes) = outcomes(&games, folder, seed)?;
    let mut evaluator = generation(folder, 0, || {
        fitted(&[(&exact[..], 1.0), (&outcomes[..], 0.2)], seed)
    })?;
    let mut before: Vec<Sample> = Vec::new();
    for (number, labelling) in GENERATIONS.iter().enumerate() {
        let number = number + 1;
        let seed = seed.wrapping_mul(1000).wrapping_add(number as u64);
        let labelled = labelled(&games, folder, number, labelling, &evaluator, seed)?;
        evaluator = generation(folder, number, || {
            let sets = [(&exact[..], 1.0), (&before[..], 0.5), (&labelled[..], 1.0)];
            fitted(&sets, seed)
        })?;
        before = labelled;
    }
    let boards = positions::mixed(&games, BALANCED, BALANCED, &evaluator, seed);
    let balanced = balance::balanced(&boards, &evaluator);
    std::fs::write(folder.join("weights.zst"), balanced.write())?;
    Ok(())
}

fn fitted(sets: &[Set<'_>], seed: u64) -> Evaluator {
    let mut weights = Weights::zero();
    weights.fit(sets, PASSES, RATE, seed);
    weights.evaluator()
}

/// The weights of a generation, read from the folder or made now.
fn generation(
    folder: &Path,
    number: usize,
    make: impl FnOnce() -> Evaluator,
) -> Result<Arc<Evaluator>, Box<dyn Error>> {
    let path = folder.join(format!("generation-{number}.zst"));
    if !path.exists() {
        eprintln!("generation {number}: fitting");
        std::fs::write(&path, make().write())?;
    }
    Ok(Arc::new(Evaluator::read(&std::fs::read(&path)?)?))
}

/// Labels from games alone: solved positions, and earlier ones with the score of the first solved position.
fn outcomes(
    games: &[(u16, Game)],
    folder: &Path,
    seed: u64,
) -> Result<(Vec<Sample>, Vec<Sample>), Box<dyn Error>> {
    let files =
        ["exact", "outcomes", "held-out"].map(|name| folder.join(name).with_extension("samples"));
    let [exact, before, held_out] = &files;
    if !files.iter().all(|path| path.exists()) {
        eprintln!("solving the ends of {} games", games.len());
        let nothing = Arc::new(Weights::zero().evaluator());
        let labels = samples::outcomes(games, &nothing, EXACT, seed);
        samples::write(exact, &labels.exact)?;
        samples::write(before, &labels.outcomes)?;
        samples::write(held_out, &labels.held_out)?;
    }
    Ok((samples::read(exact)?, samples::read(before)?))
}

/// The labels that a generation makes for the next one.
fn labelled(
    games: &[(u16, Game)],
    folder: &Path,
    number: usize,
    labelling: &Labelling,
    evaluator: &Arc<Evaluator>,
    seed: u64,
) -> Result<Vec<Sample>, Box<dyn Error>> {
    let path: PathBuf = folder.join(format!("labels-{number}.samples"));
    if !path.exists() {
        let count = labelling.games + labelling.walks;
        eprintln!("generation {number}: searching {count} positions");
        let boards = positions::mixed(games, labelling.games, labelling.walks, evaluator, seed);
        samples::write(&path, &samples::search(&boards, evaluator, labelling))?;
    }
    Ok(samples::read(&path)?)
}
