//! A list as Takizawa's of “Othello is solved”, with made-up numbers.

/// Three positions: one is a draw, one is proven to be worth at least 0 and one at most 0. [`DRAWN`] leads to the first.
pub const SMALL: &str = "\
obf,count,score,alpha,beta
------------------XO-O----XXOO-----XOX-----OOX------O----------- X;,120,0,-64,64
------------O------OO-----OOOXX----OOO-----OOO------------------ X;,7,4,-64,0
--------------------X-O---XXXOX---OXOO-----OOO------------------ X;,0,-6,0,64
";

/// The line to the position that is a draw.
pub const DRAWN: &str = "f5d6c3d3c4f4f6f3e6e7";
