"""Two texts of IR side by side.

Values are numbered anew by each pass: the names of the text before are given to those of the text after that are made
the same way, so that only what changed is marked. Long lists of values and types are shortened.
"""

from __future__ import annotations

import difflib
import itertools
import re

from .markup import Element, make

_VALUE = re.compile(r"%[\w.]+")
_LISTS = re.compile(r"(%[\w.]+)(?:, %[\w.]+){6,}, (%[\w.]+)")
_TYPES = re.compile(r"(tensor<[^<>]*(?:<[^<>]*>[^<>]*)?>)(?:, \1){3,}")
_CONTEXT = 2  # lines around what changed


def side_by_side(before: str, after: str) -> Element:
    """A table of what changed, with a few lines around it."""
    rows = _align(before.rstrip("\n").split("\n"), after.rstrip("\n").split("\n"))
    changed = [at for at, (left, right) in enumerate(rows) if left != right]
    shown = {near for at in changed for near in range(at - _CONTEXT, at + _CONTEXT + 1)}
    body: list[Element] = []
    for is_shown, group in itertools.groupby(enumerate(rows), lambda pair: pair[0] in shown):
        lines = [pair for _, pair in group]
        if is_shown:
            body += [_row(left, right) for left, right in lines]
        else:
            text = f"⋯ {len(lines)} {'line' if len(lines) == 1 else 'lines'} that did not change"
            body.append(make("tr", make("td", text, colspan="2"), class_="same"))
    head = make("thead", make("tr", make("th", "before", scope="col"), make("th", "after", scope="col")))
    return make("div", make("table", head, make("tbody", body), class_="compare"), class_="wide")


def _row(left: str | None, right: str | None) -> Element:
    """Changed lines are marked by elements, which is read where no colours are seen."""
    if left == right:
        return make("tr", make("td", _code(left)), make("td", _code(right)))
    return make("tr", make("td", None if left is None else make("del", _code(left))),
                make("td", None if right is None else make("ins", _code(right))))  # fmt: skip


def _code(line: str) -> Element:
    line = _LISTS.sub(lambda match: f"{match[1]}, … {match[0].count('%') - 2} more …, {match[2]}", line)
    return make("code", _TYPES.sub(lambda match: f"{match[1]} × {match[0].count('tensor<')}", line))


def _align(before: list[str], after: list[str]) -> list[tuple[str | None, str | None]]:
    """Lines side by side; None where one side has none. Those of the text after have the names of the one before."""
    without_names = [[_VALUE.sub("%", line) for line in lines] for lines in (before, after)]
    matcher = difflib.SequenceMatcher(None, *without_names, autojunk=False)
    rows: list[tuple[str | None, str | None]] = []
    names = _Names()
    for kind, left, left_end, right, right_end in matcher.get_opcodes():
        if kind == "equal":
            for one, other in zip(before[left:left_end], after[right:right_end]):
                names.match(one, other)
                rows.append((one, names.rename(other)))
        else:
            ours = [names.rename(names.add(line)) for line in after[right:right_end]]
            rows += itertools.zip_longest(before[left:left_end], ours)
    return rows


class _Names:
    """What values of the text after are called in that before. Those that are new are %new1, %new2."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._count = itertools.count(1)

    def match(self, before: str, after: str) -> None:
        """Notes what two lines that are alike define."""
        if "func.func" in after:  # values are those of a function
            self._names = {}
        self._names.update(zip(_defined(after), _defined(before)))

    def add(self, line: str) -> str:
        """Notes what a line that is new defines."""
        if "func.func" in line:
            self._names = {}
            self._names.update((name, name) for name in _defined(line))
        elif not line.lstrip().startswith("^"):
            self._names.update((name, f"%new{next(self._count)}") for name in _defined(line))
        else:
            self._names.update((name, name) for name in _defined(line))
        return line

    def rename(self, line: str) -> str:
        return _VALUE.sub(lambda match: self._names.get(match[0], match[0]), line)


def _defined(line: str) -> list[str]:
    head, is_operation, _ = line.partition(" = ")
    if line.lstrip().startswith("^") or "func.func" in line:
        return re.findall(r"(%[\w.]+): ", line)
    return _VALUE.findall(head) if is_operation and head.lstrip().startswith("%") else []
