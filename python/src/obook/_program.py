"""Runs the program, which the package brings, and reads its reports."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
import warnings
from collections.abc import Callable, Sequence
from os import PathLike
from tempfile import TemporaryFile
from typing import Any

Path = str | PathLike[str]

Value = str | int | float | PathLike[str]
Option = Value | Sequence[Value] | None

Report = dict[str, Any]
"""The report of a command with ``--json``."""

Progress = Callable[[Report], object]


class Error(Exception):
    """The program can't do what it was asked to; the sentence says why, and often what to do."""


def program() -> str:
    """Returns the path of the program. Raises FileNotFoundError if it is missing."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    places = [*(sysconfig.get_path("scripts", scheme) for scheme in schemes), os.environ.get("PATH", os.defpath)]
    found = shutil.which("obook", path=os.pathsep.join(places))
    if found is None:
        raise FileNotFoundError(f"the program obook is not in {os.pathsep.join(places)}")
    return found


def run(command: str, *arguments: Value, **options: Option) -> Any:
    """Runs a command of the program that has the option ``--json``, and returns its report.

    >>> import obook
    >>> obook.run("info", "games.dat")["positions"]
    2247
    >>> obook.run("games stats", "games.obook", limit=1)["games"]
    300

    Options are those of the command line, with ``_`` for ``-``: ``dry_run=True`` is ``--dry-run``. A sequence gives the option once for
    each of its values; None and False leave it out. What the program remarks becomes a warning.

    Ctrl-C ends the command in order: what it has searched is kept.

    Raises Error with the program's own sentence, and FileNotFoundError if the program is missing.
    """
    return follow(lambda report: None, command, *arguments, **options)


def follow(progress: Progress, command: str, *arguments: Value, **options: Option) -> Any:
    """Like `run`, and calls ``progress`` with each report on the way, if the command tells how far it is."""
    flags = [flag for name, option in options.items() for flag in _flags(name, option)]
    line = [program(), *command.split(), "--json", *flags, "--", *map(_word, arguments)]
    # A file takes any number of remarks while the reports are read.
    with TemporaryFile() as remarks, subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=remarks, encoding="utf-8", errors="replace"
    ) as process:
        assert process.stdout is not None
        try:
            report, whole = _read(process.stdout, progress)
            status = process.wait()
        except KeyboardInterrupt:
            # The terminal has interrupted the program, too. A second interrupt ends it at once.
            try:
                process.communicate()
            finally:
                process.kill()
            raise
        except BaseException:  # of `progress`
            process.terminate()
            raise
        remarks.seek(0)
        said = _sentence(remarks.read().decode("utf-8", "replace"))
    if whole:
        try:
            report = json.loads(whole)
        except json.JSONDecodeError:
            several = "the program wrote no report, or several: name a file rather than “-”, and ask one question"
            raise Error(said if said and status != 0 else several) from None
    if report is None and status != 0:
        raise Error(said or f"obook {command} ended with status {status}")
    if said:
        warnings.warn(said, stacklevel=4)
    return report


def _sentence(said: str) -> str:
    """Leaves out what only helps at a terminal."""
    said = re.split(r"\n\n(?:Usage|For more)", said)[0].strip()
    return said.removeprefix("obook: ").removeprefix("error: ")


def _read(output: Any, progress: Progress) -> tuple[Report | None, str]:
    """Returns the last of lines that tell the progress and the end of a run, if there is an end, and all other lines."""
    whole = ""
    for line in output:
        if not line.startswith('{"event":'):
            whole += line
            continue
        event: Report = json.loads(line)
        if event.pop("event") == "end":
            return event, ""
        progress(event)
    return None, whole


def _flags(name: str, option: Option) -> list[str]:
    flag = "--" + name.strip("_").replace("_", "-")
    if option is None or option is False:
        return []
    if option is True:
        return [flag]
    if isinstance(option, Sequence) and not isinstance(option, str):
        return [f"{flag}={_word(value)}" for value in option]
    return [f"{flag}={_word(option)}"]


def _word(value: Value) -> str:
    return os.fspath(value) if isinstance(value, PathLike) else str(value)
