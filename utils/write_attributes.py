#!/usr/bin/env python3
"""Writes the table of docs/Attributes.md from the lists of both dialects; with --check, says whether it is that."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs/Attributes.md"
record = re.compile(r'^\w+_ATTRIBUTE\(\w+, "([\w.]+)", ([^,]+), (\w+), "(.*)"\)$', re.MULTILINE)


def table() -> str:
    lines = ["| attribute | of | value | what it says |", "|---|---|---|---|"]
    for path in sorted(root.glob("include/RGNN/Dialect/*/IR/DiscardableAttributes.def"), reverse=True):
        for name, bearers, kind, text in record.findall(path.read_text()):
            of = ", ".join(word.strip().removeprefix("Bearer::").lower() for word in bearers.split("|"))
            lines.append(f"| `{name}` | {of} | `{kind}` | {text} |")
    return "\n".join(lines) + "\n"


head, _, _ = page.read_text().partition("| attribute |")
if "--check" not in sys.argv:
    page.write_text(head + table())
elif page.read_text() != head + table():
    sys.exit("docs/Attributes.md is not what DiscardableAttributes.def says: run utils/write_attributes.py")
