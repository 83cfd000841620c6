"""Writes the tables of views and sizes: python utils/write_views.py GraphViews.def PAGE.md"""

import ast
import pathlib
import re
import sys

# Four words and the texts, which end the record.
VIEW = re.compile(r'^RGNN_VIEW\((\w+), \w+, (\w+), (\w+), (\w+),\s*(".*?")\)$', re.MULTILINE | re.DOTALL)
SIZE = re.compile(r'^RGNN_SIZE\((\w+), \w+, (".*?")\)$', re.MULTILINE | re.DOTALL)


def write(definitions: str) -> str:
    """The page; the explanations before the first record are its beginning."""
    lines = definitions.split("//===---")[0].splitlines()[2:]
    records = {"VIEW": VIEW.findall(definitions), "SIZE": SIZE.findall(definitions)}
    for kind, found in records.items():
        if len(found) != len(re.findall(rf"^RGNN_{kind}\(", definitions, re.MULTILINE)):
            raise SystemExit(f"expected records of the form RGNN_{kind}(words, \"texts\"), got others")
    text = ["# Views and sizes of graphs", "", "```", *(line.removeprefix("//").removeprefix(" ") for line in lines)]
    text += ["```", "", "| view | form | element | group | rows | what they hold |", "|---|---|---|---|---|---|"]
    for name, form, element, group, texts in records["VIEW"]:
        rows, held = ast.literal_eval(f"[{texts}]")
        text.append(f"| `{name}` | {form} | {element} | {group} | {rows} | {held} |")
    text += ["", "| size | number of |", "|---|---|"]
    text += [f"| `{name}` | {ast.literal_eval(of)} |" for name, of in records["SIZE"]]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(write(pathlib.Path(sys.argv[1]).read_text()))
