#!/usr/bin/env bash
# check-numeric.sh FILE PASSES...: the functions of FILE compute the same before and after the passes, by the reference
# interpreter, on random graphs that hold the awkward cases.
set -euo pipefail
file=$1 && shift
after=$(mktemp --suffix=.mlir) && trap 'rm -f "$after"' EXIT
rgnn-opt "$file" "$@" -o "$after"
rgnn-translate --rgnn-check-equivalent --against="$after" "$file"
