#!/usr/bin/env bash
# Runs every test: lit (dialects, passes, pipelines), gtest (runtime), pytest (against PyTorch and PyG). The last line
# is "N passed, N failed"; the exit status is 0 only if none failed and each suite ran some.
cd "$(dirname "$0")/.."
export PYTHONUNBUFFERED=1
log=$(mktemp -d) && trap 'rm -rf "$log"' EXIT
passed=0 failed=0

# count SUITE PASSED FAILED STATUS: a suite that ran nothing, or failed without naming a test, counts as one failure.
count() {
  local ok=${2:-0} bad=${3:-0}
  [ "$4" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  [ "$ok" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
  echo "[check] $1: $ok passed, $bad failed"
  passed=$((passed + ok)) failed=$((failed + bad))
}
number() { grep -oE "$1" "$2" | grep -oE '[0-9]+' | tail -n 1; }

cmake --build build --target RGNNTestDepends && .venv/bin/lit -sv build/test 2>&1 | tee "$log/lit"
status=${PIPESTATUS[0]}
count lit "$(number 'Passed *: *[0-9]+' "$log/lit")" "$(number 'Failed *: *[0-9]+' "$log/lit")" "$status"

build/bin/RGNNRuntimeTests --gtest_brief=1 2>&1 | tee "$log/gtest"
status=${PIPESTATUS[0]}
count gtest "$(number '\[  PASSED  \] [0-9]+' "$log/gtest")" "$(number '\[  FAILED  \] [0-9]+' "$log/gtest")" "$status"

# A test that hangs fails, and says where it did.
.venv/bin/python -m pytest -q -n auto --maxprocesses=4 --dist worksteal -p no:cacheprovider -p no:logging \
  -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true test/python 2>&1 | tee "$log/pytest"
status=${PIPESTATUS[0]}
count pytest "$(number '[0-9]+ passed' "$log/pytest")" "$(number '[0-9]+ failed' "$log/pytest")" "$status"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
