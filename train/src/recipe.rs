//! All of the training, from games to weights: the steps that docs/evaluator.md describes.
//!
//! Each step leaves a file in the folder; what is there is not made again, so that an interrupted training goes on.

use crate::fit::{Set, Weights};
use crate::games::{self, Game};
use crate::sample::{self, Sample};
use crate::{balance, label, walks};
use obook_engine::Evaluator;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a generation labels the positions from which the next one learns.
struct Labelling {
    /// Positions of games, and of openings that the generation itself plays.
    games: usize,
    walks: usize,
    depth: u8,
    probability: u8,
    /// Up to so many empty squares positions are solved.
    exact: u32,
}

/// The first estimates come of noisy results alone: each generation labels more and searches more surely than the one before.
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

/// Games are solved from here on, and their scores there are what the first generation learns for all positions before.
const EXACT: u32 = 12;

/// A step of the fit in discs.
const RATE: f32 = 0.6;

/// Passes over all samples.
const PASSES: usize = 5;

/// Walks stray by so many discs at each move, by a search at this level.
const STRAY: i8 = 4;
const STRAY_LEVEL: u8 = 2;

/// Positions of games, and as many of openings, at which searches of odd and even depth are compared.
const BALANCED: usize = 10_000;

/// Trains in `folder` on the games of `archive`; the weights are in its file `weights.zst`.
pub(crate) fn run(archive: &Path, folder: &Path, seed: u64) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let games = games::read(archive)?;
    if games.is_empty() {
        return Err(format!("{} holds no games: expected .wtb files", archive.display()).into());
    }
    let (exact, outcomes) = outcomes(&games, folder, seed)?;
    let mut evaluator = generation(folder, 0, || {
        let sets = [weighed(&exact, 1.0), weighed(&outcomes, 0.2)];
        fitted(&sets, seed)
    })?;
    let mut before: Vec<Sample> = Vec::new();
    for (number, labelling) in GENERATIONS.iter().enumerate() {
        let number = number + 1;
        let seed = seed.wrapping_mul(1000).wrapping_add(number as u64);
        let labelled = labelled(&games, folder, number, labelling, &evaluator, seed)?;
        evaluator = generation(folder, number, || {
            let sets = [
                weighed(&exact, 1.0),
                weighed(&before, 0.5),
                weighed(&labelled, 1.0),
            ];
            fitted(&sets, seed)
        })?;
        before = labelled;
    }
    let mut boards = label::choose(&games, false, BALANCED, seed);
    boards.extend(walks::ends(BALANCED, &evaluator, STRAY, STRAY_LEVEL, seed));
    let balanced = balance::balanced(&boards, &evaluator);
    std::fs::write(folder.join("weights.zst"), balanced.write())?;
    Ok(())
}

fn weighed(samples: &[Sample], weight: f32) -> Set<'_> {
    Set { samples, weight }
}

fn fitted(sets: &[Set<'_>], seed: u64) -> Evaluator {
    let mut weights = Weights::zero();
    weights.fit(sets, PASSES, RATE, seed);
    weights.evaluator()
}

/// The weights of a generation: as they are in the folder, or made now.
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

/// What games alone tell: solved positions, and those before with the score of the first solved one.
fn outcomes(
    games: &[(u16, Game)],
    folder: &Path,
    seed: u64,
) -> Result<(Vec<Sample>, Vec<Sample>), Box<dyn Error>> {
    let [exact, before, held_out] =
        ["exact", "outcomes", "held-out"].map(|name| folder.join(name).with_extension("samples"));
    if ![&exact, &before, &held_out]
        .iter()
        .all(|path| path.exists())
    {
        eprintln!("solving the ends of {} games", games.len());
        let nothing = Arc::new(Weights::zero().evaluator());
        let labels = label::outcomes(games, &nothing, EXACT, None, seed);
        sample::write(&exact, &labels.exact)?;
        sample::write(&before, &labels.outcomes)?;
        sample::write(&held_out, &labels.held_out)?;
    }
    Ok((sample::read(&exact)?, sample::read(&before)?))
}

/// What a generation's searches tell the next one.
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
        eprintln!(
            "generation {number}: searching {} positions",
            labelling.games + labelling.walks
        );
        let mut boards = label::choose(games, false, labelling.games, seed);
        boards.extend(walks::ends(
            labelling.walks,
            evaluator,
            STRAY,
            STRAY_LEVEL,
            seed,
        ));
        let samples = label::search(
            &boards,
            evaluator,
            labelling.depth,
            labelling.probability,
            labelling.exact,
        );
        sample::write(&path, &samples)?;
    }
    Ok(sample::read(&path)?)
}
