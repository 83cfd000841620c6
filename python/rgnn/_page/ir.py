"""Functions in textual IR, as far as a picture needs them: one record for each operation of their own block."""

from __future__ import annotations

import re
from typing import NamedTuple

_FUNCTION = re.compile(r"^ *func\.func (?:private )?@(\w+)\((.*?)\)(?: -> .*)?(?: attributes .*)? \{$")
_ARGUMENT = re.compile(r"(%[\w.]+): ((?:[^<>{},]|<[^<>]*(?:<[^<>]*>)?[^<>]*>)+?) ?"  # its name and type
                       r"(\{(?:[^{}\"]|\"[^\"]*\")*\})?(?:, |$)")  # fmt: skip
_OPERATION = re.compile(r"^ *(?:((?:%[\w.]+(?::\d+)?(?:, )?)+) = )?\"?([\w.]+)\"?")
_VALUE = re.compile(r"%[\w.]+(?:#\d+)?")
_TYPE = re.compile(r"(?:tensor|memref|vector)<[^<>]*(?:<[^<>]*>)?[^<>]*>|!rgnn\.graph<[^<>]*>")
_STRING = re.compile(r'"[^"]*"')


class Operation(NamedTuple):
    """One operation.

    Attributes:
        name: "rgnn.gather".
        results: names of its results, "%3" or "%3#1".
        operands: names of values that it reads, also within its regions.
        head: the first of its lines, without spaces around.
        text: all of them.
    """

    name: str
    results: list[str]
    operands: list[str]
    head: str
    text: str


class Function(NamedTuple):
    """One function.

    Attributes:
        name: "forward".
        arguments: of each, its name, and what its attributes say.
        operations: in order; the last returns.
        types: of each value that the text gives one.
    """

    name: str
    arguments: dict[str, str]
    operations: list[Operation]
    types: dict[str, str]


def parse(text: str) -> dict[str, Function]:
    """The functions of a module, by their names, as the compiler prints them without locations."""
    functions: dict[str, Function] = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        head = _FUNCTION.match(lines[at])
        if head is None:
            at += 1
            continue
        indent = len(lines[at]) - len(lines[at].lstrip())
        end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith(" " * indent + "}"))
        arguments = list(_ARGUMENT.finditer(head[2]))
        types = {match[1]: match[2].strip() for match in arguments}
        operations = _operations(lines[at + 1 : end], indent + 2)
        _note_types(operations, types)
        functions[head[1]] = Function(head[1], {match[1]: match[3] or "" for match in arguments}, operations, types)
        at = end
    return functions


def _operations(lines: list[str], indent: int) -> list[Operation]:
    groups: list[list[str]] = []
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if depth == indent and not line.lstrip().startswith(("}", "^", ")")):
            groups.append([line])
        elif groups:
            groups[-1].append(line)
    return [operation for group in groups if (operation := _operation(group))]


def _operation(lines: list[str]) -> Operation | None:
    match = _OPERATION.match(lines[0])
    if match is None:
        return None
    results: list[str] = []
    for name in (match[1] or "").split(", "):
        name, _, count = name.partition(":")
        results += [f"{name}#{number}" for number in range(int(count))] if count else [name] if name else []
    own: set[str] = set()
    for line in lines[1:]:
        inner = _OPERATION.match(line)
        own.update(re.findall(r"%[\w.]+", (inner and inner[1]) or ""))
        if line.lstrip().startswith("^"):
            own.update(_VALUE.findall(line))
    read = _VALUE.findall(lines[0][match.end() :])
    read += [name for line in lines[1:] for name in _VALUE.findall(line) if name.partition("#")[0] not in own]
    return Operation(match[2], results, list(dict.fromkeys(read)), lines[0].strip(), "\n".join(lines))


def _note_types(operations: list[Operation], types: dict[str, str]) -> None:
    """Adds the types of values, most of which stand where a value is used alone."""
    guesses: dict[str, str] = {}
    for operation in operations:
        before, arrow, after = _STRING.sub('""', operation.head).partition(" -> ")
        read = [name for name in _VALUE.findall(before.partition(" = ")[2] or before)
                if "graph" not in types.get(name, "")]  # fmt: skip
        written, made = _TYPE.findall(before), _TYPE.findall(after) if arrow else []
        if len(made) == len(operation.results):
            types.update(zip(operation.results, made))
        if operation.name.endswith("_graph"):
            types.update(dict.fromkeys(operation.results, "!rgnn.graph"))
        elif len(written) == len(read):
            types.update(zip(read, written))
        elif written:
            for name in read[: 2 if operation.name == "rgnn.dot" else 1]:
                guesses.setdefault(name, written[0])
    for name, guess in guesses.items():
        types.setdefault(name, guess)
