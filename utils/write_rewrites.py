#!/usr/bin/env python3
"""Writes what is said of the options of rewrites, in Python and in the documentation, from Rewrites.def.

    utils/write_rewrites.py [--check] [ROOT]

Each such place lies between two lines with "BEGIN rewrites: NAME" and "END rewrites". With --check nothing is written:
places that are not as the records say are errors.
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

RECORDS = "include/RGNN/Pipelines/Rewrites.def"


class Rewrite(NamedTuple):
    """One record of Rewrites.def."""

    member: str
    option: str
    of_pass: str
    what: str
    note: str

    @property
    def field(self) -> str:
        """The name in Python."""
        return self.option.replace("-", "_")


def read(path: Path) -> list[Rewrite]:
    """The records, in their order."""
    string = r'"(?:[^"\\]|\\.)*"'
    fields = r",\s*".join([r"(\w+)", *[rf"((?:{string}\s*)+)"] * 4])
    text = path.read_text()
    records = [Rewrite(match[1], *(_joined(match[n], string) for n in range(2, 6)))
               for match in re.finditer(rf"^RGNN_REWRITE\({fields}\)", text, re.MULTILINE)]
    if len(records) != len(re.findall(r"^RGNN_REWRITE\(", text, re.MULTILINE)):
        sys.exit(f"{path}: expected records of a member and four strings")
    return records


def _joined(literals: str, string: str) -> str:
    """What adjacent string literals are together."""
    return re.sub(r"\\(.)", r"\1", "".join(literal[1:-1] for literal in re.findall(string, literals)))


def attributes(rewrites: list[Rewrite]) -> Iterator[str]:
    """Entries of a docstring."""
    for rewrite in rewrites:
        text = f"{rewrite.field}: {rewrite.what} (``{rewrite.of_pass}``). {rewrite.note}".rstrip()
        yield textwrap.fill(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False,
                            break_long_words=False)  # fmt: skip


def fields(rewrites: list[Rewrite]) -> Iterator[str]:
    """Fields of a dataclass."""
    return (f'    {rewrite.field}: bool | str = "auto"' for rewrite in rewrites)


def of_python(rewrites: list[Rewrite]) -> Iterator[str]:
    """A table for users."""
    yield from ("", "| option | pass | what |", "|---|---|---|")
    for rewrite in rewrites:
        text = f"{rewrite.what}. {rewrite.note}".rstrip(" .") if rewrite.note else rewrite.what
        text = re.sub(r"\b(True|False)\b", r"`\1`", text.replace("``", "`"))
        yield f"| `{rewrite.field}` | `{rewrite.of_pass}` | {text} |"
    yield ""


def of_pipelines(rewrites: list[Rewrite]) -> Iterator[str]:
    """A table for those who run pipelines."""
    yield from ("", "| option | pass |", "|---|---|")
    yield from (f"| `{rewrite.option}` | `{rewrite.of_pass}` |" for rewrite in rewrites)
    yield ""


PLACES: dict[str, dict[str, Callable[[list[Rewrite]], Iterator[str]]]] = {
    "python/rgnn/_options.py": {"attributes": attributes, "fields": fields},
    "docs/GettingStarted.md": {"options of Python": of_python},
    "docs/Passes.md": {"options of pipelines": of_pipelines},
}


def fill(path: Path, places: dict[str, Callable], rewrites: list[Rewrite]) -> str:
    """The text of a file with its places written anew."""
    text = path.read_text()
    for name, render in places.items():
        place = re.compile(rf"(^[^\n]*BEGIN rewrites: {name}\b[^\n]*\n).*?(^[^\n]*END rewrites)", re.S | re.M)
        lines = "".join(f"{line}\n" for line in render(rewrites))
        text, count = place.subn(lambda match, lines=lines: match[1] + lines + match[2], text)
        if count != 1:
            sys.exit(f"{path}: expected one place 'BEGIN rewrites: {name}' to 'END rewrites', got {count}")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where something would change")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    arguments = parser.parse_args()
    rewrites = read(arguments.root / RECORDS)
    stale = 0
    for name, places in PLACES.items():
        path = arguments.root / name
        text = fill(path, places, rewrites)
        if text == path.read_text():
            continue
        if arguments.check:
            print(f"{name}: not what {RECORDS} says: run utils/write_rewrites.py")
            stale += 1
        else:
            path.write_text(text)
    passes = (arguments.root / "docs/Passes.md").read_text()
    for rewrite in rewrites:
        if not re.search(rf"^\| `{rewrite.of_pass}` \|", passes, re.MULTILINE):
            print(f"docs/Passes.md: no line of {rewrite.of_pass} in the order of passes")
            stale += 1
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
