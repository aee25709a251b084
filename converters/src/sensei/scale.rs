//! The scales on which a byte stands for a probability or for a number of positions.

use std::sync::LazyLock;

/// Probabilities nearer than this to 0 or 1 are 0 or 1.
const NEAR: f64 = 1e-14;
/// How often the interval that holds a probability has to be halved to be as small.
const HALVINGS: u32 = 47;

/// The largest number of positions is this to the power of 1 over [`PROOF_STEPS`], to the power of 253.
const PROOF_LARGEST: f64 = 1e25;
const PROOF_STEPS: f64 = 253.01;

/// The probability that a byte stands for. The scale is finest near 0 and 1.
pub(super) fn probability(byte: u8) -> f64 {
    static ALL: LazyLock<[f64; 256]> =
        LazyLock::new(|| std::array::from_fn(|byte| unscaled(byte as f64 / 255.0)));
    ALL[usize::from(byte)]
}

/// The number of positions to visit that a byte stands for; `None` if none are enough.
pub(super) fn positions(byte: u8) -> Option<f64> {
    match byte {
        0 => Some(0.0),
        u8::MAX => None,
        _ => Some(PROOF_LARGEST.powf(f64::from(byte - 1) / PROOF_STEPS)),
    }
}

/// The place of a probability on the scale, from 0 to 1.
fn scaled(probability: f64) -> f64 {
    let base = |x: f64| match x < f64::MIN_POSITIVE {
        true => 0.0,
        false => (10.0 - x.ln()).powf(-3.5),
    };
    let difference = base(probability) - base(1.0 - probability);
    difference / base(1.0) / 2.0 + 0.5
}

/// The probability at a place on the scale.
fn unscaled(place: f64) -> f64 {
    if place <= NEAR {
        return 0.0;
    }
    if place >= 1.0 - NEAR {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if scaled(middle) < place {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
