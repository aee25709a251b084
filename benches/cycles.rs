//! The cost of handling cycles: little without cycles, and seconds if there is nothing else.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use obook_cycles::{Edge, Graph, Score, exact};
use rayon::prelude::*;
use std::hint::black_box;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// A graph in the compact form of a book in memory: the children of all positions in one array.
struct Packed {
    first_child: Vec<u32>,
    children: Vec<u32>,
    payoffs: Vec<i8>,
    layers: Vec<Range<u32>>,
    ranks: Vec<u8>,
    /// Whether the mover is in check; empty if repetitions are only draws.
    checked: Vec<bool>,
}

/// Marks the absence of a payoff.
const NONE: i8 = i8::MIN;

impl Graph for Packed {
    fn nodes(&self) -> u32 {
        self.payoffs.len() as u32
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        let range =
            self.first_child[node as usize] as usize..self.first_child[node as usize + 1] as usize;
        self.children[range].iter().map(|&child| Edge::turn(child))
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        Some(self.payoffs[node as usize])
            .filter(|&payoff| payoff != NONE)
            .map(Score::from)
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn perpetual(&self) -> Option<Score> {
        (!self.checked.is_empty()).then_some(100)
    }
    fn checked(&self, node: u32) -> bool {
        self.checked[node as usize]
    }
    fn rank(&self, node: u32) -> u32 {
        u32::from(self.ranks[node as usize])
    }
}

/// Xorshift, for the same numbers everywhere.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % u64::from(bound)) as u32
    }
}

/// 40 layers, each position with `degree` edges into the next one.
fn layered(nodes: u32, degree: u32) -> Packed {
    let mut noise = Noise(88_172_645_463_325_252);
    let width = nodes / 40;
    let layers: Vec<_> = (0..40)
        .map(|layer| layer * width..(layer + 1) * width)
        .collect();
    let mut graph = Packed {
        first_child: vec![0],
        children: Vec::new(),
        payoffs: Vec::new(),
        layers: layers.clone(),
        ranks: Vec::new(),
        checked: Vec::new(),
    };
    for (layer, range) in layers.iter().enumerate() {
        for _ in range.clone() {
            if let Some(below) = layers.get(layer + 1) {
                graph
                    .children
                    .extend((0..degree).map(|_| below.start + noise.below(width)));
            }
            graph.first_child.push(graph.children.len() as u32);
            graph.payoffs.push(noise.below(129) as i8 - 64);
            graph.ranks.push(layer as u8);
        }
    }
    graph
}

/// One component: a ring with `chords` additional edges from each position; one position in 20 has a payoff.
fn tangle(nodes: u32, chords: u32) -> Packed {
    let mut noise = Noise(88_172_645_463_325_252);
    let mut graph = Packed {
        first_child: vec![0],
        children: Vec::new(),
        payoffs: Vec::new(),
        layers: Vec::new(),
        ranks: vec![0; nodes as usize],
        checked: Vec::new(),
    };
    for node in 0..nodes {
        graph.children.push((node + 1) % nodes);
        graph
            .children
            .extend((0..chords).map(|_| noise.below(nodes)));
        graph.first_child.push(graph.children.len() as u32);
        graph.payoffs.push(if noise.below(20) == 0 {
            noise.below(129) as i8 - 64
        } else {
            NONE
        });
    }
    graph
}

/// A tangle in which sides alternate, and one side is in check in `often` of 100 positions, the other in a quarter as many.
fn checks(nodes: u32, chords: u32, often: u32) -> Packed {
    let mut graph = tangle(nodes, chords);
    let mut noise = Noise(88_172_645_463_325_252);
    for node in 0..nodes {
        let first = graph.first_child[node as usize] as usize;
        for child in &mut graph.children[first..=first + chords as usize] {
            *child ^= 1 ^ (node ^ *child) & 1;
        }
        let often = if node % 2 == 0 { often } else { often / 4 };
        graph.checked.push(noise.below(100) < often);
    }
    graph
}

/// Plain negamax over layers: no cycles, no position without a score.
fn plain_layers(graph: &Packed) -> Vec<AtomicI32> {
    let scores: Vec<AtomicI32> = (0..graph.nodes())
        .into_par_iter()
        .map(|_| AtomicI32::new(0))
        .collect();
    for layer in graph.layers.iter().rev() {
        layer
            .clone()
            .into_par_iter()
            .with_min_len(1024)
            .for_each(|node| {
                let options = graph
                    .children(node)
                    .map(|edge| -scores[edge.child as usize].load(Relaxed));
                let best = options.chain(graph.payoff(node)).max().unwrap_or(0);
                scores[node as usize].store(best, Relaxed);
            });
    }
    scores
}

fn acyclic(criterion: &mut Criterion) {
    for (nodes, degree) in [(4_000_000, 1), (1_000_000, 4)] {
        let mut graph = layered(nodes, degree);
        let name = format!("{nodes} positions in layers, edges each {degree}");
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        group.bench_function("plain layer by layer", |bencher| {
            bencher.iter(|| plain_layers(black_box(&graph)));
        });
        group.bench_function("exact pass", |bencher| {
            bencher.iter(|| exact(black_box(&graph)))
        });
        graph.checked = (0..nodes).map(|node| node % 20 == 0).collect();
        group.bench_function("exact pass, perpetual check loses", |bencher| {
            bencher.iter(|| exact(black_box(&graph)));
        });
        graph.checked = Vec::new();
        graph.ranks.fill(0);
        group.bench_function("exact pass, ranks unknown", |bencher| {
            bencher.iter(|| exact(black_box(&graph)));
        });
        group.finish();
    }
}

fn cyclic(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one component, exact pass");
    group.sample_size(10);
    for (nodes, chords) in [(100_000, 3), (100_000, 9), (1_000_000, 3)] {
        let graph = tangle(nodes, chords);
        group.bench_function(
            format!("{nodes} positions, {} edges each", chords + 1),
            |bencher| {
                bencher.iter(|| exact(black_box(&graph)));
            },
        );
    }
    for often in [5, 40, 95] {
        let graph = checks(100_000, 3, often);
        let name = format!("100000 positions, 4 edges each, {often} % of one side in check");
        group.bench_function(name, |bencher| bencher.iter(|| exact(black_box(&graph))));
    }
    group.finish();
}

criterion_group!(benches, acyclic, cyclic);
criterion_main!(benches);
