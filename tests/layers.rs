//! The layers that the compiler can't see: inside a crate, files import each other in one direction only.
//!
//! An arrow leads from a file to each file whose names it uses. A `mod.rs` or `lib.rs` that hands names on is looked
//! through: the arrow leads to the file that defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates, each of which may depend on those before it.
const CRATES: [&str; 10] = [
    "othello",
    "cycles",
    "converters",
    "engine",
    "games",
    "rows",
    "extension",
    "book",
    "nats",
    ".",
];

/// The parts of the library, each of which may use those before it.
const PARTS_OF_BOOK: [&str; 16] = [
    "kind", "error", "progress", "scratch", "atomic", "parallel", "sort", "graph", "store", "read",
    "games", "search", "check", "write", "learn", "plot",
];

/// A module's path inside its crate, without the name of the crate.
type Module = Vec<String>;

/// The modules of a crate with their texts.
struct Crate {
    modules: BTreeMap<Module, String>,
    /// Names that a module hands on, and the module that they come from.
    handed_on: BTreeMap<(Module, String), Module>,
}

impl Crate {
    fn read(folder: &Path) -> Crate {
        let mut modules = BTreeMap::new();
        collect(folder, &mut Vec::new(), &mut modules);
        assert!(!modules.is_empty(), "no source in {}", folder.display());
        let mut found = Crate {
            modules,
            handed_on: BTreeMap::new(),
        };
        let mut handed_on = BTreeMap::new();
        for (module, text) in &found.modules {
            for path in uses(text, true) {
                let Some(path) = found.absolute(module, &path) else {
                    continue;
                };
                let (target, rest) = found.split(&path);
                if let [name, ..] = rest
                    && target != *module
                {
                    handed_on.insert((module.clone(), name.clone()), target);
                }
            }
        }
        found.handed_on = handed_on;
        found
    }

    /// A path as the module that it begins in writes it, from the root of the crate; `None` for another crate's.
    fn absolute(&self, from: &Module, path: &[String]) -> Option<Vec<String>> {
        let mut base = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => from.clone(),
            first => {
                let mut child = from.clone();
                child.push(first.to_owned());
                if !self.modules.contains_key(&child) {
                    return None;
                }
                from.clone()
            }
        };
        for segment in path {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }

    /// The innermost module on a path, and what is named in it.
    fn split<'p>(&self, path: &'p [String]) -> (Module, &'p [String]) {
        let depth = (0..=path.len())
            .rev()
            .find(|depth| self.modules.contains_key(&path[..*depth]))
            .expect("the root is a module");
        (path[..depth].to_vec(), &path[depth..])
    }

    /// The module that defines what a path names.
    fn defining(&self, path: &[String]) -> Module {
        let (mut module, rest) = self.split(path);
        let mut steps = 0;
        while let [name, ..] = rest
            && let Some(next) = self.handed_on.get(&(module.clone(), name.clone()))
        {
            module = next.clone();
            steps += 1;
            assert!(steps < 10, "{name} is handed on in a circle");
        }
        module
    }

    /// From which module to which, with a name that is used.
    fn arrows(&self) -> BTreeMap<(Module, Module), String> {
        let mut arrows = BTreeMap::new();
        for (from, text) in &self.modules {
            for path in uses(text, false) {
                let Some(path) = self.absolute(from, &path) else {
                    continue;
                };
                let to = self.defining(&path);
                if to != *from {
                    arrows.insert((from.clone(), to), path.join("::"));
                }
            }
        }
        arrows
    }
}

/// The modules below a folder of sources.
fn collect(folder: &Path, module: &mut Module, modules: &mut BTreeMap<Module, String>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            module.push(stem);
            collect(&path, module, modules);
            module.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = without_tests_and_comments(&fs::read_to_string(&path).unwrap());
            let mut own = module.clone();
            if !["mod", "lib", "main"].contains(&stem.as_str()) {
                own.push(stem);
            }
            let before = modules.insert(own, text);
            assert!(
                before.is_none(),
                "two files of one module: {}",
                path.display()
            );
        }
    }
}

