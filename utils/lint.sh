#!/usr/bin/env bash
# clang-format, clang-tidy and ruff over the sources, as in .clang-format, .clang-tidy and pyproject.toml; and searches for
# chains of kinds of ops, repeated code, files and folders that are too large, and what no longer is what the records of
# rewrites say. Changes nothing. Ends with the names of those that found something.
cd "$(dirname "$0")/.."
failed=()
step() { echo "[lint] $1"; "${@:2}" || failed+=("$1"); }
sources() { git ls-files --cached --others --exclude-standard "$@"; }

format() { sources '*.cpp' '*.h' | xargs clang-format-22 --dry-run --Werror; }
# Files that the build compiles: its commands are what clang-tidy reads. Headers are checked with what includes them.
tidy() {
  grep -oE '"file": "[^"]+"' build/compile_commands.json | cut -d'"' -f4 | grep -E "^$PWD/(lib|tools|runtime|python)/" |
    xargs -P "$(nproc)" -n 1 clang-tidy-22 -p build --quiet --warnings-as-errors='*' 2> >(grep -v ' warnings\? generated' >&2)
}

step clang-format format
step ruff .venv/bin/ruff check --quiet .
step chains .venv/bin/python utils/check_chains.py
step repeats .venv/bin/python utils/check_repeats.py
step rooms .venv/bin/python utils/check_rooms.py
step rewrites .venv/bin/python utils/write_rewrites.py --check
step clang-tidy tidy
[ ${#failed[@]} -eq 0 ] || { echo "[lint] failed: ${failed[*]}"; exit 1; }
echo "[lint] nothing found"
