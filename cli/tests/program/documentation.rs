//! The documentation is run: every console block of the README and of docs/ must print what it says, and draw the
//! pictures that are shown.
//!
//! `TRYCMD=overwrite cargo test --test all documentation` writes what the commands print and draw now into the documents, and
//! `docs/commands.md` anew.

use crate::laws::files;
use crate::support::program::{listed, stdout};
use obook_converters::zebra::Form;
use obook_converters::{Format, StoredLinks};
use obook_othello::Engine;
use obook_testing::{ntest_book, sensei_book, task_list, zebra_book};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The documents outside of docs/ whose examples are run.
const READMES: [&str; 2] = ["README.md", "README.ja.md"];

/// The folders of documents.
const FOLDERS: [&str; 2] = ["docs", "docs/research"];

/// The documents whose examples are run.
fn documents() -> Vec<PathBuf> {
    let root = crate::support::root();
    let in_folders = FOLDERS
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let readmes = READMES.map(|name| root.join(name));
    let documents: Vec<PathBuf> = in_folders.chain(readmes).collect();
    assert!(documents.len() > 20, "{documents:?}");
    documents
}

/// Two tests may write into one document.
pub(super) static DOCUMENTS: Mutex<()> = Mutex::new(());

/// Runs each document in a folder with the files that its commands need.
#[cfg_attr(not(feature = "full"), ignore = "the documents have all features")]
/// Law (The code itself): Every command prints what the documentation says, and the list of commands is complete.
/// Also: `the_list_of_commands_is_complete` `cli/tests/program/cookbook.rs` `every_question_has_the_answer_below_it`
#[test]
fn every_command_prints_what_the_documentation_says() {
    let _alone = DOCUMENTS.lock();
    let mut pictures = 0;
    for document in documents() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join(document.file_name().unwrap());
        fs::copy(&document, &copy).unwrap();
        // Commands run in the folder beside a document that has its name and ends in `.in`.
        let work = copy.with_extension("in");
        fs::create_dir(&work).unwrap();
        copy_examples(&work);
        run(&copy);
        if overwrites() {
            fs::copy(&copy, &document).unwrap();
        }
        pictures += compare_pictures(&document, &work);
    }
    assert!(pictures > 1, "{pictures} pictures were compared");
}

/// The tables of formats and engines in the documentation are those of the code.
#[test]
fn every_format_and_engine_is_in_the_tables() {
    let root = crate::support::root();
    let rows = |page: &str, header: &str| -> Vec<String> {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let (_, table) = text
            .split_once(header)
            .unwrap_or_else(|| panic!("{page}: {header}"));
        let lines = table.lines().skip(2);
        lines
            .take_while(|line| line.starts_with('|'))
            .map(str::to_owned)
            .collect()
    };
    let each = |page: &str, header: &str, expected: &dyn Fn(Format) -> String| {
        let rows = rows(page, header);
        assert_eq!(rows.len(), Format::ALL.len(), "{page}");
        for (row, format) in rows.iter().zip(Format::ALL) {
            let expected = expected(format);
            assert!(
                row.starts_with(&expected),
                "{page}: found {row}, expected {expected}"
            );
        }
    };
    let is_written = |format| Format::WRITTEN.contains(&format);
    let endings = |format: Format, separator: &str, folder: &str| {
        let endings = format.endings().iter().map(|ending| format!("`.{ending}`"));
        match endings.collect::<Vec<_>>() {
            none if none.is_empty() => folder.to_owned(),
            endings => endings.join(separator),
        }
    };
    each("README.md", "| format | extension |", &|format| {
        let endings = endings(format, ", ", "a folder");
        let written = if is_written(format) { "yes" } else { "no" };
        format!(
            "| `{format}` | {endings} | {} | yes | {written} |",
            format.program()
        )
    });
    each("README.ja.md", "| 形式 | 拡張子 |", &|format| {
        format!("| `{format}` | {} | ", endings(format, "、", "フォルダー"))
    });
    each("docs/formats.md", "| format | program |", &|format| {
        format!("| `{format}` | {} | ", format.program())
    });
    let of_files = rows("docs/functions.md", "| table | reads |");
    assert_eq!(of_files.len(), 1 + Format::ALL.len());
    for (row, format) in of_files.iter().skip(1).zip(Format::ALL) {
        let table = format.name().replace('-', "_");
        assert!(row.starts_with(&format!("| `{table}(")), "{row}");
        let has_links = format.holds().links != StoredLinks::None;
        assert_eq!(
            row.contains(&format!("`{table}_links(file)`")),
            has_links,
            "{row}"
        );
    }
    let of_engines = rows("docs/merging.md", "| engine | level |").concat();
    for engine in Engine::ALL {
        assert!(of_engines.contains(&format!("`{engine}`")), "{engine}");
    }
}

