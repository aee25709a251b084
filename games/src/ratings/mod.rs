//! Ratings of positions from records of games alone: the three evaluations of H. Nakaike, H. Iida and Y. Kotani, “A Method of
//! Making Opening Books from Shogi Games”.
//!
//! A rating is a number from 0 to 1 for the side to move: 1 for a game that is won, 1/2 for a draw, 0 for one that is lost. It
//! says what the players made of a position, and nothing of what an engine thinks of it.
//!
//! # What the paper leaves open, and how it is answered
//!
//! - **Whose side.** The paper's chance to win is that of one player, who maximizes, 1 − ∏(1 − f) where he moves and ∏ f where the
//!   other one does. Seen by the side to move both are 1 − ∏ f over the positions that follow, so a rating needs no colours.
//! - **Leaves.** A leaf is where a game ended, and its worth is the result: α, 1/2 or 1 − α for the probability, 1, 1/2
//!   or 0 for the expectations. The paper sets the position before it, where the winner of a shogi game moved; in Othello the last move
//!   may be the loser's. Several games that ended in one position have their mean.
//! - **Games that end early**, while others go on from the same position, count as one more way to go on.
//! - **Draws** are not in the paper: half a game won.
//! - **Transpositions.** A position is rated once, by all games that went through it; each position before it uses that rating.
//!   The product of the probability takes its factors for independent all the same.
//! - **Symmetry.** Mirror images are one position, and of moves that a symmetry of the board makes the same one counts, in n as in n′.
//! - **Passes** are moves, the only one there is, and no plies.
//! - **Depth.** d is 1 at the start, where t is to be n₀, and grows by 1 with each disc: log 1 = 0.
//! - **The divisor** of expectation 1 where t ≤ n′ is printed as n. [`Divisor::Played`] takes n′ instead, as expectation 2 and the
//!   sentence before the formula have it; it is the default, because with n a move that nobody played would count as lost.
//! - **α, n₀ and d_p** have no values in the paper: see [`Settings::default`].
//!
//! ```
//! use obook_games::ratings::{Method, Plays, Settings, for_each};
//! use obook_games::Score;
//! let mut plays = Plays::default();
//! plays.add(&"f5d6".parse()?, Score::new(10).unwrap());
//! plays.add(&"f5f6".parse()?, Score::new(-2).unwrap());
//! let mut ratings = Vec::new();
//! for_each(&mut plays, &Settings::default(), |_, rating| ratings.push(rating.of(Method::Expectation1)));
//! // The ends, for Black, who is to move; then what White thinks of his choice, and the start.
//! assert_eq!(ratings.len(), 4);
//! assert_eq!(ratings[0] + ratings[1], 1.0);
//! assert!(ratings[2] > 0.0 && ratings[2] < 1.0);
//! # Ok::<(), obook_othello::LineError>(())
//! ```

mod compare;
mod plays;
mod rating;

pub use compare::{Comparison, Fit, Group, Predictor};
pub use plays::{Play, Plays};
pub use rating::{Divisor, Method, Rating, Settings, for_each};
