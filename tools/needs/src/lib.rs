//! Some tests need a file or a program that the repository can't carry, such as a book of 100 MB or a real engine. Without it
//! they are reported as ignored, with the reason:
//!
//! ```text
//! #[needs(large_books)]
//! #[test]
//! fn the_largest_book_comes_back() { … }
//! ```
//!
//! `build.rs` lists the things that a test can need and says where it looks for them. It does not notice when a missing file
//! appears: `touch tools/needs/build.rs` then.
#![forbid(unsafe_code)]

use proc_macro::{TokenStream, TokenTree};

/// The needs of tests, each with the reason why a test is ignored without it.
const THINGS: &[(&str, Option<&str>)] = include!(concat!(env!("OUT_DIR"), "/things.rs"));

/// Ignores the test if one of the things that it needs is missing. The attribute goes above `#[test]`.
#[proc_macro_attribute]
pub fn needs(things: TokenStream, test: TokenStream) -> TokenStream {
    let mut missing = None;
    for thing in things.to_string().split(',').map(str::trim) {
        let Some((_, reason)) = THINGS.iter().find(|(name, _)| *name == thing) else {
            return error(&format!("{thing} is not in tools/needs/build.rs"));
        };
        missing = missing.or(*reason);
    }
    if !test.clone().into_iter().any(is_test_attribute) {
        return error("#[needs] goes above #[test]: below it, it has no effect");
    }
    let ignore = missing.map_or(String::new(), |reason| format!("#[ignore = {reason:?}]"));
    let mut items: TokenStream = ignore.parse().expect("an attribute, or nothing");
    items.extend(test);
    items
}

fn is_test_attribute(token: TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.stream().to_string() == "test")
}

fn error(message: &str) -> TokenStream {
    let error = format!("compile_error!({message:?});");
    error.parse().expect("a macro call")
}
