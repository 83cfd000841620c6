"""Elements of HTML and SVG. The standard library writes them, and escapes what is not safe in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

Element = ElementTree.Element
Child = str | Element | None | list["Child"]

# No document may have these.
_UNSAFE = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000))}


def make(tag: str, *children: Child, **attributes: Any) -> Element:
    """An element.

    Args:
        tag: ``"table"``.
        children: text, elements, None for nothing, and lists of these.
        attributes: with ``_`` for ``-``, and without the one at the end, ``class_``; None for none.
    """
    element = Element(tag, {name.rstrip("_").replace("_", "-"): _written(value)
                            for name, value in attributes.items() if value is not None})  # fmt: skip
    _add(element, children)
    return element


def _add(element: Element, children: Iterable[Child]) -> None:
    for child in children:
        if isinstance(child, str):
            text = child.translate(_UNSAFE)
            if len(element):
                element[-1].tail = (element[-1].tail or "") + text
            else:
                element.text = (element.text or "") + text
        elif isinstance(child, list):
            _add(element, child)
        elif child is not None:
            element.append(child)


def _written(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value).translate(_UNSAFE)


def table(head: list[str], rows: list[list[Child]], foot: list[list[Child]] | None = None, numbers: int = 0) -> Element:
    """A table that scrolls where it is wider than the page.

    Args:
        head: names of the columns.
        rows, foot: the cells of each row; empty ones at the end may be left out.
        numbers: so many columns, from the second on, are of numbers.
    """

    def row(cells: list[Child], tag: str = "td") -> Element:
        return make("tr", [make(tag, cell, class_="number" if 0 < at <= numbers else None)
                           for at, cell in enumerate(cells)])  # fmt: skip

    body = make("table", make("thead", row(list(head), "th")), make("tbody", [row(cells) for cells in rows]),
                make("tfoot", [row(cells) for cells in foot]) if foot else None)  # fmt: skip
    return make("div", body, class_="wide")


def folded(summary: Child, *children: Child, is_open: bool = False) -> Element:
    """What a reader opens to see."""
    return make("details", make("summary", summary), *children, open="" if is_open else None)


def write(element: Element) -> str:
    return ElementTree.tostring(element, encoding="unicode", method="html")


def in_bytes(number: float | None) -> str:
    """A number of bytes in the unit that leaves the fewest digits."""
    if number is None:
        return ""
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}" if unit != "B" else f"{number:.0f} B"
        number /= 1000
    return f"{number:,.3g} GB" if number < 1000 else f"{number:,.0f} GB"
