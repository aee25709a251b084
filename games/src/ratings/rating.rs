//! The formulas, for one position.

use crate::ratings::plays::{Layer, Play, Plays, count, mean};
use obook_othello::{Board, CanonicalBoard};
use std::fmt;
use std::str::FromStr;

/// Which of the three evaluations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// The chance to win against an opponent who chooses at random, if every position decided for itself.
    Probability,
    /// The mean of the moves, with what nobody played.
    Expectation1,
    /// The same with moves chosen in proportion to their worth.
    Expectation2,
}

/// What the mean of expectation 1 divides by where enough moves were played for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// The moves that were played, n′.
    Played,
    /// All legal moves, n, as the paper prints it.
    Legal,
}

/// What the paper leaves open as numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// α, 1/2 to 1: the probability that a game which was won counts with.
    pub alpha: f64,
    /// n₀, 1 or more: how many moves are acceptable at the start.
    pub moves_at_start: f64,
    /// d_p, more than 1: from this depth on one move is enough for a verdict.
    pub settled_from: f64,
    /// The divisor of expectation 1.
    pub divisor: Divisor,
}

impl Method {
    /// All, in the order of the paper.
    pub const ALL: [Method; 3] = [
        Method::Probability,
        Method::Expectation1,
        Method::Expectation2,
    ];

    /// `probability`, `expectation1` or `expectation2`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Method::Probability => "probability",
            Method::Expectation1 => "expectation1",
            Method::Expectation2 => "expectation2",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    /// Reads what [`Method::name`] gives.
    fn from_str(name: &str) -> Result<Method, String> {
        let found = Method::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| {
            let known = Method::ALL.map(Method::name).join(", ");
            format!("no evaluation is called {name}: they are {known}")
        })
    }
}

impl Default for Settings {
    /// α = 0.9, n₀ = 3, d_p = 6, divided by the moves that were played.
    ///
    /// Chosen by which ratings of the games before 2000 predict those of the ten years after, as `docs/ratings.md` tells: the less
    /// a move counts that nobody played, the better, and from the sixth ply on it hardly matters that d_p is not smaller yet.
    /// The α of the probability makes little difference to the order of its ratings.
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
    /// t: how many moves suffice for a verdict at depth `depth`, counted from 1 at the start.
    ///
    /// ```
    /// use obook_games::ratings::Settings;
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

    /// The worth of a leaf by the mean result of the games that ended there, 0 to 1.
    #[must_use]
    pub fn leaf(&self, method: Method, result: f64) -> f64 {
        match method {
            Method::Probability => self.alpha * result + (1.0 - self.alpha) * (1.0 - result),
            Method::Expectation1 | Method::Expectation2 => result,
        }
    }

    /// The worth of a position: `worths` are those of the moves that were played, at least one, for the side that plays
    /// them; `legal` counts all moves.
    ///
    /// ```
    /// use obook_games::ratings::{Method, Settings};
    /// let settings = Settings { moves_at_start: 4.0, ..Settings::default() };
    /// let worth = |method| settings.worth(method, 1, 4, &[0.5, 0.25]);
    /// assert_eq!(worth(Method::Probability), 0.625);
    /// // Half of what four moves need was played, so that one of the others is worth 1/4.
    /// assert_eq!(worth(Method::Expectation1), (0.5 + 0.25) / 4.0 + 2.0 / 4.0 * 0.25);
    /// assert_eq!(worth(Method::Expectation2), (0.25 + 0.0625 + 2.0 * 0.0625) / 1.25);
    /// ```
    #[must_use]
    pub fn worth(&self, method: Method, depth: usize, legal: usize, worths: &[f64]) -> f64 {
        let sum = || worths.iter().sum::<f64>();
        let played = worths.len() as f64;
        let legal = legal as f64;
        let enough = self.enough_moves(depth);
        // What a move is worth that nobody played, and how many such moves there are to consider.
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
                    // Whatever is chosen is lost.
                    0.0
                }
            }
        }
    }
}

/// A position's ratings, for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating([f64; 3]);

impl Rating {
    /// By one of the methods, 0 to 1.
    #[must_use]
    pub const fn of(&self, method: Method) -> f64 {
        self.0[method as usize]
    }
}

/// Rates all positions, those with the fewest empty squares first. The work grows with the positions and their moves; beside
/// the positions it keeps the ratings of two layers.
///
/// Moves that lead nowhere, which no game makes, don't count; a position with no others has no rating.
pub fn for_each(plays: &mut Plays, settings: &Settings, mut found: impl FnMut(&Play, Rating)) {
    let mut below = Ratings::default();
    for layer in plays.layers() {
        let mut here = Ratings::default();
        // A pass leads to a position of the same layer, in which there is a move.
        for passes in [false, true] {
            let passed = |play: &&Play| play.board.board().must_pass() == passes;
            let rated: Vec<(CanonicalBoard, Rating)> = layer
                .plays()
                .iter()
                .filter(passed)
                .filter_map(|play| {
                    let after = if passes { &here } else { &below };
                    let rating = rate(play, layer, after, settings)?;
                    found(play, rating);
                    Some((play.board, rating))
                })
                .collect();
            here.add(rated);
        }
        below = here;
    }
}

/// The ratings of a layer: those of positions with a move, and those of pass positions, each in the order of the boards.
#[derive(Default)]
struct Ratings(Vec<Vec<(CanonicalBoard, Rating)>>);

impl Ratings {
    fn add(&mut self, rated: Vec<(CanonicalBoard, Rating)>) {
        self.0.push(rated);
    }

    fn of(&self, board: Board) -> Option<Rating> {
        let board = board.canonical();
        let find = |rated: &Vec<(CanonicalBoard, Rating)>| {
            let at = rated.binary_search_by_key(&board, |(board, _)| *board);
            at.ok().map(|at| rated[at].1)
        };
        self.0.iter().find_map(find)
    }
}

fn rate(play: &Play, layer: &Layer, after: &Ratings, settings: &Settings) -> Option<Rating> {
    let board = play.board.board();
    let ended = layer.ended(play.board);
    let passes = board.must_pass() && play.count() > ended.map_or(0, count);
    let passed = passes.then(|| board.passed());
    let placed = play.squares.iter().filter_map(|square| board.place(square));
    let children = placed.chain(passed).filter_map(|child| after.of(child));
    let children: Vec<Rating> = children.collect();
    if children.is_empty() && ended.is_none() {
        return None;
    }
    let legal = play.legal() + usize::from(ended.is_some());
    let depth = board.ply() + 1;
    Some(Rating(Method::ALL.map(|method| {
        let end = ended.map(|games| settings.leaf(method, mean(games)));
        match end {
            Some(end) if children.is_empty() => end,
            _ => {
                let worths = children.iter().map(|child| 1.0 - child.of(method));
                let worths: Vec<f64> = worths.chain(end).collect();
                settings.worth(method, depth, legal, &worths)
            }
        }
    })))
}
