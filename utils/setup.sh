#!/usr/bin/env bash
# Installs what building and testing RGNN needs and this machine lacks: Debian packages by apt-get (with sudo only
# where needed), also those that are its arguments, and a Python environment in .venv. Says what it installs; does
# nothing on a machine that is ready.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(build-essential cmake ninja-build ccache git python3-venv python3-dev zlib1g-dev libzstd-dev
  clang-22 libclang-rt-22-dev clang-format-22 clang-tidy-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev
  mlir-22-tools libgtest-dev nlohmann-json3-dev "$@")

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "[setup] installing Debian packages: ${missing[*]}"
  sudo=; [ "$(id -u)" -eq 0 ] || sudo=sudo
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# A stamp of the requirements keeps a ready environment untouched, and a changed list brings it up to date.
stamp=.venv/.rgnn-requirements
wanted=$(cat utils/requirements.txt)
if [ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
  echo "[setup] installing the Python environment into .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  # PyTorch goes first and alone: a range in another package's requirements would bring its CUDA build.
  .venv/bin/pip install --quiet --disable-pip-version-check torch==2.13.0
  .venv/bin/pip install --quiet --disable-pip-version-check -r utils/requirements.txt
  cuda_root() { command -v nvcc >/dev/null || [ -e /usr/local/cuda/bin/ptxas ]; }
  if ! cuda_root; then
    echo "[setup] no CUDA Toolkit found: installing ptxas and libdevice from PyPI"
    .venv/bin/pip install --quiet --disable-pip-version-check -r utils/requirements-cuda.txt
  fi
  printf '%s\n' "$wanted" >"$stamp"
fi

# The checkout's own package and extension modules, for every Python of the environment.
packages_dir=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
printf '%s\n' "$PWD/python" "$PWD/build/python" >"$packages_dir/rgnn-checkout.pth"
.venv/bin/python utils/write_metadata.py "$packages_dir"
