//! Where the recursive functions are entered.
//!
//! Each of them is compiled once for each kind of processor (`compiled.rs`). Everything else is `#[inline(always)]`, so that it is
//! compiled with the instructions of the function that it ends up in.

use super::cpu::Cpu;
use super::discs::Discs;
use super::node::Node;
use super::search::Search;

/// The recursive functions, in the version for this processor.
pub(crate) trait Recursive: Cpu {
    /// `midgame::null_window`.
    fn midgame(search: &mut Search<Self>, node: &Node, alpha: i32, depth: u32) -> i32;

    /// `midgame::principal_variation`.
    fn principal_variation(
        search: &mut Search<Self>,
        node: &Node,
        alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32;

    /// `endgame::null_window`.
    fn endgame(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32;

    /// `endgame::by_parity`.
    fn by_parity(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32;
}
