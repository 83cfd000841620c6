"""Places the boxes of a picture in layers, so that arrows point down and few of them cross.

Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981).
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

HEIGHT, GAP, SPACE = 38.0, 46.0, 18.0  # of a box, between layers, between boxes of a layer
_BEND = 8.0  # the width of the place that an arrow takes in a layer that it crosses
_SWEEPS = 8


class Layout(NamedTuple):
    """Where everything is, in pixels.

    Attributes:
        boxes: the middle of the upper side of each.
        routes: of each arrow, the points that it goes through, from box to box.
        width, height: of the picture.
    """

    boxes: dict[str, tuple[float, float]]
    routes: dict[tuple[str, str], list[tuple[float, float]]]
    width: float
    height: float


def lay_out(widths: dict[str, float], arrows: list[tuple[str, str]]) -> Layout:
    """Places boxes of these widths, named in an order in which no arrow points back."""
    layer = _layers(widths, arrows)
    # An arrow across several layers has a place in each, where nothing else is.
    all_widths, steps, chains = dict(widths), [], {}
    for start, end in dict.fromkeys(arrows):
        chain = [start]
        for number in range(layer[start] + 1, layer[end]):
            bend = f"{start}|{end}|{number}"
            layer[bend], all_widths[bend] = number, _BEND
            chain.append(bend)
        chain.append(end)
        chains[start, end] = chain
        steps += zip(chain, chain[1:])
    above, below = defaultdict(list), defaultdict(list)
    for start, end in steps:
        below[start].append(end)
        above[end].append(start)
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for name in all_widths:
        rows[layer[name]].append(name)
    places = _places(rows, all_widths, above, below)
    left = min((places[name] - width / 2 for name, width in all_widths.items()), default=0.0)
    middles = {name: (places[name] - left + SPACE, SPACE + layer[name] * (HEIGHT + GAP)) for name in all_widths}
    routes = {}
    for arrow, (start, *bends, end) in chains.items():
        points = [(middles[start][0], middles[start][1] + HEIGHT)]
        for bend in bends:
            x, y = middles[bend]
            points += [(x, y), (x, y + HEIGHT)]
        routes[arrow] = [*points, middles[end]]
    width = max((middles[name][0] + all_widths[name] / 2 for name in all_widths), default=0.0) + SPACE
    return Layout({name: middles[name] for name in widths}, routes, width, len(rows) * (HEIGHT + GAP) - GAP + 2 * SPACE)


def _layers(widths: dict[str, float], arrows: list[tuple[str, str]]) -> dict[str, int]:
    """Below all that point to it; what nothing points to is right above the first that it points to."""
    before, after = defaultdict(list), defaultdict(list)
    for start, end in arrows:
        before[end].append(start)
        after[start].append(end)
    layer: dict[str, int] = {}
    for name in widths:
        layer[name] = max((layer[other] + 1 for other in before[name]), default=0)
    for name in widths:
        if not before[name] and after[name]:
            layer[name] = min(layer[other] for other in after[name]) - 1
    return layer


def _places(rows: list[list[str]], widths: dict[str, float], above: dict, below: dict) -> dict[str, float]:
    """Horizontal middles: each row in the order of the means of its neighbours, and as close to them as it can be."""
    places: dict[str, float] = {}
    for row in rows:
        places.update(_spread({name: 0.0 for name in row}, widths))
    for sweep in range(_SWEEPS):
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = {name: _mean([places[other] for other in neighbours[name]], places[name]) for name in row}
            row.sort(key=wanted.__getitem__)
            places.update(_spread({name: wanted[name] for name in row}, widths))
    for row in rows:  # the last word, without another change of the order, have all neighbours
        wanted = {name: _mean([places[other] for other in (*above[name], *below[name])], places[name]) for name in row}
        places.update(_spread(wanted, widths))
    return places


def _mean(numbers: list[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default


def _spread(wanted: dict[str, float], widths: dict[str, float]) -> dict[str, float]:
    """The places nearest to those wanted, in the same order, at which nothing overlaps (pool adjacent violators)."""
    offsets, offset, last = {}, 0.0, None
    for name in wanted:
        offset += 0.0 if last is None else (widths[last] + widths[name]) / 2 + SPACE
        offsets[name], last = offset, name
    blocks: list[tuple[float, list[str]]] = []  # the mean of what is wanted of those that touch, without offsets
    for name, place in wanted.items():
        block = (place - offsets[name], [name])
        while blocks and blocks[-1][0] >= block[0]:
            mean, names = blocks.pop()
            total = len(names) + len(block[1])
            block = ((mean * len(names) + block[0] * len(block[1])) / total, names + block[1])
        blocks.append(block)
    return {name: mean + offsets[name] for mean, names in blocks for name in names}
