//! The meaning of an engine's level: the depth and selectivity of its searches at each number of empty squares.
//!
//! With few empty squares both engines search to the end of the game: exactly at first, then with a rising risk of error.
//! With more they search to a fixed depth, the level's number. So a level is six numbers: the most empty squares at which it
//! still reaches the end, for each of the engine's six grades of selectivity. The tables below come from what the engines print
//! for every level and number of empty squares, and a test compares them all. obook's own engine uses Edax's levels.
//!
//! A level of an engine that obook doesn't know counts as a depth in plies, in Edax's riskiest grade.
//!
//! Zebra's books state a depth in plies. Up to eight its midgame search is full; from nine on it prunes with Multi-ProbCut, whose
//! selectivity it doesn't state. obook counts that as Edax's riskiest grade, which comes from Multi-ProbCut.
//!
//! Sensei's books state how many positions were visited. obook counts that as a search of Edax that visits as many, in its
//! riskiest grade: see [`depth_of_visits`].
//!
//! NTest's books state a depth. NTest prunes in all searches of the midgame, and from eight plies before the end searches to
//! the end, with more or less pruning. obook counts all of that as Edax's riskiest grade; what is exact has level 60.

use crate::{Engine, Leaf, PERSON_LEVEL};

/// The highest level of every engine.
pub const MAX_LEVEL: u8 = 60;

/// The depth and selectivity of a search at a level.
///
/// ```
/// use obook_othello::levels::Effort;
/// use obook_othello::Engine;
/// let effort = Effort::new(Engine::Edax, 21, 27);
/// assert_eq!((effort.depth, effort.probability, effort.to_the_end), (27, 98, true));
/// assert!(!effort.is_solved());
/// assert!(Effort::new(Engine::Edax, 21, 24).is_solved());
/// assert_eq!(Effort::new(Engine::Egaroucid, 21, 40).depth, 21);
/// assert_eq!(Effort::new(Engine::Obook, 21, 27), effort);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Effort {
    /// The depth in plies.
    pub depth: u8,
    /// The confidence that pruning makes no error, in percent; 100 is a full search. Edax calls it selectivity.
    pub probability: u8,
    /// Whether the search reaches the end of the game.
    pub to_the_end: bool,
}

impl Effort {
    /// Returns the effort of `level` on `engine`'s scale with `empties` empty squares.
    ///
    /// A level above [`MAX_LEVEL`], such as [`PERSON_LEVEL`], counts as exact.
    #[must_use]
    pub fn new(engine: Engine, level: u8, empties: u8) -> Effort {
        let scale = engine.levels();
        let ends = match level {
            MAX_LEVEL.. => [u8::MAX; 6],
            _ => (scale.ends)(level),
        };
        let reached = ends.iter().position(|end| empties <= *end);
        match reached {
            Some(grade) => Effort {
                depth: empties,
                probability: scale.probabilities[grade],
                to_the_end: true,
            },
            None => {
                let depth = (scale.depth)(level);
                let is_full = depth <= scale.full_depth;
                Effort {
                    depth,
                    probability: if is_full { 100 } else { scale.probabilities[5] },
                    to_the_end: false,
                }
            }
        }
    }

    /// Returns the effort of the search behind the leaf of a position with this level, engine and number of empty squares; `None`
    /// if the leaf's level is unknown.
    ///
    /// A leaf's score comes from a search of the position itself without the moves that stay in the book. So it solves a leaf only
    /// if it solves the position, with one empty square more than after the leaf's move. All engines search so, Egaroucid too.
    ///
    /// ```
    /// use obook_othello::levels::Effort;
    /// use obook_othello::{Engine, Leaf};
    /// let leaf = Leaf { mv: None, score: 0, level: None, engine: Engine::Edax };
    /// let is_solved = |empties| Effort::of_leaf(leaf, Some(2), Engine::Edax, empties).unwrap().is_solved();
    /// assert_eq!([4, 5].map(is_solved), [true, false]);
    /// ```
    #[must_use]
    pub fn of_leaf(leaf: Leaf, position: Option<u8>, engine: Engine, empties: u8) -> Option<Self> {
        let level = of_leaf(leaf, position, engine)?;
        Some(Effort::new(leaf.engine, level, empties))
    }

    /// Whether the search proves its score: it reaches the end without pruning.
    #[must_use]
    pub fn is_solved(self) -> bool {
        self.to_the_end && self.probability == 100
    }
}