/// The names of the files in `examples/`, as its page lists them.
fn examples() -> Vec<String> {
    let page = fs::read_to_string(example("README.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    let names = cells.flat_map(|cell| cell.split(", "));
    let names: Vec<String> = names
        .map(|name| name.trim_matches('`').to_owned())
        .collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

fn example(name: &str) -> PathBuf {
    let root = crate::support::root();
    root.join("examples").join(name)
}

/// Fills a folder as a clone has `examples/`, without what a reader's commands have written there.
fn copy_examples(folder: &Path) {
    for name in examples() {
        let (from, to) = (example(&name), folder.join(&name));
        if from.is_dir() {
            fs::create_dir(&to).unwrap();
            for file in fs::read_dir(&from).unwrap().map(Result::unwrap) {
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// The examples that no program wrote are those of the tests.
#[test]
fn made_examples_are_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str| folder.path().join(name);
    let zebra = zebra_book::small().bytes(Form::Compressed);
    fs::write(made("zebra.cmp"), zebra).unwrap();
    fs::write(made("ntest.book"), ntest_book::small().bytes()).unwrap();
    fs::write(made("solved.csv"), task_list::SMALL).unwrap();
    sensei_book::write(&made("sensei"), &sensei_book::small());
    let mut files: Vec<String> = ["zebra.cmp", "ntest.book", "solved.csv"]
        .map(str::to_owned)
        .into();
    let sensei = fs::read_dir(made("sensei")).unwrap();
    files.extend(sensei.map(|file| {
        let name = file.unwrap().file_name();
        format!("sensei/{}", name.to_str().unwrap())
    }));
    assert!(files.len() > 4, "{files:?}");
    for name in files {
        if overwrites() {
            fs::create_dir_all(example("sensei")).unwrap();
            fs::copy(made(&name), example(&name)).unwrap();
        }
        let is_same = fs::read(made(&name)).unwrap() == fs::read(example(&name)).unwrap();
        assert!(
            is_same,
            "examples/{name} is outdated: TRYCMD=overwrite writes it"
        );
    }
}

/// A page says where the files are before it first names one.
#[test]
fn every_page_that_needs_an_example_says_where_it_is() {
    let examples = examples();
    let mut needed = BTreeSet::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let is_word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let mut says = false;
        for line in text.lines() {
            says |= line.contains("cd examples");
            let command = line.strip_prefix("$ obook ").unwrap_or_default();
            let words = command.split(|c| !is_word(c));
            for name in words.filter(|word| examples.iter().any(|it| it == word)) {
                assert!(
                    says,
                    "{}: {name}: say `cd examples` first",
                    document.display()
                );
                needed.insert(name.to_owned());
            }
        }
    }
    assert!(needed.len() > 10, "{needed:?}");
}

/// Compares the pictures that a document shows with those that its commands have drawn in `work`. Returns their number.
fn compare_pictures(document: &Path, work: &Path) -> usize {
    let text = fs::read_to_string(document).unwrap();
    let shown = text.lines().filter_map(|line| line.strip_prefix("!["));
    let shown = shown.filter_map(|line| line.split_once("](")?.1.strip_suffix(')'));
    let mut compared = 0;
    for picture in shown.map(|link| document.parent().unwrap().join(link)) {
        let Ok(drawn) = fs::read(work.join(picture.file_name().unwrap())) else {
            continue;
        };
        if overwrites() {
            fs::write(&picture, &drawn).unwrap();
        }
        let is_same = fs::read(&picture).unwrap() == drawn;
        assert!(is_same, "{} is outdated", picture.display());
        compared += 1;
    }
    compared
}

fn overwrites() -> bool {
    std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite")
}

fn run(document: &PathBuf) {
    trycmd::TestCases::new()
        .register_bin(
            "obook",
            trycmd::schema::Bin::Path(env!("CARGO_BIN_EXE_obook").into()),
        )
        .case(document);
}

/// `docs/commands.md` is made from the help: it has every command, every option and every recipe.
#[test]
fn the_list_of_commands_is_complete() {
    let _alone = DOCUMENTS.lock();
    let path = crate::support::root().join("docs/commands.md");
    let expected = list_of_commands();
    if overwrites() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap();
    let differs = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
    assert!(
        found == expected,
        "run `TRYCMD=overwrite cargo test --test all documentation`: {differs:?}"
    );
}

const ABOUT_THE_LIST: &str = "\
# Commands

All commands with their options, in the groups of `obook help all`. `obook COMMAND --help`, or a manual page (`obook man`), explains
them with examples. All commands take `--wait SECONDS`: how long to wait for another process that writes to the same database. A test
makes this page.

The exit status is 0; 1 after an error, or if a check finds something; 2 for wrong usage, or if `diff` can't read a book; 128 + N after
signal N. `OBOOK_PAGER`, else `PAGER`, shows long answers, `TMPDIR` holds temporary files, and `NO_COLOR=1` takes the colours from
`obook shell`.
";

fn list_of_commands() -> String {
    let mut page = String::from(ABOUT_THE_LIST);
    let help = stdout(["help", "all"]);
    let groups = help.lines().take_while(|line| *line != "Options:");
    for line in groups {
        if let Some(title) = line.strip_suffix(':') {
            page += &format!("\n## {title}\n\n");
        } else if let [command] = listed(line)[..] {
            write_items(&mut page, &[command]);
        }
    }
    page += "\n## Recipes\n\nThe built-in recipes of `obook learn`; [learning.md](learning.md) explains how to write one.\n\n";
    for (name, about) in recipes() {
        writeln!(page, "- `{name}`: {about}").unwrap();
    }
    page
}

/// Writes an item for a command, or for each of its subcommands.
fn write_items(page: &mut String, words: &[&str]) {
    let help = stdout(words.iter().chain(&["--help"]));
    let below = listed(&help);
    for name in &below {
        write_items(page, &[words, &[name]].concat());
    }
    if !below.is_empty() {
        return;
    }
    let about = help.lines().next().unwrap();
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let usage = plain(&usage.unwrap().replace(" [OPTIONS]", ""));
    let known = ["--help", "--version", "--wait SECONDS"];
    let arguments = help.lines().take_while(|line| *line != "Examples:");
    let options = arguments.filter_map(option);
    let options = options.filter(|option| !known.contains(&option.as_str()));
    let names = options.map(|option| option.split(' ').next().unwrap().to_owned());
    let options: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    writeln!(page, "- `{usage}`: {about}. {}", options.join(" ")).unwrap();
}

/// The long option that a line of help is about, with its value. Explanations are indented further.
fn option(line: &str) -> Option<String> {
    let indented = line;
    let line = line.trim_start();
    if indented.len() - line.len() > 6 {
        return None;
    }
    let line = match line.split_once(", --") {
        Some((short, _)) if short.len() == 2 => &line[4..],
        _ => line,
    };
    // The explanation comes after two spaces, or in the next line.
    let option = line.split("  ").next()?;
    option.starts_with("--").then(|| plain(option))
}

/// Text without angle brackets, which would be HTML.
fn plain(text: &str) -> String {
    text.replace(['<', '>'], "")
}

/// The recipes in `obook learn --help`, with their descriptions.
fn recipes() -> Vec<(String, String)> {
    let help = stdout(["learn", "--help"]);
    let (_, help) = help.split_once("--recipe").unwrap();
    let (_, help) = help.split_once("Possible values:\n").unwrap();
    let mut recipes: Vec<(String, String)> = Vec::new();
    for line in help
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
    {
        match line.strip_prefix("- ").and_then(|row| row.split_once(": ")) {
            Some((name, about)) => recipes.push((name.to_owned(), about.trim().to_owned())),
            None => {
                let (_, about) = recipes.last_mut().unwrap();
                about.push(' ');
                about.push_str(line);
            }
        }
    }
    assert!(recipes.len() > 4, "{recipes:?}");
    recipes
}

/// Files that a guide tells its reader to make.
const TO_BE_MADE: [&str; 3] = [
    "converters/src/newformat.rs",
    "crates/games/src/newformat.rs",
    "cli/src/commands/newcommand.rs",
];

#[test]
fn every_file_named_in_the_documentation_exists() {
    let root = crate::support::root();
    let guide = root.join("CONTRIBUTING.md");
    let mut files = 0;
    for document in documents().into_iter().chain([guide.clone()]) {
        let text = fs::read_to_string(&document).unwrap();
        let code = text.split('`').skip(1).step_by(2);
        // Laws have the test behind the file.
        let code = code.map(|code| code.split("::").next().unwrap());
        let mut named = 0;
        for path in code.filter(|it| is_path(root, it) && !TO_BE_MADE.contains(it)) {
            named += 1;
            assert!(root.join(path).exists(), "{}: {path}", document.display());
        }
        files += named;
        assert!(document != guide || named > 20, "{named} in the guide");
    }
    assert!(files > 100, "{files}");
}

/// Links lead to files of the repository, and to headings that these have.
#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    for document in files("md") {
        let name = document.display();
        let text = without_code(&fs::read_to_string(&document).unwrap());
        let targets = text.split("](").skip(1);
        let targets = targets.map(|rest| rest.split(')').next().unwrap());
        for link in targets.filter(|link| !link.contains("://")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => document.clone(),
                _ => document.parent().unwrap().join(path),
            };
            let is_item = !path.contains('.') && !path.contains('/');
            // Links to items are rustdoc's.
            if !path.is_empty() && is_item {
                continue;
            }
            links += 1;
            assert!(target.exists(), "{name}: {link}");
            if !heading.is_empty() {
                let page = without_code(&fs::read_to_string(&target).unwrap());
                let headings: Vec<String> = page
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .map(anchor)
                    .collect();
                assert!(
                    headings.iter().any(|it| it == heading),
                    "{name}: {link}: {headings:?}"
                );
            }
        }
    }
    assert!(links > 100, "{links}");
}

/// A page without its blocks of code.
fn without_code(page: &str) -> String {
    let blocks = page.split("\n```").step_by(2);
    blocks.collect::<Vec<_>>().join("\n")
}

/// The name of a heading in links, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|&c| c.is_alphanumeric() || "-_ ".contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether it looks like a path in the repository.
fn is_path(root: &Path, text: &str) -> bool {
    let is_part_of_paths = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    match text.split_once('/') {
        // Build outputs need not exist.
        Some(("target", _)) | None => false,
        Some((folder, _)) => text.chars().all(is_part_of_paths) && root.join(folder).is_dir(),
    }
}
