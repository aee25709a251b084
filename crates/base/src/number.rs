//! Words about one thing or several.

/// Words that have `[one|several]` where it matters how many there are.
///
/// ```
/// use obook_base::in_number;
/// assert_eq!(in_number("lea[f|ves] that [is|are] gone", 1), "leaf that is gone");
/// assert_eq!(in_number("lea[f|ves] that [is|are] gone", 2), "leaves that are gone");
/// ```
#[must_use]
pub fn in_number(words: &str, count: u64) -> String {
    let parts = words.split(['[', ']']);
    let counted = parts.map(|part| match part.split_once('|') {
        Some((one, _)) if count == 1 => one,
        Some((_, several)) => several,
        None => part,
    });
    counted.collect()
}
