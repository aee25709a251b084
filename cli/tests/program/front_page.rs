//! What a newcomer sees first: `obook`, `obook --help` and `obook help all`.

use crate::support::program::{listed, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The commands that a page shows with arguments, in their words.
fn steps(page: &str) -> Vec<Vec<&str>> {
    let lines = page
        .lines()
        .filter_map(|line| line.strip_prefix("  obook "));
    let steps = lines.filter_map(|line| line.split("  ").next());
    steps.map(|step| step.split(' ').collect()).collect()
}

#[test]
fn the_front_page_is_short() {
    let page = stdout::<&str>([]);
    assert!(page.lines().count() <= 20, "{page}");
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
    let (_, next) = page.split_once("\nThen:\n").unwrap();
    assert_eq!(
        listed(next),
        ["why", "learn", "undo", "export", "merge", "games", "query"]
    );
    for more in [
        "`obook --help`",
        "`obook help all`",
        "`obook COMMAND --help`",
    ] {
        assert!(page.contains(more), "{page}");
    }
}

#[test]
fn its_first_steps_work_as_printed() {
    let page = stdout::<&str>([]);
    let steps = steps(&page);
    let names: Vec<&str> = steps.iter().map(|step| step[0]).collect();
    let expected = ["serve", "show", "import", "check"];
    let has_server = usize::from(!cfg!(feature = "explorer"));
    assert_eq!(names, expected[has_server..]);
    let folder = tempfile::tempdir().unwrap();
    let examples = crate::support::root().join("examples");
    fs::copy(examples.join("games.dat"), folder.path().join("book.dat")).unwrap();
    fs::copy(examples.join("game.txt"), folder.path().join("game.txt")).unwrap();
    for step in steps {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command.args(&step).current_dir(&folder);
        if step[0] == "serve" {
            let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
            let mut line = String::new();
            let out = server.stdout.take().unwrap();
            BufReader::new(out).read_line(&mut line).unwrap();
            server.kill().unwrap();
            server.wait().unwrap();
            assert!(line.starts_with("http://127.0.0.1:"), "{line}");
            continue;
        }
        let done = command.output().unwrap();
        assert!(
            done.status.success() && !done.stdout.is_empty(),
            "{step:?}: {done:?}"
        );
    }
    assert!(folder.path().join("book.obook").exists());
}

/// The help lists what most need, `help all` and the completion everything.
#[test]
fn no_command_is_missing_in_the_list_of_all() {
    let (help, all) = (stdout(["--help"]), stdout(["help", "all"]));
    let (help, all): (BTreeSet<&str>, BTreeSet<&str>) = (
        listed(&help).into_iter().collect(),
        listed(&all).into_iter().collect(),
    );
    assert!(help.is_subset(&all));
    let seldom: Vec<&str> = all.difference(&help).copied().collect();
    let expected = [
        "compact",
        "completions",
        "level",
        "link",
        "man",
        "negamax",
        "rate",
        "salvage",
        "solve",
        "tasks",
    ];
    assert_eq!(seldom, expected);
    // Each still has its own help, also by this way.
    for command in seldom {
        assert_eq!(stdout(["help", command]), stdout([command, "--help"]));
    }
}
