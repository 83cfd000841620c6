#!/usr/bin/env bash
# Runs PyG's own tests, of a checkout of PyG, as they are and with every module compiled, and lists those that pass only
# as they are: utils/check_pyg.sh PATH [FOLDERS OR FILES, under PATH/test]. Fails where there are any.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "${1:?expected the path of a checkout of PyG}/test"
shift
[ $# -gt 0 ] || set -- nn/conv nn/norm nn/aggr nn/pool nn/dense nn/models nn/test_*.py explain
log=$(mktemp -d)
# Test processes that run side by side list tests in the same order, and do not take the cores from each other. The tests
# of a file run in one process: what the first instance of a layer is decides what PyG generates for its class.
export PYTHONHASHSEED=0 OMP_WAIT_POLICY=passive PYTHONPATH=$root/test/pyg:$root/python

run() { # run NAME OPTIONS...: the tests that pass
  local name=$1
  shift
  "$root/.venv/bin/python" -m pytest -q -n auto --dist loadfile --maxprocesses=4 -p no:cacheprovider \
    -p no:logging -o addopts= -o faulthandler_timeout=600 -rA "$@" >"$log/$name" 2>&1 || true
  tail -n 1 "$log/$name"
  sed -nE 's/^(PASSED|XFAIL) ([^ ]*).*/\2/p' "$log/$name" | sort -u >"$log/$name.passed"
}

run eager "$@"
run compiled -p compile_pyg "$@"
grep '^rgnn: calls' "$log/compiled"
echo "passes only when not compiled:"
comm -23 "$log/eager.passed" "$log/compiled.passed" | tee "$log/only"
echo "$(wc -l <"$log/compiled.passed") passed, $(wc -l <"$log/only") passed only when not compiled; $log"
[ -s "$log/compiled.passed" ] && [ ! -s "$log/only" ]
