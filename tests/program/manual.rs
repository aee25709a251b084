//! Help, completions and manual pages know every command.

use crate::support::program::{obook, stdout};

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = stdout(["--help"]);
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = list
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_help_with_examples_and_a_manual_page() {
    let commands = commands();
    assert!(commands.len() >= 16, "{commands:?}");
    for command in &commands {
        let help = stdout([command.as_str(), "--help"]);
        assert!(
            help.contains(&format!("obook {command} ")),
            "{command} needs an example:\n{help}"
        );
        assert!(help.contains("Examples:"), "{command} needs an example");
        let page = stdout(["man", command]);
        assert!(
            page.starts_with(".ie") && page.contains(".SH SYNOPSIS"),
            "{page}"
        );
    }
    let script = stdout(["completions", "bash"]);
    for command in &commands {
        assert!(
            script.contains(command.as_str()),
            "{command} is not completed"
        );
    }
    assert!(stdout(["man"]).contains("Othello"));
}

#[test]
fn what_makes_no_sense_ends_with_status_2() {
    for arguments in [
        &["man", "fly"][..],
        &["fly"],
        &["export"],
        &["completions", "fish", "x"],
    ] {
        let output = obook(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
    let output = obook(["imprt", "a", "--book", "b"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("import"),
        "a similar command is suggested: {text}"
    );
}
