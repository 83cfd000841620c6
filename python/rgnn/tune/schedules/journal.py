"""What was measured of a module so far: a file that an interruption costs no more than what was under way."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .space import Configuration


@dataclass(frozen=True)
class Entry:
    """A configuration that was looked at.

    Attributes:
        configuration: of the module's space.
        key: of its code; empty where the compiler refuses it.
        refused: why it does.
        seconds: by graphs; empty where other configurations with the same code were measured.
        own: what the configuration of the compiler's rules took beside it.
        noise: of :class:`~rgnn.tune.schedules.timing.Times`.
    """

    configuration: Configuration
    key: str = ""
    refused: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    own: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """The geometric mean over graphs of its time by that of the compiler's own."""
        return math.exp(np.mean([math.log(self.seconds[graph] / self.own[graph]) for graph in self.seconds]))


class Journal:
    """A file of entries, a line of JSON for each, behind a line that says what they are of.

    Args:
        path: of the file, which is made where there is none.
        head: what entries are of; plain values.

    Attributes:
        entries: so far.

    Raises:
        ValueError: the file is of something else, or has other lines.
    """

    def __init__(self, path: Path, head: dict[str, Any]):
        self.path, self.entries = path, list[Entry]()
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # without a line that was cut off
        if whole != text:
            path.write_text(whole)
        if not whole:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(head) + "\n")
            return
        first, *rest = whole.splitlines()
        try:
            known = json.loads(first)
            self.entries = [_entry(json.loads(line)) for line in rest]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: expected measurements of python -m rgnn.tune schedules: {error}") from None
        for name, value in json.loads(json.dumps(head)).items():
            if known.get(name) != value:
                raise ValueError(f"{path}: {name}: expected what is measured now, {_short(value)}, got "
                                 f"{_short(known.get(name))}: collect into another folder")  # fmt: skip

    def add(self, entries: Sequence[Entry]) -> None:
        """Writes entries at once."""
        with self.path.open("a") as file:
            file.write("".join(json.dumps({name: value for name, value in asdict(entry).items() if value}) + "\n"
                               for entry in entries))  # fmt: skip
        self.entries += entries

    @property
    def measured(self) -> dict[str, Entry]:
        """By keys of code, the first entry that has times."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.seconds:
                found.setdefault(entry.key, entry)
        return found

    @property
    def costs(self) -> dict[Configuration, float]:
        """Of all that was looked at: infinite where it is refused, that of the same code where there is one."""
        costs = {key: entry.cost for key, entry in self.measured.items()}
        return {entry.configuration: costs[entry.key] if entry.key else math.inf for entry in self.entries}


def _entry(fields: dict[str, Any]) -> Entry:
    return Entry(**{**fields, "configuration": tuple(fields["configuration"])})


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
