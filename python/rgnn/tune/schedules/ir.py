"""A module of kernels as the compiler prints it: its ops, what they read, and the schedules of its kernels.

The printer puts each op, each end of a region and each head of a block on a line of its own, and names of values are
words that begin with ``%``. Nothing else of the syntax of ops is relied upon; what a kernel does is taken from the
manifest, and whether schedules are legal is the compiler's to say when it parses them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Value = int | str
"""Of a field of a schedule: an integer, or a word ("true", "edge")."""

KERNELS = {"hetkernel.gemm": "gemm", "hetkernel.outer_sum": "outer_sum", "hetkernel.traverse": "traverse"}
"""Ops that have schedules, and what they are called here, as in manifests."""

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[%@^#!]?[\w.$-]+(?::\d+)?|->|\S')
_TYPE = re.compile(r"(?:tensor|vector|memref)<((?:[\d?]+x)*)([a-z]\w*)")
_SCHEDULE = re.compile(r"#hetkernel\.cpu_\w+<([^<>]*)>")
_NUMBER = re.compile(r"rgnn\.kernel = (\d+)")
_MANIFEST = re.compile(r'rgnn\.manifest = "([^"]*)"')
_NAME = re.compile(r"@(\w+)")
_TILES = re.compile(r"rgnn\.tile_rows = (\d+)")


@dataclass(frozen=True)
class Shape:
    """Of a tensor or vector: sizes, -1 where they are the graph's, and the element type."""

    sizes: tuple[int, ...]
    element: str

    @property
    def static(self) -> int:
        """The product of the sizes that are known."""
        return math.prod(size for size in self.sizes if size > 0)


@dataclass(frozen=True)
class Op:
    """One op.

    Attributes:
        name: ``"arith.addf"``; ``"argument"`` for an argument of the function.
        line: where it is printed.
        operands: numbers of the ops whose results it reads, each once.
        parent: the number of the op around it; -1 where that is the function.
        shapes: of all types on its line, in their order.
        words: of its line.
    """

    name: str
    line: int
    operands: tuple[int, ...]
    parent: int
    shapes: tuple[Shape, ...]
    words: frozenset[str]


@dataclass(frozen=True)
class Kernel:
    """A kernel that has a schedule.

    Attributes:
        op: its number among the ops.
        kind: ``"gemm"``, ``"outer_sum"`` or ``"traverse"``.
        number: that of its entry in the manifest; -1 where it has none.
        schedule: the fields that are printed; others have their defaults.
        tiles: the number of the argument that it takes tiles from; -1 where it makes its own.
        loops: inner loops.
        looks_up: whether an inner loop reads rows at places that a list gives.
    """

    op: int
    kind: str
    number: int
    schedule: Mapping[str, Value]
    tiles: int
    loops: int
    looks_up: bool


@dataclass
class Function:
    """``@forward`` of a module of kernels; other functions are left as they are, variants are left out.

    Attributes:
        lines: of the module.
        manifest: what the compiler says of it.
        top: the number of the line that has the manifest.
        ops: in the order in which they are printed, arguments first.
        kernels: likewise.
    """

    lines: list[str]
    manifest: dict
    top: int
    ops: list[Op] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)

    def with_schedules(self, schedules: Sequence[Mapping[str, Value]]) -> str:
        """The module with other schedules.

        Args:
            schedules: of each kernel, all of its fields. Kernels that take tiles from one view have equal
                ``tile_rows``, which the view gets, too.

        Raises:
            ValueError: two kernels want different tiles of one view.
        """
        lines, manifest = list(self.lines), json.loads(json.dumps(self.manifest))
        rows: dict[int, Value] = {}
        for kernel, schedule in zip(self.kernels, schedules, strict=True):
            line = self.ops[kernel.op].line
            lines[line] = _SCHEDULE.sub(attribute(kernel.kind, schedule), lines[line], count=1)
            if kernel.tiles >= 0 and rows.setdefault(kernel.tiles, schedule["tile_rows"]) != schedule["tile_rows"]:
                raise ValueError(f"expected tiles of {rows[kernel.tiles]} rows, as another kernel has of the same "
                                 f"view, got {schedule['tile_rows']}")  # fmt: skip
        head = self.ops[0].line
        arguments = _arguments(lines[head])
        views = [number for number, text in enumerate(arguments) if "rgnn.view" in text]
        for argument, value in rows.items():
            manifest["views"][views.index(argument)]["param"] = value
            arguments[argument] = _TILES.sub(f"rgnn.tile_rows = {value}", arguments[argument])
        lines[head] = _with_arguments(lines[head], arguments)
        lines[self.top] = _with_manifest(lines[self.top], manifest)
        return "\n".join(lines)


