#!/usr/bin/env bash
# Writes packages to dist/: make_wheel.sh rgnn|rgnn-runtime. `rgnn` is the compiler with what it needs of LLVM, MLIR and
# lld inside, for the Python that builds it, which is .venv/bin/python or $PYTHON; from Python 3.12 on, for all later
# ones, too. `rgnn-runtime` loads saved modules alone, on any Python from 3.11 on. auditwheel names the C library that
# they need at least.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  rgnn) source=. ;;
  rgnn-runtime) source=runtime ;;
  *) echo "expected rgnn or rgnn-runtime, got '${1:-}'" >&2; exit 2 ;;
esac
.venv/bin/pip install --quiet --disable-pip-version-check -r utils/requirements-wheel.txt
made=$(mktemp -d) && trap 'rm -rf "$made"' EXIT
if [ "${PYTHON:-.venv/bin/python}" = .venv/bin/python ]; then
  .venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$made" "./$source"
else # pip installs what builds packages into an environment of its own
  header=$(.venv/bin/python -c "import torch; print(torch.__path__[0])")/include/ATen/dlpack.h
  "$PYTHON" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$made" \
    --config-settings="cmake.define.RGNN_DLPACK_HEADER=$header" "./$source"
fi
PATH="$PWD/.venv/bin:$PATH" .venv/bin/auditwheel repair --plat auto --wheel-dir dist "$made"/*.whl 2>&1 | tail -n 1
ls -t dist/*.whl | head -n 1
