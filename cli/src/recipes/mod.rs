//! Recipes by name or from a file.

use crate::prelude::*;
use crate::texts::{self, line_of};
use obook_learn::{Recipe, shogi};
use serde::de::DeserializeOwned;

/// The recipes of a game that come with obook.
pub(crate) struct BuiltIn {
    /// The command that takes them.
    command: &'static str,
    /// Their names and texts.
    texts: &'static [(&'static str, &'static str)],
}

/// The recipes for Othello.
pub(crate) const OTHELLO: BuiltIn = BuiltIn {
    command: "obook learn",
    texts: &[
        ("accurate", include_str!("accurate.toml")),
        ("best-first", include_str!("best-first.toml")),
        ("fast", include_str!("fast.toml")),
        ("quick", include_str!("quick.toml")),
        ("small", include_str!("small.toml")),
        ("store", include_str!("store.toml")),
    ],
};

/// The recipes for shogi.
pub(crate) const SHOGI: BuiltIn = BuiltIn {
    command: "obook shogi learn",
    texts: &[
        ("best-first", include_str!("shogi/best-first.toml")),
        ("complete", include_str!("shogi/complete.toml")),
        ("played", include_str!("shogi/played.toml")),
    ],
};

/// The highest level of a search, and the maximum length of a line in plies.
const MOST: u8 = 60;

/// The names of the built-in recipes for Othello, each with its purpose: the first sentence of its text.
pub(crate) fn summaries() -> impl Iterator<Item = (&'static str, String)> {
    OTHELLO.texts.iter().map(|(name, text)| {
        let remarks = text.lines().map_while(|line| line.strip_prefix("# "));
        let remarks = remarks.collect::<Vec<_>>().join(" ");
        let (sentence, _) = remarks.split_once(". ").unwrap_or((&remarks, ""));
        (*name, sentence.trim_end_matches('.').to_owned())
    })
}

impl BuiltIn {
    /// Returns the text of one of these recipes, or of a file.
    pub(crate) fn text(&self, given: &str) -> Result<String, Failure> {
        if let Some((_, text)) = self.texts.iter().find(|(name, _)| *name == given) {
            return Ok((*text).to_owned());
        }
        let file = Path::new(given);
        texts::read(file, "a recipe").map_err(|source| {
            if source.kind() != io::ErrorKind::NotFound {
                return Failure::file(file, format!("can't read: {source}"));
            }
            let near = |name: &&str| strsim::damerau_levenshtein(name, given) <= 2;
            let names: Vec<&str> = self.texts.iter().map(|(name, _)| *name).collect();
            let guess = names.iter().copied().find(near);
            let guess = guess.map_or_else(String::new, |name| format!(" (perhaps {name}?)"));
            let problem = format!(
                "there is no recipe or file of this name{guess}; expected {}, or a file with stages (`{} --print {}` shows an example)",
                names.join(", "),
                self.command,
                names[0]
            );
            Failure::file(file, problem)
        })
    }
}

/// Returns the recipe with this name, or from this file.
pub(crate) fn recipe(given: &str) -> Result<Recipe, Failure> {
    read(&OTHELLO.text(given)?).map_err(wrong(given))
}

/// Returns the recipe for shogi with this name, or from this file.
pub(crate) fn for_shogi(given: &str) -> Result<shogi::Recipe, Failure> {
    let recipe: shogi::Recipe = parsed(&SHOGI.text(given)?).map_err(wrong(given))?;
    some_stages(&recipe.stages).map_err(wrong(given))?;
    Ok(recipe)
}

/// A mistake on a line of a recipe: its number, from 1, and the problem.
type Mistake = (usize, String);

fn wrong(given: &str) -> impl FnOnce(Mistake) -> Failure {
    move |(line, problem)| Failure::file(Path::new(given), format!("line {line}: {problem}"))
}

fn parsed<R: DeserializeOwned>(text: &str) -> Result<R, Mistake> {
    toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let bare = text.get(span.clone()).filter(|_| error.message() == BARE);
        let problem = bare.and_then(|rule| needs_numbers(rule.trim_matches(['"', '\''])));
        let problem = problem.unwrap_or_else(|| error.message().to_owned());
        (line_of(text, span.start), problem)
    })
}

/// Serde's message for the bare name of a rule that has numbers.
const BARE: &str = "invalid type: unit variant, expected struct variant";

/// The rules that need numbers, with an example of each; those of shogi are the last ones.
const WITH_NUMBERS: [(&str, &str); 8] = [
    ("deviate", "relative = 2, absolute = 4"),
    ("enhance", "midgame-error = 2, endcut-error = 4"),
    ("fill", "plies = 3"),
    ("egaroucid-deviate", "per-move = 2, sum = 4, leaf = 2"),
    ("recalculate", "per-move = 2, sum = 4"),
    ("best-first", "least = 0.02"),
    ("best-first", "error = 100"),
    ("played", "min-games = 2"),
];

