//! The parts that a program can be built without. Each of the other files here takes the place of the module of that name in a build
//! without the feature of that name: its commands are there, and say how to get what they need.

/// How to build a program that has every feature.
const FULL: &str = "cargo install obook-cli --features full";

/// The problem of a command that needs this feature.
pub(crate) fn missing(feature: &str) -> String {
    format!("this obook was built without '{feature}': {FULL}")
}
