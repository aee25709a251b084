//! The recursive functions, compiled for each kind of processor.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::cpu::Avx2;
use super::cpu::Portable;
use super::discs::Discs;
use super::node::Node;
use super::recursion::Recursive;
use super::search::Search;
use super::{endgame, midgame};

impl Recursive for Portable {
    fn midgame(search: &mut Search<Self>, node: &Node, alpha: i32, depth: u32) -> i32 {
        midgame::null_window(search, node, alpha, depth)
    }

    fn principal_variation(
        search: &mut Search<Self>,
        node: &Node,
        alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        midgame::principal_variation(search, node, alpha, beta, depth)
    }

    fn endgame(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32 {
        endgame::null_window(search, discs, alpha, empties)
    }

    fn by_parity(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32 {
        endgame::by_parity(search, discs, alpha, empties)
    }
}

#[cfg(target_arch = "x86_64")]
impl Recursive for Avx2 {
    #[inline(always)]
    fn midgame(search: &mut Search<Self>, node: &Node, alpha: i32, depth: u32) -> i32 {
        // SAFETY: `search.cpu` shows that the processor has the instructions.
        unsafe { avx2::midgame(search, node, alpha, depth) }
    }

    #[inline(always)]
    fn principal_variation(
        search: &mut Search<Self>,
        node: &Node,
        alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        // SAFETY: `search.cpu` shows that the processor has the instructions.
        unsafe { avx2::principal_variation(search, node, alpha, beta, depth) }
    }

    #[inline(always)]
    fn endgame(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32 {
        // SAFETY: `search.cpu` shows that the processor has the instructions.
        unsafe { avx2::endgame(search, discs, alpha, empties) }
    }

    #[inline(always)]
    fn by_parity(search: &mut Search<Self>, discs: Discs, alpha: i32, empties: u32) -> i32 {
        // SAFETY: `search.cpu` shows that the processor has the instructions.
        unsafe { avx2::by_parity(search, discs, alpha, empties) }
    }
}

/// Functions that run with the instructions of [`Avx2`].
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Avx2, Discs, Node, Search, endgame, midgame};

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn midgame(search: &mut Search<Avx2>, node: &Node, alpha: i32, depth: u32) -> i32 {
        midgame::null_window(search, node, alpha, depth)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn principal_variation(
        search: &mut Search<Avx2>,
        node: &Node,
        alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        midgame::principal_variation(search, node, alpha, beta, depth)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn endgame(
        search: &mut Search<Avx2>,
        discs: Discs,
        alpha: i32,
        empties: u32,
    ) -> i32 {
        endgame::null_window(search, discs, alpha, empties)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn by_parity(
        search: &mut Search<Avx2>,
        discs: Discs,
        alpha: i32,
        empties: u32,
    ) -> i32 {
        endgame::by_parity(search, discs, alpha, empties)
    }
}