fn needs_numbers(rule: &str) -> Option<String> {
    let examples = WITH_NUMBERS.iter().filter(|(name, _)| *name == rule);
    let examples: Vec<String> = examples
        .map(|(name, numbers)| format!("{{ {name} = {{ {numbers} }} }}"))
        .collect();
    (!examples.is_empty()).then(|| {
        let examples = examples.join(", or for shogi ");
        format!("the rule {rule} needs numbers, such as {examples}")
    })
}

fn some_stages<S>(stages: &[S]) -> Result<(), Mistake> {
    match stages.is_empty() {
        true => Err((1, String::from("no stages: expected [[stages]]"))),
        false => Ok(()),
    }
}

fn read(text: &str) -> Result<Recipe, Mistake> {
    let recipe: Recipe = parsed(text)?;
    some_stages(&recipe.stages)?;
    for (at, stage) in recipe.stages.iter().enumerate() {
        let problem = match (stage.level, stage.depth) {
            (Some(level), _) if level > MOST => format!("level {level} is above {MOST}"),
            (_, Some(depth)) if !(1..=MOST).contains(&depth) => {
                format!("depth {depth} is not between 1 and {MOST}")
            }
            _ => continue,
        };
        let is_stage = |line: &&str| line.trim_start().starts_with("[[stages]]");
        let mut stages = (1..).zip(text.lines()).filter(|(_, line)| is_stage(line));
        let line = stages.nth(at).map_or(1, |(number, _)| number);
        return Err((line, problem));
    }
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_come_with_obook_can_be_read() {
        for (name, _) in OTHELLO.texts {
            let recipe = recipe(name).unwrap();
            assert!(!recipe.stages.is_empty(), "{name}");
        }
        for (name, _) in SHOGI.texts {
            assert_eq!(for_shogi(name).unwrap().stages.len(), 1, "{name}");
        }
    }

    #[test]
    fn a_line_of_a_recipe_can_be_played() {
        let text = "# Mine\nfrom = \"7g7f 7g7e\"\n[[stages]]\nrule = \"complete\"\n";
        let (line, problem) = parsed::<shogi::Recipe>(text).unwrap_err();
        assert!(
            problem.starts_with("from: move 2, 7g7e, isn't legal"),
            "{problem}"
        );
        assert_eq!(line, 2);
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
                "# [[stages]]\n[[stages]]\nrule = \"extend\"\ndepth = 0\n",
                2,
                "between 1 and 60",
            ),
            ("[[stages]]\nrule = \"extend\"\nlevle = 3\n", 3, "levle"),
            (
                "[[stages]]\nrule = { deviate = { relative = 2 } }\n",
                2,
                "absolute",
            ),
            (
                "[[stages]]\nrule = \"fill\"\n",
                2,
                "the rule fill needs numbers, such as { fill = { plies = 3 } }",
            ),
            (
                "[[stages]]\nrule = { best-first = { least = nan } }\n",
                2,
                "least = NaN: expected a number of discs from 0",
            ),
            (
                "[[stages]]\nrule = { best-first = { least = -1 } }\n",
                2,
                "least = -1:",
            ),
            (
                "[[stages]]\nrule = { best-first = { least = inf } }\n",
                2,
                "least = inf:",
            ),
            (
                "[[stages]]\nrule = \"extend\"\nuntil = {}\n",
                3,
                "until needs searches or positions",
            ),
            (
                "[[stages]]\nrule = \"extend\"\nuntil = { searches = 0 }\n",
                3,
                "each from 1",
            ),
            (
                "[[stages]]\nrule = \"extend\"\nuntil = { searches = 9, positions = 0 }\n",
                3,
                "each from 1",
            ),
        ] {
            let (found, problem) = read(text).unwrap_err();
            assert!(problem.contains(words), "{text}: {problem}");
            assert_eq!(found, line, "{text}: {problem}");
        }
    }

    /// Each example is one that can be read, and no rule without numbers lacks one.
    #[test]
    fn rules_that_need_numbers_have_an_example() {
        for (name, numbers) in WITH_NUMBERS {
            let stage = |rule: &str| format!("[[stages]]\nrule = {rule}\n");
            let bare = stage(&format!("\"{name}\""));
            let full = stage(&format!("{{ {name} = {{ {numbers} }} }}"));
            let read = |text: &str| {
                let is_shogi = numbers.contains("error = 100") || name == "played";
                match is_shogi {
                    true => parsed::<shogi::Recipe>(text).map(drop),
                    false => parsed::<Recipe>(text).map(drop),
                }
            };
            assert_eq!(read(&full), Ok(()), "{full}");
            let (line, problem) = read(&bare).unwrap_err();
            let expected = format!("the rule {name} needs numbers, such as {{ {name} = {{ ");
            assert!(problem.starts_with(&expected), "{problem}");
            assert_eq!(line, 2);
        }
    }
}
