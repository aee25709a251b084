//! Words that depend on a number, and words that begin a sentence.

/// Words for this many things: of each `[one|several]`, the part that fits the number.
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

/// Words with a capital letter at the beginning.
///
/// ```
/// assert_eq!(obook_base::capital("black has won"), "Black has won");
/// ```
#[must_use]
pub fn capital(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.as_str().chars()).collect()
}
