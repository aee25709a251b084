//! Ratings of positions by the results of games alone: the three evaluations of H. Nakaike, H. Iida and Y. Kotani, “A Method of
//! Making Opening Books from Shogi Games”.
//!
//! A rating is a number from 0 to 1 for the side to move: 1 for a win, 1/2 for a draw, 0 for a loss. It reflects the results of the
//! players, not the evaluation of an engine.
//!
//! # Choices that the paper leaves open
//!
//! - **Side.** In the paper the probability of winning is that of one player: 1 − ∏(1 − f) when that player moves, and ∏ f when the
//!   opponent does. From the side to move both are 1 − ∏ f over the following positions, so a rating needs no colours.
//! - **Leaves.** A leaf is the end of a game, and its value is the result: α, 1/2 or 1 − α for the probability, 1, 1/2 or 0 for the
//!   expectations. The paper uses the position before it, where the winner of a shogi game moves; in Othello the last move may be
//!   the loser's. Games that end in the same position are averaged.
//! - **Games that end early** count as one more move of a position in which other games continue.
//! - **Draws** are not in the paper. Here they are half a win.
//! - **Transpositions.** A position is rated once, by all games that went through it, and every position before it uses that
//!   rating. The product for the probability still treats its factors as independent.
//! - **Symmetry.** Mirror images are the same position. Moves that a symmetry of the board makes equal count once, in n and in n′.
//! - **Passes** are moves, but not plies.
//! - **Depth.** d is 1 at the start, where t is n₀ because log 1 = 0, and grows by 1 with each disc.
//! - **The divisor** of expectation 1 for t ≤ n′ is printed as n. [`Divisor::Played`] is n′ instead, as in expectation 2 and in the
//!   sentence before the formula. It is the default, because with n an unplayed move would count as a loss.
//! - **α, n₀ and d_p** have no values in the paper: see [`Settings::default`].
//!
//! ```
//! use obook_games::ratings::{Method, PlayedPositions, Settings, for_each};
//! use obook_games::Score;
//! let mut plays = PlayedPositions::default();
//! plays.add(&"f5d6".parse()?, Score::new(10).unwrap());
//! plays.add(&"f5f6".parse()?, Score::new(-2).unwrap());
//! let mut ratings = Vec::new();
//! for_each(&mut plays, &Settings::default(), |_, rating| ratings.push(rating.of(Method::Expectation1)));
//! // The two ends, with Black to move, then the position before them, then the start.
//! assert_eq!(ratings.len(), 4);
//! assert_eq!(ratings[0] + ratings[1], 1.0);
//! assert!(ratings[2] > 0.0 && ratings[2] < 1.0);
//! # Ok::<(), obook_othello::LineError>(())
//! ```

mod compare;
mod layers;
mod played;

pub use compare::{Comparison, Predicted, Predictor};
pub use layers::for_each;
pub use obook_base::ratings::{Divisor, Method, Rating, Settings};
pub use played::{PlayedPosition, PlayedPositions};
