"""What was measured so far: a JSON file for each unit of work, so that a later run goes on where one ended."""

from __future__ import annotations

import json
import os
from pathlib import Path

Unit = dict  # "part" and "name" say which; "group" which units share a process; the rest is the part's


class Absent(Exception):  # noqa: N818  (no error: there is nothing to measure)
    """What a unit needs is not on this machine."""


class Store:
    def __init__(self, folder: Path):
        self.folder = Path(folder)

    def path(self, unit: Unit) -> Path:
        return self.folder / unit["part"] / f"{unit['name'].replace(':', '-')}.json"

    def has(self, unit: Unit) -> bool:
        return self.path(unit).exists()

    def put(self, unit: Unit, result: dict) -> None:
        """Writes a result as a whole: a process that is ended meanwhile leaves none."""
        path = self.path(unit)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps({**unit, **result}, indent=1) + "\n")
        os.replace(temporary, path)

    def all(self, part: str) -> list[dict]:
        """The results of a part, with what their units say."""
        return [json.loads(path.read_text()) for path in sorted((self.folder / part).glob("*.json"))]

    def forget_failures(self) -> int:
        """Removes the results that are no success, so that they are made anew."""
        failed = [path for path in self.folder.glob("*/*.json") if json.loads(path.read_text())["status"] != "ok"]
        for path in failed:
            path.unlink()
        return len(failed)
