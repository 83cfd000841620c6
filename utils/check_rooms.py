#!/usr/bin/env python3
"""Finds files and folders that are too large to find one's way in: a .cpp has 400 lines, a folder 24 files."""

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePath

MOST_LINES = 400
MOST_FILES = 24
PLACES = ("lib", "include", "runtime", "tools", "python")
FOLDERS = ("lib/", "include/", "runtime/", "python/rgnn")

names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *PLACES],
                       capture_output=True, text=True, check=True).stdout.split()  # fmt: skip
names = [name for name in names if Path(name).exists()]
found = 0
for name in names:
    if name.endswith(".cpp") and (lines := Path(name).read_text().count("\n")) > MOST_LINES:
        print(f"{name}: expected at most {MOST_LINES} lines, got {lines}")
        found += 1
files = Counter(str(PurePath(name).parent) for name in names if name.startswith(FOLDERS))
for folder, count in sorted(files.items()):
    if count > MOST_FILES:
        print(f"{folder}: expected at most {MOST_FILES} files, got {count}")
        found += 1
sys.exit(found > 0)
