"""Builds the program and the loadable extension with cargo, and adds them to the wheel."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

# The profile to build with, and a program that has been built already.
PROFILE = os.environ.get("OBOOK_PROFILE", "release")
BUILT = os.environ.get("OBOOK")
PROGRAM = "build --package obook-cli --bin obook --features full"
EXTENSION = "rustc --package obook-sql --features loadable --crate-type cdylib"


class Programs(BuildHookInterface):
    """The program and the SQLite extension, which depend on the platform but not on the version of Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        program = Path(BUILT) if BUILT else build(PROGRAM, {"", ".exe"})
        library = build(EXTENSION, {".so", ".dylib", ".dll"})
        build_data["shared_scripts"][str(program.absolute())] = program.name
        build_data["force_include"][str(library)] = f"obook/{library.name}"
        build_data["pure_python"] = False
        # The newest tag of this machine, since both may need its C library. Indexes don't accept tags that are just "linux".
        here = next(tag for tag in platform_tags() if not tag.startswith("linux_"))
        build_data["tag"] = f"py3-none-{here}"


def build(command: str, suffixes: set[str]) -> Path:
    """Runs cargo and returns the path of what it built last."""
    cargo = ["cargo", *command.split(), "--profile", PROFILE, "--locked", "--message-format", "json-render-diagnostics"]
    if PROFILE == "dev":
        # The program's tests load the same extension.
        cargo += ["--config", "crates/sql/unoptimized.toml"]
    workspace = Path(__file__).parent.parent
    messages = subprocess.run(cargo, cwd=workspace, stdout=subprocess.PIPE, text=True, check=True)
    built = None
    for message in map(json.loads, messages.stdout.splitlines()):
        if message["reason"] == "compiler-artifact":
            built = next((name for name in map(Path, message["filenames"]) if name.suffix in suffixes), None)
    if built is None:
        raise RuntimeError(f"cargo built nothing: {cargo}")
    return built
