#!/usr/bin/env bash
# Installs the peers that only the benchmark and some tests compare with: DGL 2.1 and what it imports. They go to
# build/peers (or $RGNN_PEERS), not into .venv, so that nothing in the project can come to depend on them.
#
# DGL 2.1.0 is the newest that PyPI has. Its requirements pin an old PyTorch, hence --no-deps; its graphbolt library,
# which needs that PyTorch, is replaced by a stub (benchmark/peers/dgl_stub.py).
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
target=${RGNN_PEERS:-build/peers}
wanted="dgl==2.1.0 torchdata==0.9.0 scipy pandas python-dateutil six pyyaml pydantic"

if [ "$(cat "$target/.installed" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
echo "[peers] installing DGL 2.1 into $target (for comparison only)"
rm -rf "$target"
mkdir -p "$target"
pip="$python -m pip install --quiet --disable-pip-version-check --target $target"
$pip --no-deps dgl==2.1.0 torchdata==0.9.0 scipy pandas python-dateutil six pyyaml
$pip --upgrade pydantic
printf '%s\n' "$wanted" >"$target/.installed"
