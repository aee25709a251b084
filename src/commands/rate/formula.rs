//! What the formulas of the ratings leave open, as options.

use obook_games::ratings::{Divisor, Settings};

#[derive(Debug, clap::Args)]
pub(super) struct Formula {
    /// α: the probability that a game which was won counts with, 0.5 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().alpha, value_parser = number::<500, 1000>)]
    alpha: f64,
    /// n₀: how many moves are acceptable at the start
    #[arg(long, value_name = "N", default_value_t = Settings::default().moves_at_start, value_parser = number::<1000, 64_000>)]
    moves_at_start: f64,
    /// d_p: from this ply on one move is enough for a verdict; the start is ply 1
    #[arg(long, value_name = "PLY", default_value_t = Settings::default().settled_from, value_parser = number::<1001, 1_000_000>)]
    settled_from: f64,
    /// Divide by all moves in expectation 1, as the paper prints it, not by those that were played
    #[arg(long)]
    printed_divisor: bool,
}

/// A number within bounds that are given in thousandths.
fn number<const LEAST: u32, const MOST: u32>(text: &str) -> Result<f64, String> {
    let bounds = [LEAST, MOST].map(|bound| f64::from(bound) / 1000.0);
    match text.parse::<f64>() {
        Ok(number) if (bounds[0]..=bounds[1]).contains(&number) => Ok(number),
        _ => Err(format!(
            "expected a number from {} to {}",
            bounds[0], bounds[1]
        )),
    }
}

impl Formula {
    pub(super) const fn settings(&self) -> Settings {
        Settings {
            alpha: self.alpha,
            moves_at_start: self.moves_at_start,
            settled_from: self.settled_from,
            divisor: match self.printed_divisor {
                true => Divisor::Legal,
                false => Divisor::Played,
            },
        }
    }
}