/// Whether `level` on `engine`'s scale solves a position with this many empty squares.
///
/// ```
/// use obook_othello::levels::is_solved;
/// use obook_othello::Engine;
/// assert!(is_solved(Engine::Edax, 30, 30) && !is_solved(Engine::Edax, 30, 31));
/// assert!(is_solved(Engine::Egaroucid, 24, 26) && !is_solved(Engine::Edax, 24, 26));
/// ```
#[must_use]
pub fn is_solved(engine: Engine, level: u8, empties: u8) -> bool {
    Effort::new(engine, level, empties).is_solved()
}

/// The level of the search behind a position's leaf, on the scale of the leaf's engine. Edax has one level for both, so it
/// defaults to the `position`'s; Egaroucid's leaves have their own.
#[must_use]
pub fn of_leaf(leaf: Leaf, position: Option<u8>, engine: Engine) -> Option<u8> {
    match (leaf.engine, engine) {
        (Engine::Edax, Engine::Edax) => leaf.level.or(position),
        _ => leaf.level,
    }
}

/// The meaning of an engine's levels. From [`MAX_LEVEL`] on, a level of any engine solves.
pub(crate) struct Scale {
    /// The confidence of the six grades of selectivity, in percent.
    probabilities: [u8; 6],
    /// The depth up to which midgame searches don't prune.
    full_depth: u8,
    /// The depth of a level's midgame searches.
    depth: fn(u8) -> u8,
    /// The most empty squares at which a level reaches the end, from the surest grade to the riskiest.
    ends: fn(u8) -> [u8; 6],
}

impl Scale {
    pub(crate) const EDAX: Scale = Scale {
        probabilities: [100, 99, 98, 95, 87, 73],
        full_depth: 10,
        depth: |level| level,
        ends: edax_ends,
    };

    pub(crate) const EGAROUCID: Scale = Scale {
        probabilities: [100, 99, 98, 93, 88, 74],
        ends: egaroucid_ends,
        ..Scale::EDAX
    };

    pub(crate) const ZEBRA: Scale = Scale {
        full_depth: ZEBRA_FULL,
        ends: |level| {
            let exact = level.min(ZEBRA_FULL);
            [exact, exact, exact, exact, exact, level]
        },
        ..Scale::EDAX
    };

    pub(crate) const SENSEI: Scale = Scale {
        full_depth: 0,
        depth: depth_of_visits,
        ends: |_| [0; 6],
        ..Scale::EDAX
    };

    pub(crate) const NTEST: Scale = Scale {
        full_depth: 0,
        ends: |level| [0, 0, 0, 0, 0, level + NTEST_AHEAD],
        ..Scale::EDAX
    };

    /// A level is a depth in plies, and all searches prune.
    pub(crate) const PLIES: Scale = Scale {
        full_depth: 0,
        ends: |level| [0, 0, 0, 0, 0, level],
        ..Scale::EDAX
    };
}

/// The depth up to which Zebra doesn't prune.
const ZEBRA_FULL: u8 = 8;

/// Sensei's level for a position for which its searches visited this many positions: how often one must double to give as many.
///
/// ```
/// use obook_othello::levels::of_visits;
/// assert_eq!([0.0, 1000.0, 1024.0, 4.1e7, f32::INFINITY].map(of_visits), [1, 9, 10, 25, 59]);
/// ```
#[must_use]
pub fn of_visits(positions: f32) -> u8 {
    // NaN counts as 0, and a number that is too large as the largest.
    (positions.log2().floor() as u8).clamp(1, MAX_LEVEL - 1)
}

/// The depth of the search of Edax, at a confidence of 73 %, that visits as many positions as 2 to this power.
///
/// Edax 4.6 visited 2²³ positions on average to search eight positions of Sensei's book with 40 to 50 empty squares 12 plies deep, and
/// 2²⁸·³ for 16 plies: three plies more cost four doublings.
///
/// ```
/// use obook_othello::levels::depth_of_visits;
/// assert_eq!([0, 23, 27, 39, 59].map(depth_of_visits), [0, 12, 15, 24, 39]);
/// ```
#[must_use]
pub const fn depth_of_visits(doublings: u8) -> u8 {
    const DEPTH: u16 = 12;
    const DOUBLINGS: u16 = 23;
    ((doublings as u16 * 3 + DEPTH * 4).saturating_sub(DOUBLINGS * 3) / 4) as u8
}

/// NTest goes on to the end from this many plies before it would stop.
const NTEST_AHEAD: u8 = 8;

