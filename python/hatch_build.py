"""Builds the loadable extension with cargo, and adds it to the wheel."""

import json
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

CARGO = (
    "cargo rustc --package obook-extension --release --features loadable --crate-type cdylib --locked"
    " --message-format json-render-diagnostics"
)


class Extension(BuildHookInterface):
    """The SQLite extension, which depends on the platform but not on the version of Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = build(Path(self.root).parent)
        build_data["force_include"][str(library)] = f"obook/{library.name}"
        build_data["pure_python"] = False
        # The newest tag of this machine, since the library may need its C library. Indexes don't accept tags that are just "linux".
        here = next(tag for tag in platform_tags() if not tag.startswith("linux_"))
        build_data["tag"] = f"py3-none-{here}"


def build(workspace: Path) -> Path:
    """Builds the library and returns its path."""
    messages = subprocess.run(CARGO.split(), cwd=workspace, stdout=subprocess.PIPE, text=True, check=True)
    for line in messages.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and "cdylib" in message["target"]["crate_types"]:
            for name in map(Path, message["filenames"]):
                if name.suffix in {".so", ".dylib", ".dll"}:
                    return name
    raise RuntimeError(f"cargo built no library: {CARGO}")
