#!/usr/bin/env python3
"""Finds chains of kinds of operations that an interface should answer for: isa<A, B, C, D>, of more than three.

Canonicalisers may name the ops that they match, and no interface of this project answers for ops of other dialects.
"""

import re
import subprocess
import sys

LIMIT = 3
CHAIN = re.compile(r"\b(?:isa|isa_and_nonnull|isa_and_present|IsaPred)<([^<>;()]*)>")
EXEMPT = re.compile(r"(Canonicalize|Folds)\.cpp$")


OTHERS = ("arith::", "func::", "gpu::", "linalg::", "math::", "memref::", "nvgpu::", "scf::", "tensor::", "vector::")


def kinds(names: str) -> list[str]:
    """The operations of this project's dialects among the names of a chain."""
    return [name for name in map(str.strip, names.split(",")) if name.endswith("Op") and not name.startswith(OTHERS)]


found = 0
files = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], capture_output=True, text=True, check=True).stdout.split()
for path in files:
    if EXEMPT.search(path):
        continue
    with open(path) as file:
        text = file.read()
    for match in CHAIN.finditer(text):
        if len(kinds(match[1])) > LIMIT:
            line = text.count("\n", 0, match.start()) + 1
            print(f"{path}:{line}: expected at most {LIMIT} kinds of operations, got {', '.join(kinds(match[1]))}")
            found += 1
sys.exit(found > 0)