fn edax_ends(level: u8) -> [u8; 6] {
    match level {
        0..=10 => [2 * level; 6],
        11..=12 => [21, 21, 24, 24, 24, 24],
        13..=18 => [21, 21, 24, 24, 27, 27],
        19..=21 => [24, 24, 27, 27, 30, 30],
        22..=24 => [24, 27, 27, 30, 30, 33],
        25..=27 => [27, 27, 30, 30, 33, 33],
        28..=29 => [27, 30, 30, 33, 33, 36],
        30..=31 => [30, 30, 33, 33, 36, 36],
        32..=33 => [30, 33, 33, 36, 36, 39],
        34..=35 => [30, 33, 36, 36, 39, 39],
        // From here on each grade reaches three empty squares further than the surer one.
        _ => [0, 3, 6, 9, 12, 15].map(|further| level - 6 + further),
    }
}

fn egaroucid_ends(level: u8) -> [u8; 6] {
    match level {
        0..=10 => [2 * level; 6],
        11..=12 => [21, 23, 25, 25, 25, 25],
        13..=14 => [21, 23, 25, 27, 27, 27],
        15..=17 => [22, 24, 27, 27, 27, 27],
        18..=19 => [22, 24, 27, 29, 29, 29],
        20..=22 => reaching(24, 4),
        23..=24 => reaching(26, 4),
        25..=26 => reaching(26, 5),
        27..=28 => reaching(28, 5),
        29..=30 => reaching(30, 4),
        31..=32 => reaching(30, 5),
        33..=34 => reaching(32, 4),
        35..=36 => reaching(32, 5),
        37 => [34, 36, 36, 40, 40, 40],
        38 => reaching(34, 4),
        39..=40 => reaching(34, 5),
        41..=42 => reaching(36, 4),
        43..=44 => reaching(36, 5),
        45..=46 => reaching(38, 4),
        47..=48 => reaching(38, 5),
        49..=50 => reaching(40, 4),
        51 => reaching(40, 5),
        52 => reaching(42, 5),
        // From here on exact for two more empty squares with each level.
        _ => reaching(46 + 2 * (level - 53), 5),
    }
}

/// Exact up to `exact` empty squares, then two further for each of the first `grades` grades.
fn reaching(exact: u8, grades: u8) -> [u8; 6] {
    [0, 1, 2, 3, 4, 5].map(|grade: u8| exact + 2 * grade.min(grades - 1))
}

/// The strength of a score compared with others of the same position. If books disagree, the stronger one wins.
///
/// A person's value beats every engine. An engine without a [`Place`](crate::Place) beats no other one, whatever level it claims. Then a
/// deeper search beats a shallower one, then a surer one beats a riskier one. An unknown level is weakest. Otherwise equal searches are ordered by level, so on one engine's scale a higher level always
/// wins.
///
/// ```
/// use obook_othello::levels::Strength;
/// use obook_othello::Engine;
/// let edax = |level, empties| Strength::new(Engine::Edax, level, empties);
/// let egaroucid = |level, empties| Strength::new(Engine::Egaroucid, level, empties);
/// assert!(edax(Some(21), 30) > egaroucid(Some(21), 40));
/// assert!(egaroucid(Some(70), 30) > edax(Some(60), 30));
/// assert!(edax(Some(0), 30) > edax(None, 30));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Strength(Option<(Word, Effort, u8)>);

/// Who vouches for a level, the most trusted last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Word {
    /// An engine without a place.
    Claim,
    Engine,
    Person,
}

impl Strength {
    /// Returns the strength of a search at `level` on `engine`'s scale with `empties` empty squares.
    #[must_use]
    pub fn new(engine: Engine, level: Option<u8>, empties: u8) -> Strength {
        Strength(level.map(|level| {
            let word = match level {
                PERSON_LEVEL.. => Word::Person,
                _ if engine.has_place() => Word::Engine,
                _ => Word::Claim,
            };
            let mut effort = Effort::new(engine, level, empties);
            // For some searches that don't reach the end, Egaroucid states depths beyond the last disc.
            effort.depth = effort.depth.min(empties);
            (word, effort, level)
        }))
    }

    /// Whether it comes from a stronger search, not just from a higher level that searches the same.
    ///
    /// ```
    /// use obook_othello::Engine;
    /// use obook_othello::levels::Strength;
    /// // With 20 empty squares both levels solve; with 30 the higher one looks deeper.
    /// let [low, high] = [18, 21].map(|level| Strength::new(Engine::Edax, Some(level), 20));
    /// assert!(high > low && !high.searches_more_than(low));
    /// let [low, high] = [18, 21].map(|level| Strength::new(Engine::Edax, Some(level), 30));
    /// assert!(high.searches_more_than(low));
    /// ```
    #[must_use]
    pub fn searches_more_than(self, other: Strength) -> bool {
        let effort = |strength: Strength| strength.0.map(|(word, effort, _)| (word, effort));
        effort(self) > effort(other)
    }
}