def read(text: str) -> Function:
    """Reads ``@forward`` of what ``rgnn-to-hetkernel`` has made.

    Raises:
        ValueError: it is no such module.
    """
    lines = text.rstrip("\n").split("\n")
    # Aliases of attributes may stand before the module.
    top = next((number for number, line in enumerate(lines) if line.startswith("module")), 0)
    found = _MANIFEST.search(lines[top])
    starts = [number for number, line in enumerate(lines) if line.startswith("  func.func ")]
    heads = [number for number in starts if " @forward(" in lines[number]]
    if not found or len(heads) != 1:
        raise ValueError("expected a module of kernels with a manifest and one @forward")
    manifest = json.loads(_unescape(found[1]))
    dropped = {variant["entry"] for variant in manifest.pop("variants", ())}
    dropped |= {f"{name}_once" for name in dropped}
    for start in reversed(starts):
        if f"rgnn_{_NAME.search(lines[start])[1]}" in dropped:
            del lines[start : lines.index("  }", start) + 1]
    function = Function(lines, manifest, top)
    lines[top] = _with_manifest(lines[top], manifest)
    start = next(number for number, line in enumerate(lines) if line.startswith("  func.func @forward("))
    _read_ops(function, start, lines.index("  }", start))
    function.kernels = list(_kernels(function))
    return function


def _read_ops(function: Function, start: int, end: int) -> None:
    scopes: list[dict[str, int]] = [{}]
    parents = [-1]
    for number, argument in enumerate(_arguments(function.lines[start])):
        scopes[0][argument.split(":")[0].strip()] = number
        function.ops.append(Op("argument", start, (), -1, tuple(_shapes(argument)), frozenset()))
    for line in range(start + 1, end):
        text = function.lines[line].strip()
        if text.startswith("^"):  # values of a block are those of the op around it
            scopes[-1] |= {word: parents[-1] for word in _WORD.findall(text) if word.startswith("%")}
            continue
        if text.startswith("}"):
            if not text.endswith("{"):
                scopes.pop()
                parents.pop()
            continue
        results, _, rest = text.partition(" = ") if text.startswith("%") else ("", "", text)
        words = _WORD.findall(rest)
        names = [name for word in words if word.startswith("%") and (name := word.split("#")[0])]
        found = [scope[name] for name in names for scope in scopes if name in scope]
        number = len(function.ops)
        operands = tuple(dict.fromkeys(one for one in found if one not in (-1, parents[-1])))
        function.ops.append(Op(words[0], line, operands, parents[-1], tuple(_shapes(rest)), frozenset(words)))
        scopes[-1] |= {word.split(":")[0]: number for word in _WORD.findall(results) if word.startswith("%")}
        if text.endswith("{"):
            scopes.append({})
            parents.append(number)


def _kernels(function: Function) -> Iterator[Kernel]:
    for number, op in enumerate(function.ops):
        text, kind = function.lines[op.line], KERNELS.get(op.name)
        if kind is None or (schedule := _SCHEDULE.search(text)) is None:
            continue
        given = _NUMBER.search(text)
        inside = [other for other in function.ops if _is_inside(function.ops, other, number)]
        loops = [other for other in inside if other.name == "hetkernel.for_each"]
        rows = [other for other in inside if other.name == "hetkernel.row" and other.parent != number]
        looks_up = any(function.ops[one].name == "hetkernel.lookup" for row in rows for one in row.operands)
        tiles = re.search(r"tiles\(%arg(\d+) ", text)
        fields = dict(item.split(" = ") for item in schedule[1].split(", "))
        yield Kernel(number, kind, int(given[1]) if given else -1,
                     {name: parse(value) for name, value in fields.items()},
                     int(tiles[1]) if tiles else -1, len(loops), looks_up)  # fmt: skip


def _is_inside(ops: Sequence[Op], op: Op, number: int) -> bool:
    while op.parent >= 0 and op.parent != number:
        op = ops[op.parent]
    return op.parent == number


def attribute(kind: str, schedule: Mapping[str, Value]) -> str:
    """The schedule of a kernel of this kind, as the compiler reads it."""
    fields = ", ".join(f"{name} = {value}" for name, value in schedule.items())
    return f"#hetkernel.{'cpu_traverse' if kind == 'traverse' else 'cpu_gemm'}<{fields}>"


def parse(text: str) -> Value:
    """A value of a field, as it is printed."""
    return int(text) if text.lstrip("-").isdigit() else text


def _shapes(text: str) -> Iterator[Shape]:
    for sizes, element in _TYPE.findall(text):
        yield Shape(tuple(-1 if size == "?" else int(size) for size in sizes.split("x")[:-1]), element)


def _arguments(head: str) -> list[str]:
    """The arguments of a function, each with its type and attributes."""
    depth, parts = 0, [""]
    for letter in head[head.index("(") + 1 :]:
        depth += letter in "(<{["
        depth -= letter in ")>}]"
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _with_arguments(head: str, arguments: Sequence[str]) -> str:
    begin, old = head.index("(") + 1, ", ".join(_arguments(head))
    if not head.startswith(old, begin):
        raise ValueError(f"expected arguments that are printed as they are read, got {head[:80]}")
    return head[:begin] + ", ".join(arguments) + head[begin + len(old) :]


def _with_manifest(line: str, manifest: dict) -> str:
    text = _escape(json.dumps(manifest, separators=(",", ":"), ensure_ascii=False))  # as the compiler writes it
    return _MANIFEST.sub(lambda _: f'rgnn.manifest = "{text}"', line, count=1)


def _unescape(text: str) -> str:
    """A string of MLIR's, in which letters may stand as a backslash and two hexadecimal digits."""
    parts = re.sub(rb"\\([0-9A-Fa-f]{2})", lambda code: bytes([int(code[1], 16)]), text.encode())
    return parts.decode()


def _escape(text: str) -> str:
    return text.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A")
