//! Recipes by name or from a file.

use crate::texts::{self, line_of};
use obook_learn::Recipe;
use std::io;
use std::path::{Path, PathBuf};

/// The names and texts of the built-in recipes.
const BUILT_IN: [(&str, &str); 6] = [
    ("accurate", include_str!("accurate.toml")),
    ("best-first", include_str!("best-first.toml")),
    ("fast", include_str!("fast.toml")),
    ("quick", include_str!("quick.toml")),
    ("small", include_str!("small.toml")),
    ("store", include_str!("store.toml")),
];

/// The highest level of a search, and the maximum length of a line in plies.
const MOST: u8 = 60;

/// The reason why there is no recipe.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoRecipe {
    #[error(
        "{given}: there is no recipe or file of this name{guess}; expected {names}, or a file with stages (`obook learn --print quick` shows an example)",
        names = names().collect::<Vec<_>>().join(", ")
    )]
    Unknown { given: String, guess: String },
    #[error("{}: can't read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: line {line}: {problem}", path.display())]
    Wrong {
        path: PathBuf,
        line: usize,
        problem: String,
    },
}

/// The names of the built-in recipes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.into_iter().map(|(name, _)| name)
}

/// The purpose of each built-in recipe: the first sentence of its text, in the order of [`names`].
pub(crate) fn summaries() -> impl Iterator<Item = String> {
    BUILT_IN.into_iter().map(|(_, text)| {
        let remarks = text.lines().map_while(|line| line.strip_prefix("# "));
        let remarks = remarks.collect::<Vec<_>>().join(" ");
        let (sentence, _) = remarks.split_once(". ").unwrap_or((&remarks, ""));
        sentence.trim_end_matches('.').to_owned()
    })
}

/// Returns the text of a built-in recipe, or of a file.
pub(crate) fn text(given: &str) -> Result<String, NoRecipe> {
    if let Some((_, text)) = BUILT_IN.into_iter().find(|(name, _)| *name == given) {
        return Ok(text.to_owned());
    }
    texts::read(Path::new(given), "a recipe").map_err(|source| {
        if source.kind() != io::ErrorKind::NotFound {
            let path = given.into();
            return NoRecipe::Unreadable { path, source };
        }
        let near = |name: &&str| strsim::damerau_levenshtein(name, given) <= 2;
        let guess = names().find(near);
        NoRecipe::Unknown {
            given: given.to_owned(),
            guess: guess.map_or_else(String::new, |name| format!(" (perhaps {name}?)")),
        }
    })
}

/// Returns the recipe with this name, or from this file.
pub(crate) fn recipe(given: &str) -> Result<Recipe, NoRecipe> {
    let text = text(given)?;
    read(&text).map_err(|(line, problem)| NoRecipe::Wrong {
        path: given.into(),
        line,
        problem,
    })
}

/// Reads a recipe. An error is the number of the line, from 1, and the problem.
fn read(text: &str) -> Result<Recipe, (usize, String)> {
    let recipe: Recipe = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (line_of(text, at), error.message().to_owned())
    })?;
    if recipe.stages.is_empty() {
        return Err((1, String::from("no stages: expected [[stages]]")));
    }
    for (at, stage) in recipe.stages.iter().enumerate() {
        let line = || {
            let tables = text.match_indices("[[stages]]");
            line_of(text, tables.map(|(at, _)| at).nth(at).unwrap_or(0))
        };
        if let Some(level) = stage.level.filter(|level| *level > MOST) {
            let problem = format!("level {level} is above {MOST}");
            return Err((line(), problem));
        }
        if let Some(depth) = stage.depth.filter(|depth| !(1..=MOST).contains(depth)) {
            let problem = format!("depth {depth} is not between 1 and {MOST}");
            return Err((line(), problem));
        }
    }
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_come_with_obook_can_be_read() {
        for name in names() {
            let recipe = recipe(name).unwrap();
            assert!(!recipe.stages.is_empty(), "{name}");
        }
    }

    #[test]
    fn errors_are_named_with_their_line() {
        for (text, line, words) in [
            ("", 1, "stages"),
            ("stages = []", 1, "no stages"),
            ("[[stages]]\nrule = \"expand\"\n", 2, "expand"),
            ("[[stages]]\nrule = \"extend\"\nlevel = -1\n", 3, "-1"),
            (
                "[[stages]]\nrule = \"extend\"\n[[stages]]\nrule = \"play\"\nlevel = 61\n",
                3,
                "61",
            ),
            (
                "[[stages]]\nrule = \"extend\"\ndepth = 0\n",
                1,
                "between 1 and 60",
            ),
            ("[[stages]]\nrule = \"extend\"\nlevle = 3\n", 3, "levle"),
            (
                "[[stages]]\nrule = { deviate = { relative = 2 } }\n",
                2,
                "absolute",
            ),
        ] {
            let (found, problem) = read(text).unwrap_err();
            assert!(problem.contains(words), "{text}: {problem}");
            assert_eq!(found, line, "{text}: {problem}");
        }
    }
}
