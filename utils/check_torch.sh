#!/usr/bin/env bash
# Runs the tests of Python with another version of PyTorch: utils/check_torch.sh VERSION [PYTEST'S ARGUMENTS]. The version
# is installed in build/torch/VERSION, once; all else comes from .venv and build, which `make build` makes.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?expected a version of PyTorch, such as 2.12.1}
shift
environment=build/torch/$version
packages=lib/python$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages

if [ ! -e "$environment/ready" ]; then
  echo "[check-torch] installing PyTorch $version into $environment"
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check "torch==$version"
  # After its own packages come those of the checkout's environment, PyTorch's of which is not seen any more.
  printf '%s\n' "$PWD/python" "$PWD/build/python" "$PWD/.venv/$packages" >"$environment/$packages/checkout.pth"
  touch "$environment/ready"
fi

# The LibTorch that PyPI has needs CUDA's compiler to build what uses it.
[ $# -gt 0 ] || set -- test/python --ignore test/python/test_libtorch.py
OMP_NUM_THREADS=1 "$environment/bin/python" -m pytest -q -n "$(nproc)" --dist worksteal "$@"
