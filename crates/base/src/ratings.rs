//! Ratings of positions by the results of games alone, from 0 (lost) to 1 (won) for the side to move: the three evaluations of
//! H. Nakaike, H. Iida and Y. Kotani, “A Method of Making Opening Books from Shogi Games”. They know no game: a position is rated from
//! the ratings of those after it. `docs/research/ratings.md` has the formulas, and how well they predict.
//!
//! ```
//! use obook_base::ratings::{Method, Rating, Settings};
//!
//! let settings = Settings::default();
//! // Two positions at which games ended: a win and a loss for the side to move there.
//! let ends = [1.0, 0.0].map(|result| Rating::end(&settings, result));
//! // The position before them, with 30 legal moves, at the start.
//! let rating = Rating::of_moves(&settings, 1, 30, &ends, None).ok_or("it has moves")?;
//! assert!(rating.of(Method::Probability) > rating.of(Method::Expectation2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

crate::named! {
    /// An evaluation of the paper.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Method {
        /// The probability of winning against an opponent who plays at random, with positions taken as independent.
        Probability = "probability",
        /// The mean of the moves, with an estimate for unplayed moves.
        Expectation1 = "expectation1",
        /// The same mean, with moves weighted by their values.
        Expectation2 = "expectation2",
    }
}

/// The divisor of the mean of expectation 1 if enough moves were played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// The number of moves played, n′.
    Played,
    /// The number of legal moves, n, as printed in the paper.
    Legal,
}

/// Parameters without values in the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// α, from 1/2 to 1: the probability that a won game counts as.
    pub alpha: f64,
    /// n₀, at least 1: the number of acceptable moves at the start.
    pub moves_at_start: f64,
    /// d_p, more than 1: the depth from which one move is enough.
    pub settled_from: f64,
    /// The divisor of expectation 1.
    pub divisor: Divisor,
}

impl Default for Settings {
    /// α = 0.9, n₀ = 3, d_p = 6, divided by the number of moves played.
    ///
    /// Chosen so that the ratings of games before 2000 predict those of the next ten years best (see `docs/research/ratings.md`). The less
    /// unplayed moves count, the better; a d_p below 6 hardly improves the ratings from the sixth ply on. α makes little difference
    /// to the order of ratings by probability.
    fn default() -> Settings {
        Settings {
            alpha: 0.9,
            moves_at_start: 3.0,
            settled_from: 6.0,
            divisor: Divisor::Played,
        }
    }
}

impl Settings {
    /// t, the number of moves that are enough at a depth, which is 1 at the start.
    ///
    /// ```
    /// use obook_base::ratings::Settings;
    /// let settings = Settings { moves_at_start: 3.0, settled_from: 16.0, ..Settings::default() };
    /// assert_eq!(settings.enough_moves(1), 3.0);
    /// assert_eq!(settings.enough_moves(4), 2.0);
    /// assert_eq!(settings.enough_moves(16), 1.0);
    /// assert_eq!(settings.enough_moves(60), 1.0);
    /// ```
    #[must_use]
    pub fn enough_moves(&self, depth: usize) -> f64 {
        let depth = depth as f64;
        if depth < self.settled_from {
            self.moves_at_start - (self.moves_at_start - 1.0) * depth.ln() / self.settled_from.ln()
        } else {
            1.0
        }
    }

    /// The value of a leaf at which games ended with this mean result, from 0 to 1.
    #[must_use]
    pub fn leaf(&self, method: Method, result: f64) -> f64 {
        match method {
            Method::Probability => self.alpha * result + (1.0 - self.alpha) * (1.0 - result),
            Method::Expectation1 | Method::Expectation2 => result,
        }
    }

    /// The value of a position. `worths` are the values of the moves played, at least one, for the side to move; `legal` is the
    /// number of legal moves.
    ///
    /// ```
    /// use obook_base::ratings::{Method, Settings};
    /// let settings = Settings { moves_at_start: 4.0, ..Settings::default() };
    /// let worth = |method| settings.worth(method, 1, 4, &[0.5, 0.25]);
    /// assert_eq!(worth(Method::Probability), 0.625);
    /// // Two of the four moves needed were played, so each of the others is worth 1/4.
    /// assert_eq!(worth(Method::Expectation1), (0.5 + 0.25) / 4.0 + 2.0 / 4.0 * 0.25);
    /// assert_eq!(worth(Method::Expectation2), (0.25 + 0.0625 + 2.0 * 0.0625) / 1.25);
    /// ```
    #[must_use]
    pub fn worth(&self, method: Method, depth: usize, legal: usize, worths: &[f64]) -> f64 {
        let sum = || worths.iter().sum::<f64>();
        let played = worths.len() as f64;
        let legal = legal as f64;
        let enough = self.enough_moves(depth);
        // The value of an unplayed move, and the number of such moves to consider.
        let (unplayed, others) = if enough > played {
            ((enough - played) / (2.0 * enough), legal - played)
        } else {
            (0.0, 0.0)
        };
        match method {
            Method::Probability => 1.0 - worths.iter().map(|worth| 1.0 - worth).product::<f64>(),
            Method::Expectation1 => {
                let divisor = if enough > played || self.divisor == Divisor::Legal {
                    legal
                } else {
                    played
                };
                (sum() + others * unplayed) / divisor
            }
            Method::Expectation2 => {
                let squares: f64 = worths.iter().map(|worth| worth * worth).sum();
                let all = sum() + others * unplayed;
                if all > 0.0 {
                    (squares + others * unplayed * unplayed) / all
                } else {
                    // All moves lose.
                    0.0
                }
            }
        }
    }
}

/// The ratings of a position, for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating([f64; 3]);

impl Rating {
    /// The rating by a method, from 0 to 1.
    #[must_use]
    pub const fn of(&self, method: Method) -> f64 {
        self.0[method as usize]
    }

    /// The rating of a position at which games ended with this mean result, from 0 to 1 for the side to move.
    #[must_use]
    pub fn end(settings: &Settings, result: f64) -> Rating {
        Rating(Method::ALL.map(|method| settings.leaf(method, result)))
    }

    /// The rating of a position with these positions after it. `ended` is the mean result of the games that ended in the position; they
    /// count as one more move. `depth` is 1 at the start, and `legal` the number of legal moves. `None` if there are neither moves nor
    /// ends.
    #[must_use]
    pub fn of_moves(
        settings: &Settings,
        depth: usize,
        legal: usize,
        after: &[Rating],
        ended: Option<f64>,
    ) -> Option<Rating> {
        let ended = ended.map(|result| Rating::end(settings, result));
        if after.is_empty() {
            return ended;
        }
        let legal = legal + usize::from(ended.is_some());
        Some(Rating(Method::ALL.map(|method| {
            let worths = after.iter().map(|child| 1.0 - child.of(method));
            let end = ended.map(|end| end.of(method));
            let worths: Vec<f64> = worths.chain(end).collect();
            settings.worth(method, depth, legal, &worths)
        })))
    }
}
