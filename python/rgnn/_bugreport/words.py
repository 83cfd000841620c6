"""Words of a report, without the paths of a machine."""

from __future__ import annotations

import re
import traceback

# From the root to a last name, which stays; a quotient is none of these.
_PATH = re.compile(r"(?<![\w.)\]])(?:[A-Za-z]:)?(?:[/\\][^/\\\s'\"<>|:,;]+)+(?=[/\\][^/\\\s'\"<>|:,;]+)[/\\]")

_PACKAGES = re.compile(r"(?:site|dist)-packages[/\\]|python[/\\](?=rgnn[/\\])|$")


def without_paths(text: str) -> str:
    """The text, where paths begin at their package, if they are of an installed one, or else are names alone."""
    return _PATH.sub(lambda match: _PACKAGES.split(match[0], maxsplit=1)[1], text)


def describe_error(error: BaseException | None) -> str:
    """An error, where it was raised, and what it follows from; empty for none."""
    return without_paths("".join(traceback.format_exception(error))) if error is not None else ""


def fenced(text: str, language: str = "") -> str:
    """As a block of Markdown, whatever is in it."""
    longest = max(map(len, re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def listed(lines: list[str]) -> str:
    """Lines as such a block."""
    return fenced(without_paths("\n".join(lines))) if lines else "none"
