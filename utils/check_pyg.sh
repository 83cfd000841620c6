#!/usr/bin/env bash
# Runs PyG's own tests, of a checkout of PyG, as they are and with every module compiled, and lists those that fail only
# when compiled: utils/check_pyg.sh PATH [FOLDERS OR FILES, under PATH/test].
set -euo pipefail
pyg=$(cd "${1:?expected the path of a checkout of PyG}" && pwd)
shift
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- nn/conv nn/norm nn/aggr nn/pool nn/dense nn/models nn/test_*.py explain
log=$(mktemp -d)

run() { # run NAME OPTIONS...: the outcome of each test
  local name=$1
  shift
  (cd "$pyg/test" && PYTHONPATH=$root/test/pyg "$root/.venv/bin/python" -m pytest -q -n auto --maxprocesses=4 \
    -p no:cacheprovider -p no:logging -o addopts= -o faulthandler_timeout=600 -rA "$@" >"$log/$name" 2>&1) || true
  tail -n 1 "$log/$name"
  sed -nE 's/^(PASSED|FAILED|ERROR) ([^ ]*).*/\1 \2/p' "$log/$name" | sort -u >"$log/$name.outcomes"
}

folders=("$@")
run eager "${folders[@]}"
run compiled -p compile_pyg "${folders[@]}"
echo "fails only when compiled:"
comm -23 <(grep -vh '^PASSED' "$log/compiled.outcomes" | cut -d' ' -f2 | sort) \
  <(grep -vh '^PASSED' "$log/eager.outcomes" | cut -d' ' -f2 | sort) | tee "$log/only"
echo "$(grep -c '^PASSED' "$log/compiled.outcomes" || true) passed, $(wc -l <"$log/only") failed only when compiled; $log"
