//! Runs the program with a fault in one of its calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The fault at a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// It fails.
    Eio,
    /// No read works from there on.
    Blind,
    /// The disk is full from there on.
    Full,
    /// It writes half of what it should.
    Short,
    /// The process is killed.
    Kill,
    /// The machine loses power: unflushed writes are lost, all of them or some at random.
    Power { seed: u32 },
}

impl How {
    pub(super) fn name(self) -> &'static str {
        match self {
            How::Eio => "eio",
            How::Blind => "blind",
            How::Full => "full",
            How::Short => "short",
            How::Kill => "kill",
            How::Power { .. } => "power",
        }
    }
}

/// A call, counted from 1 (0 is the end of the process), and the fault there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub(super) at: u32,
    pub(super) how: How,
}

/// The library that counts calls.
pub(super) struct Injector {
    folder: TempDir,
}

impl Injector {
    pub(super) fn compile() -> Injector {
        let injector = Injector {
            folder: tempfile::tempdir().unwrap(),
        };
        let source = crate::support::root().join("cli/tests/program/faults/preload.c");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(injector.library())
            .arg(source)
            .arg("-lpthread")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        injector
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("preload.so")
    }

    /// A command that counts its calls below `root`.
    fn command(&self, root: &Path, words: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command
            .args(words)
            .current_dir(root)
            .env("TMPDIR", root.join("tmp"))
            .env("RAYON_NUM_THREADS", "2")
            .env("LD_PRELOAD", self.library())
            .env("FAULT_ROOT", root);
        command
    }

    /// Runs a command undisturbed, and returns the names of its calls. It must keep its locks until it gives them back.
    pub(super) fn count(&self, root: &Path, words: &[String]) -> (Output, Vec<String>) {
        let [log, locks] = ["log", "locks"].map(|name| self.folder.path().join(name));
        let _ = fs::remove_file(&log);
        let output = self
            .command(root, words)
            .env("FAULT_LOG", &log)
            .env("FAULT_LOCKS", &locks)
            .output()
            .unwrap();
        let lost = fs::read_to_string(&locks).unwrap();
        assert_eq!(lost, "", "{words:?} gives up locks");
        let calls = fs::read_to_string(log).unwrap();
        let names = calls.lines().map(|line| line.split_once(' ').unwrap().1);
        (output, names.map(str::to_owned).collect())
    }

    /// Runs a command with a fault.
    pub(super) fn run(&self, root: &Path, words: &[String], fault: Fault) -> Output {
        let mut command = self.command(root, words);
        command
            .env("FAULT_AT", fault.at.to_string())
            .env("FAULT_HOW", fault.how.name());
        if let How::Power { seed } = fault.how {
            command.env("FAULT_SEED", seed.to_string());
        }
        command.output().unwrap()
    }

    /// Runs a command undisturbed, without counting its calls.
    pub(super) fn plain(&self, root: &Path, words: &[String]) -> Output {
        let mut command = self.command(root, words);
        command.env_remove("LD_PRELOAD").output().unwrap()
    }
}
