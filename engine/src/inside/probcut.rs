//! Multi-ProbCut: a shallow search tells what a deep one is likely to find.
//!
//! The difference between both is close to normal with a mean of zero; its deviation depends on both depths and on how many
//! squares are empty. Where the shallow score lies beyond the window by as many deviations as the confidence demands, the
//! deep search is left out. M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello" (1997).

/// How much a search may prune, from the riskiest to none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(u8);

/// For each grade the confidence in percent, and how many deviations that is, on both sides of a normal distribution.
const GRADES: [(u8, f32); 6] = [
    (73, 1.10),
    (87, 1.51),
    (95, 1.96),
    (98, 2.33),
    (99, 2.58),
    (100, f32::INFINITY),
];

/// The shallowest search that another one may stand for.
pub(crate) const LEAST_DEPTH: u32 = 3;

impl Grade {
    /// The most is pruned.
    pub(crate) const RISKIEST: Grade = Grade(0);

    /// Nothing is pruned that could matter.
    pub(crate) const FULL: Grade = Grade(5);

    /// The grade of at least this confidence in percent.
    pub(crate) fn of_probability(percent: u8) -> Grade {
        let grade = GRADES.iter().position(|(least, _)| percent <= *least);
        grade.map_or(Grade::FULL, |grade| Grade(grade as u8))
    }

    /// Its confidence in percent.
    pub(crate) fn probability(self) -> u8 {
        GRADES[usize::from(self.0)].0
    }

    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// How many deviations a shallow score must lie beyond the window.
    #[inline(always)]
    pub(crate) fn deviations(self) -> f32 {
        GRADES[usize::from(self.0)].1
    }
}

/// How deep to search in place of a search of this depth: a quarter to a half, of the same parity, since odd and even depths see
/// different things.
#[inline(always)]
pub(crate) fn shallow_depth(depth: u32) -> u32 {
    let depth = 2 * (depth / 4) + (depth & 1);
    depth.max(1)
}

/// The deviation in discs between searches of these depths; `obook-train errors` measures it and fits the polynomial.
#[inline(always)]
pub(crate) fn deviation(empties: u32, deep: u32, shallow: u32) -> f32 {
    let (e, d, s) = (empties as f32, deep as f32, shallow as f32);
    let by_each = 4.8647 - 0.1015 * e + 0.9747 * d - 1.4748 * s;
    let by_pairs = 0.00095 * e * e - 0.03142 * d * d + 0.02716 * s * s - 0.01089 * e * d
        + 0.01323 * e * s
        + 0.03678 * d * s;
    (by_each + by_pairs).max(LEAST_DEVIATION)
}

/// What no pair of depths agrees better than.
const LEAST_DEVIATION: f32 = 1.0;
