"""The plan of a model as a picture: operations on rows of nodes, edges and pairs, and what moves rows between these."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from .alike import find_alike
from .ir import Function, Operation
from .layout import HEIGHT, Layout, lay_out
from .markup import Element, make

# What changes neither numbers nor rows, only shapes or the way in which they are counted: arrows go through it.
_VIEWS = {"reshape", "permute", "place", "unplace", "detach", "cast"}
_MOVES = {"gather", "reduce"}
_COUNTS = {"dim", "split_graph"}  # sizes and graphs are no rows
_DOMAINS = {"node": "nodes", "edge": "edges", "src_pair": "pairs", "dst_pair": "pairs", "": "whole"}
LEGEND = {"nodes": "rows of nodes", "edges": "rows of edges", "pairs": "rows of pairs of an end and an edge type",
          "whole": "weights, and rows of types"}  # fmt: skip
_ROWS = re.compile(r"#rgnn\.rows<(\w+)")
_SHAPE = re.compile(r"tensor<((?:[\d?]+x)*)")
_CHARACTER = 6.6  # pixels of one of the text in a box


class _Source(NamedTuple):
    """Where a value comes from: a box, and what moves its rows on the way."""

    box: str
    moves: tuple[str, ...]


class _Box(NamedTuple):
    """A box: its two lines, its colour, the text that it stands for, and in what others have to agree to be as it."""

    name: str
    note: str
    domain: str
    text: str
    kind: tuple[str, str]


def draw(function: Function, title: str) -> Element:
    """A picture of one function in the dialect ``rgnn``.

    Args:
        function: what to draw.
        title: what it is, for those who do not see it.
    """
    boxes, arrows = _merge(*_Plan(function).read())
    widths = {name: max(len(box.name), len(box.note)) * _CHARACTER + 20 for name, box in boxes.items()}
    layout = lay_out(widths, list(arrows))
    picture = make("svg", make("title", title), *_arrows(arrows, layout),
                   *(_box(box, layout.boxes[name], widths[name]) for name, box in boxes.items()),
                   class_="plan", role="img", width=layout.width, height=layout.height,
                   viewBox=f"0 0 {layout.width:.0f} {layout.height:.0f}")  # fmt: skip
    return make("div", picture, class_="wide")


def _merge(boxes: dict[str, _Box], arrows: dict[tuple[str, str], list[str]]) -> tuple[dict, dict]:
    """One box for those that are alike, which says how many they are."""
    chosen = find_alike({name: box.kind for name, box in boxes.items()}, arrows)
    counts = Counter(chosen.values())
    return ({name: boxes[name]._replace(name=f"{count} × {boxes[name].name}") if count > 1 else boxes[name]
             for name, count in counts.items()},
            {(chosen[start], chosen[end]): moves for (start, end), moves in arrows.items()})  # fmt: skip


class _Plan:
    """What of a function is drawn."""

    def __init__(self, function: Function):
        self._function = function
        self._boxes: dict[str, _Box] = {}
        self._arrows: dict[tuple[str, str], list[str]] = {}
        self._sources: dict[str, list[_Source]] = {}
        self._names: dict[str, tuple[str, ...]] = {}  # of parameters, of what is made of them alone, which has no box

    def read(self) -> tuple[dict[str, _Box], dict[tuple[str, str], list[str]]]:
        """The boxes, and for each arrow what moves rows on it."""
        for value, attributes in self._function.arguments.items():
            self._read_argument(value, attributes)
        for operation in self._function.operations:
            self._read(operation)
        used = {start for start, _ in self._arrows}
        return {name: box for name, box in self._boxes.items()
                if name in used or not name.startswith("argument")}, self._arrows  # fmt: skip

    def _read_argument(self, value: str, attributes: str) -> None:
        type_, said = self._function.types[value], dict(re.findall(r"rgnn\.(\w+) = (\"[^\"]*\"|\d+)", attributes))
        if "param" in said:
            self._names[value] = (said["param"].strip('"'),)
            return
        if "tensor" not in type_ or re.search(r"xi\d+\b", type_):  # lists of edges are what all rows go along
            self._names[value] = ()
            return
        name = said["input"].strip('"') if "input" in said else ""
        if "gradient_of_result" in said:
            name = f"gradient of result {said['gradient_of_result']}"
        elif "result" in said:
            name = f"kept: {said['result']}"
        box = f"argument {value}"
        domain = "nodes" if "input" in said else _domain(type_)
        kind = next(iter(said), ""), _describe(type_)
        self._boxes[box] = _Box(name or value, _describe(type_), domain, type_, kind)
        self._sources[value] = [_Source(box, ())]

    def _read(self, operation: Operation) -> None:
        dialect, _, name = operation.name.partition(".")
        values = [value for value in operation.operands if value in self._sources]
        if operation.name in ("return", "func.return"):
            self._read_return(operation)
        elif not values and all(value in self._names for value in operation.operands) or name in _COUNTS:
            self._names.update(dict.fromkeys(operation.results, self._weights(operation)))
        elif dialect == "rgnn" and name in _MOVES and len(values) == 1:
            move = _movement(operation, name)
            found = [_Source(box, (*moves, move)) for box, moves in self._sources[values[0]]]
            self._sources.update(dict.fromkeys(operation.results, found))
        elif name in _VIEWS or name == "slice_type":
            found = [source for value in values for source in self._sources[value]]
            self._sources.update(dict.fromkeys(operation.results, found))
        elif operation.results:
            self._add(operation, name, values)

    def _add(self, operation: Operation, name: str, values: list[str]) -> None:
        type_ = next((self._function.types[value] for value in operation.results if value in self._function.types), "")
        by = re.search(r"\bby +(\w+)", operation.head)
        weights = self._weights(operation)
        what = _arithmetic(operation) if name == "map" else f"{name} by {by[1]}" if by else name
        others = f" +{len(weights) - 1}" if len(weights) > 1 else ""
        note = " · ".join(filter(None, [_describe(type_), *(_shortened(weight) + others for weight in weights[:1])]))
        box = operation.results[0]
        self._boxes[box] = _Box(what, note, _domain(type_), operation.text, (what, _describe(type_)))
        self._point(values, box)
        self._sources.update(dict.fromkeys(operation.results, [_Source(box, ())]))

    def _weights(self, operation: Operation) -> tuple[str, ...]:
        """The parameters that an operation reads, as they are or changed."""
        return tuple(dict.fromkeys(name for value in operation.operands for name in self._names.get(value, ())))

    def _read_return(self, operation: Operation) -> None:
        results = [value for value in operation.operands if value in self._sources]
        for number, value in enumerate(operation.operands):
            if value in results:
                type_ = self._function.types.get(value, "")
                box = f"result {number}"
                domain = "whole" if "?" not in type_ else _domain(type_) if "rows<" in type_ else "nodes"
                self._boxes[box] = _Box(box, _describe(type_), domain, "", ("result", _describe(type_)))
                self._point([value], box)

    def _point(self, values: list[str], box: str) -> None:
        for value in values:
            for source in self._sources[value]:
                moves = self._arrows.setdefault((source.box, box), [])
                if (move := ", ".join(source.moves)) and move not in moves:
                    moves.append(move)


def _movement(operation: Operation, name: str) -> str:
    words = operation.head.partition(f"rgnn.{name}")[2].partition("%")[0].split()
    to = re.search(r"\bto +(\w+)", operation.head)
    return " ".join([name, *words, *(["to", to[1]] if to else [])])


def _arithmetic(operation: Operation) -> str:
    """What a map does to each number."""
    found = re.findall(r"= (arith|math)\.(\w+)", operation.text)
    names = list(dict.fromkeys(name.removesuffix("f") if dialect == "arith" else name for dialect, name in found
                               if name not in ("constant", "select")))  # fmt: skip
    return f"map: {', '.join(names[:3])}{', …' if len(names) > 3 else ''}" if names else "map"


def _domain(type_: str) -> str:
    rows = _ROWS.search(type_)
    return _DOMAINS.get(rows[1] if rows else "", "whole")


def _describe(type_: str) -> str:
    """The shape, "edge × 8", with the name of the rows."""
    rows, shape = _ROWS.search(type_), _SHAPE.match(type_)
    sizes = shape[1].rstrip("x").split("x") if shape else []
    if rows and sizes:
        sizes[0] = rows[1]
    return " × ".join(filter(None, sizes))


def _shortened(text: str, most: int = 28) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _box(box: _Box, middle: tuple[float, float], width: float) -> Element:
    x, y = middle
    return make("g", make("title", box.text),
                make("rect", x=x - width / 2, y=y, width=width, height=HEIGHT, rx=5),
                make("text", box.name, x=x, y=y + 16, text_anchor="middle", class_="name"),
                make("text", box.note, x=x, y=y + 30, text_anchor="middle"), class_=f"box {box.domain}")  # fmt: skip


def _arrows(arrows: dict[tuple[str, str], list[str]], layout: Layout) -> list[Element]:
    lines, labels = [], []
    for arrow, moves in arrows.items():
        points = layout.routes[arrow]
        (x, y), path = points[0], [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
        for next_x, next_y in points[1:]:
            middle = (y + next_y) / 2
            path.append(f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}")
            x, y = next_x, next_y
        lines.append(make("path", d=" ".join(path), class_="moving" if moves else None))
        head = f"M{x - 4:.1f} {y - 6:.1f}L{x:.1f} {y:.1f}L{x + 4:.1f} {y - 6:.1f}z"
        lines.append(make("path", d=head, class_="head"))
        for line, move in enumerate(moves):
            labels.append(make("text", move, x=x, y=y - 12 - 11 * line, text_anchor="middle", class_="move"))
    return [*lines, *labels]
