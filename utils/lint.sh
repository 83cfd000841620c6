#!/usr/bin/env bash
# clang-format, clang-tidy and ruff over the sources; changes nothing.
cd "$(dirname "$0")/.."
status=0
git ls-files '*.cpp' '*.h' | xargs clang-format-22 --dry-run --Werror || status=1
git ls-files 'lib/*.cpp' 'tools/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy-22 -p build --quiet --warnings-as-errors='*' || status=1
.venv/bin/ruff check --line-length 120 --select E,F,I,B,UP,N,SIM python test/python benchmark examples || status=1
exit $status