fn without_tests_and_comments(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of the names that a text uses; or of those that it hands on.
fn uses(text: &str, handed_on: bool) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for statement in text.split(';') {
        // What stands before the statement belongs to another item.
        let at = statement.rfind("use ").filter(|at| {
            let before = &statement[..*at];
            before.is_empty() || before.ends_with([' ', '\n'])
        });
        let (code, tree) = statement.split_at(at.unwrap_or(statement.len()));
        let is_handed_on = code
            .lines()
            .last()
            .is_some_and(|line| line.trim().starts_with("pub"));
        if let Some(tree) = tree.strip_prefix("use ")
            && is_handed_on == handed_on
        {
            expand(&[], tree, &mut paths);
        }
        if !handed_on {
            // Paths in the code itself; those of another crate, or of a type, name no module.
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let words = code.split(|c: char| !is_part(c));
            let named = words.filter(|word| word.contains("::") && !word.ends_with(':'));
            paths.extend(named.map(|word| word.split("::").map(str::to_owned).collect()));
        }
    }
    paths
}

/// The paths of a tree such as `crate::{a::B, c::{D, E as F}}`.
fn expand(prefix: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (head, group) = match tree.split_once('{') {
        Some((head, rest)) => (
            head,
            Some(rest.rsplit_once('}').map_or(rest, |(inner, _)| inner)),
        ),
        None => (tree, None),
    };
    let head = head.split(" as ").next().unwrap();
    let mut path = prefix.to_vec();
    let segments = head.split("::").map(str::trim);
    path.extend(
        segments
            .filter(|it| !it.is_empty() && *it != "*")
            .map(str::to_owned),
    );
    let Some(group) = group else {
        if !path.is_empty() {
            paths.push(path);
        }
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(&path, &group[start..at], paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

fn source(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of).join("src")
}

/// The modules that the arrows lead to from one of them.
fn reached_from<'a>(
    start: &'a Module,
    arrows: &'a BTreeMap<(Module, Module), String>,
) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::from([start]);
    let mut waiting = vec![start];
    while let Some(module) = waiting.pop() {
        for (_, to) in arrows.keys().filter(|(from, _)| from == module) {
            if reached.insert(to) {
                waiting.push(to);
            }
        }
    }
    reached
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for name in CRATES {
        let arrows = Crate::read(&source(name)).arrows();
        let leads_back = |(from, to): &&(Module, Module)| reached_from(to, &arrows).contains(from);
        let left: Vec<&(Module, Module)> = arrows.keys().filter(leads_back).collect();
        let circle: Vec<String> = left
            .iter()
            .map(|arrow| {
                format!(
                    "{} -> {}: {}",
                    arrow.0.join("::"),
                    arrow.1.join("::"),
                    arrows[arrow]
                )
            })
            .collect();
        assert!(
            circle.is_empty(),
            "circles in {name}:\n{}",
            circle.join("\n")
        );
    }
}

#[test]
fn the_parts_of_the_library_use_only_those_below_them() {
    let arrows = Crate::read(&source("book")).arrows();
    let rank = |module: &Module| {
        let part = module.first()?;
        PARTS_OF_BOOK.iter().position(|name| name == part)
    };
    let mut ranked = 0;
    for ((from, to), name) in &arrows {
        let (Some(upper), Some(lower)) = (rank(from), rank(to)) else {
            continue;
        };
        ranked += 1;
        assert!(lower <= upper, "{} uses {name}", from.join("::"));
    }
    assert!(ranked > 100, "the arrows were found: {ranked}");
}

#[test]
fn crates_depend_on_those_before_them() {
    for (place, name) in CRATES.iter().enumerate() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(name)
            .join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let (_, dependencies) = manifest
            .split_once("\n[dependencies]\n")
            .unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for line in dependencies.lines() {
            let Some(other) = line.strip_prefix("obook-") else {
                continue;
            };
            let other = other.split(['.', ' ']).next().unwrap();
            let other_place = CRATES.iter().position(|it| *it == other);
            assert!(
                other_place.is_some_and(|it| it < place),
                "{name} depends on {other}"
            );
        }
    }
}
