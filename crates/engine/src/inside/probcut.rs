//! Multi-ProbCut: a shallow search predicts the score of a deep one.
//!
//! The difference is nearly normally distributed with mean zero. Its deviation depends on both depths and on the number of
//! empty squares. If the shallow score lies beyond the window by as many deviations as the confidence requires, the deep search
//! is skipped. M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello" (1997).

/// How much a search may prune, from the riskiest to not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(pub(super) u8);

/// For each grade, the confidence in percent and the corresponding two-sided number of standard deviations.
const GRADES: [(u8, f32); 6] = [
    (73, 1.10),
    (87, 1.51),
    (95, 1.96),
    (98, 2.33),
    (99, 2.58),
    (100, f32::INFINITY),
];

/// The smallest depth at which a search may be replaced.
pub(crate) const LEAST_DEPTH: u32 = 3;

impl Grade {
    /// Prunes most.
    pub(crate) const RISKIEST: Grade = Grade(0);

    /// Prunes nothing that could matter.
    pub(crate) const FULL: Grade = Grade(5);

    /// The grade with at least this confidence in percent.
    pub(crate) fn of_probability(percent: u8) -> Grade {
        let grade = GRADES.iter().position(|(least, _)| percent <= *least);
        grade.map_or(Grade::FULL, |grade| Grade(grade as u8))
    }

    /// The confidence in percent.
    pub(crate) fn probability(self) -> u8 {
        GRADES[usize::from(self.0)].0
    }

    /// The number of deviations by which a shallow score must lie beyond the window.
    #[inline(always)]
    pub(crate) fn deviations(self) -> f32 {
        GRADES[usize::from(self.0)].1
    }
}

/// The depth of the shallow search: a quarter to a half of this depth, with the same parity, since odd and even depths differ.
#[inline(always)]
pub(crate) fn shallow_depth(depth: u32) -> u32 {
    let depth = 2 * (depth / 4) + (depth & 1);
    depth.max(1)
}

/// The deviation in discs between searches at these depths. The example `train errors` measures it and fits the polynomial.
#[inline(always)]
pub(crate) fn deviation(empties: u32, deep: u32, shallow: u32) -> f32 {
    let (e, d, s) = (empties as f32, deep as f32, shallow as f32);
    let by_each = 4.8647 - 0.1015 * e + 0.9747 * d - 1.4748 * s;
    let by_pairs = 0.00095 * e * e - 0.03142 * d * d + 0.02716 * s * s - 0.01089 * e * d
        + 0.01323 * e * s
        + 0.03678 * d * s;
    (by_each + by_pairs).max(LEAST_DEVIATION)
}

/// The smallest deviation of any pair of depths.
const LEAST_DEVIATION: f32 = 1.0;
