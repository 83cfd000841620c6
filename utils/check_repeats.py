#!/usr/bin/env python3
"""Finds code that stands twice: lines in a row that are the same in two places.

White space, blank lines and comments do not count, nor do lines of includes, imports and namespaces, and closing
brackets: they neither make a repetition nor end one. So 8 lines of code are a dozen as they stand in a file.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LIMIT = 8
PLACES = ("lib", "include", "runtime", "tools", "python/rgnn", "python/src")
ENDINGS = (".cpp", ".h", ".c", ".py", ".td", ".def")
# What has to be written in each file, or says nothing by itself.
FORM = re.compile(r"#(include|define|undef|ifn?def|endif|pragma|if|else)\b|import\b|from \S+ import\b|"
                  r"(inline )?namespace\b|using\b|extern \"C\"|include \"|[\])}>;,\s]*$|\} // ")  # fmt: skip
C_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A comment with #, and the documentation of a module, class or function.
PYTHON_COMMENTS = re.compile(r'(?m)^\s*#[^\n]*|^\s*"""(?:.|\n)*?"""|^from \S+ import \((?:.|\n)*?\)')


def lines_of(path: str, text: str) -> list[tuple[int, str]]:
    """The lines of code of a file, without white space, and their numbers."""
    comments = PYTHON_COMMENTS if path.endswith(".py") else C_COMMENTS
    text = comments.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [(number, "".join(line.split())) for number, line in enumerate(text.split("\n"), 1)
            if not FORM.match(line.strip())]  # fmt: skip


def find_repeats(files: dict[str, list[tuple[int, str]]]) -> list[tuple[int, str, str]]:
    """Runs of lines in two places, each as long as it is: its length, and the places."""
    windows: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for path, lines in files.items():
        for start in range(len(lines) - LIMIT + 1):
            windows[tuple(line for _, line in lines[start : start + LIMIT])].append((path, start))
    found, seen = [], set()
    for places in windows.values():
        for one, (path, start) in enumerate(places):
            for other, at in places[one + 1 :]:
                if (path, start, other, at) in seen:
                    continue
                length = 0
                while (start + length < len(files[path]) and at + length < len(files[other])
                       and files[path][start + length][1] == files[other][at + length][1]):  # fmt: skip
                    seen.add((path, start + length, other, at + length))
                    length += 1
                found.append((length, _place(files, path, start, length), _place(files, other, at, length)))
    return sorted(found, reverse=True)


def _place(files: dict[str, list[tuple[int, str]]], path: str, start: int, length: int) -> str:
    return f"{path}:{files[path][start][0]}-{files[path][start + length - 1][0]}"


def main() -> int:
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *PLACES],
                           capture_output=True, text=True, check=True).stdout.split()  # fmt: skip
    files = {name: lines_of(name, Path(name).read_text()) for name in names
             if name.endswith(ENDINGS) and Path(name).exists()}  # fmt: skip
    repeats = find_repeats(files)
    for length, first, second in repeats:
        print(f"{first}: expected fewer than {LIMIT} lines that stand in another place, got the {length} of {second}")
    return int(bool(repeats))


if __name__ == "__main__":
    sys.exit(main())
