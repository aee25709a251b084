//! A program's forecast of a position, beyond one score.

/// The final scores that a program thinks possible, with their probabilities, for the side to move. Othello Sensei's books have one
/// for each position.
///
/// ```
/// use obook_othello::{Forecast, Goal};
/// // Surely at least +4; probably +6 or more, hardly +8.
/// let goal = |goal, probability| Goal { goal, probability, proof: None, disproof: None };
/// let forecast = Forecast { goals: vec![goal(5, 0.75), goal(7, 0.25)], ..Forecast::certain(4) };
/// assert_eq!(forecast.chances().collect::<Vec<_>>(), [(4, 0.25), (6, 0.5), (8, 0.25)]);
/// assert_eq!(Forecast::certain(4).chances().collect::<Vec<_>>(), [(4, 1.0)]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast {
    /// The mean of the final score.
    pub expected: f64,
    /// Its standard deviation.
    pub spread: f64,
    /// The score by minimax of what the searches found, in discs.
    pub score: f64,
    /// The number of positions visited to find all this.
    pub visited: f64,
    /// The goals that are neither certain nor hopeless, lowest first. They follow each other in steps of 2.
    pub goals: Vec<Goal>,
}

/// A final score to reach. Since empty squares count for the winner, final scores are even and goals odd.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// The score to exceed.
    pub goal: i8,
    /// The probability to exceed it.
    pub probability: f64,
    /// The number of positions that a proof of this is expected to visit, unless there can't be one.
    pub proof: Option<f64>,
    /// The number of positions that a disproof is expected to visit, unless there can't be one.
    pub disproof: Option<f64>,
}

impl Forecast {
    /// Nothing but this score is possible, and no search was needed to know it.
    #[must_use]
    pub fn certain(score: i8) -> Forecast {
        Forecast {
            expected: score.into(),
            spread: 0.0,
            score: score.into(),
            visited: 0.0,
            goals: Vec::new(),
        }
    }

    /// The possible scores with their probabilities, lowest first.
    pub fn chances(&self) -> impl Iterator<Item = (i8, f64)> + '_ {
        let lowest = match self.goals.first() {
            Some(goal) => goal.goal.saturating_sub(1),
            // Only one is possible.
            None => self.expected.round() as i8,
        };
        let reached = |goal: &Goal| (goal.goal.saturating_add(1), goal.probability);
        let reached = std::iter::once((lowest, 1.0)).chain(self.goals.iter().map(reached));
        let further = self.goals.iter().map(|goal| goal.probability);
        let further = further.chain(std::iter::once(0.0));
        let both = reached.zip(further);
        both.map(|((score, reached), further)| (score, reached - further))
    }
}
