//! `obook rate`: ratings of positions from games alone.

mod compare;
pub(crate) mod store;

use obook_games::ratings::{Divisor, Settings};

subcommands! {
    /// Rate positions by games alone, and test the ratings
    #[command(after_help = "Examples:\n  \
        obook rate compare wthor/*.wtb --since 2010\n  \
        obook rate compare wthor/*.wtb --since 2010 --book book.obook --output ratings.svg\n  \
        obook rate store games.obook\n\n\
        The ratings are the three evaluations of Nakaike, Iida and Kotani; docs/research/ratings.md explains them, and shows results \
        for the tournaments of four decades.")]
    struct Arguments;
    Compare compare,
    Store store,
}

/// The parameters of the rating formulas.
#[derive(Debug, clap::Args)]
struct Formula {
    /// α: probability that a won game stands for, 0.5 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().alpha, value_parser = |text: &str| number(text, 0.5, 1.0))]
    alpha: f64,
    /// n₀: number of acceptable moves at the start
    #[arg(long, value_name = "N", default_value_t = Settings::default().moves_at_start, value_parser = |text: &str| number(text, 1.0, 64.0))]
    moves_at_start: f64,
    /// d_p: ply from which one move is enough for a verdict; the start is ply 1
    #[arg(long, value_name = "PLY", default_value_t = Settings::default().settled_from, value_parser = |text: &str| number(text, 1.001, 1000.0))]
    settled_from: f64,
    /// Divide by all legal moves in expectation 1, as printed in the paper, instead of the played ones
    #[arg(long)]
    printed_divisor: bool,
}

/// Reads a number within bounds.
fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from {least} to {most}")),
    }
}

impl Formula {
    const fn settings(&self) -> Settings {
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
