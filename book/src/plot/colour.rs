//! Colours that stand out from a white page and from a dark one.

use serde::Serialize;

/// Where colours come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Palette {
    /// From little to much.
    Rising,
    /// From the best grade to the worst.
    Grades,
    /// From lost over even to won.
    Balance,
}

/// Red, green and blue.
type Rgb = [u8; 3];

/// From the least to the most.
const RISING: [Rgb; 5] = [
    [0xf2, 0xc8, 0x5b],
    [0x7f, 0xc2, 0x9b],
    [0x3a, 0x9e, 0xa5],
    [0x3f, 0x78, 0xb5],
    [0x6d, 0x5a, 0xbd],
];

/// From the best grade to the worst.
const GRADES: [Rgb; 5] = [
    [0x1f, 0x8a, 0x5b],
    [0x7f, 0xc2, 0x7b],
    [0xee, 0xd2, 0x66],
    [0xec, 0x9a, 0x4f],
    [0xb9, 0x4a, 0x5e],
];

/// From lost over even to won.
const BALANCE: [Rgb; 3] = [[0xcf, 0x5c, 0x45], [0xa3, 0xa9, 0xb2], [0x2f, 0x86, 0xc0]];

/// What is not known.
pub(super) const UNKNOWN: &str = "#a3a9b2";

/// The colour of series `index` of `count`.
pub(super) fn of_series(palette: Palette, index: usize, count: usize) -> String {
    let stops: &[Rgb] = match palette {
        Palette::Rising => &RISING,
        Palette::Grades => &GRADES,
        Palette::Balance => &BALANCE,
    };
    let place = match count {
        0 | 1 => 0.6,
        _ => index as f64 / (count - 1) as f64,
    };
    blend(stops, place)
}

/// The colour of a score: 12 discs are as good as won.
pub(super) fn of_score(score: i16) -> String {
    let score = f64::from(score.clamp(-12, 12));
    // The first disc counts most, so that +1 is no longer grey.
    let strength = (score.abs() / 12.0).sqrt();
    blend(&BALANCE, 0.5 + 0.5 * strength.copysign(score))
}

/// The colour at a place from 0 to 1 among evenly spread stops.
fn blend(stops: &[Rgb], place: f64) -> String {
    let place = place.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let left = (place as usize).min(stops.len() - 2);
    let share = place - left as f64;
    let channel = |channel: usize| {
        let (from, to) = (stops[left][channel], stops[left + 1][channel]);
        (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_go_from_red_to_blue() {
        assert_eq!(of_score(-64), "#cf5c45");
        assert_eq!(of_score(0), "#a3a9b2");
        assert_eq!(of_score(64), "#2f86c0");
        assert_eq!(of_series(Palette::Rising, 0, 2), "#f2c85b");
        assert_eq!(of_series(Palette::Rising, 1, 2), "#6d5abd");
    }
}
