#!/usr/bin/env bash
# Installs the packages of `make wheel` where there is Python and nothing else, and runs the README's program there:
# check_install.sh [SUITE...], by default Debian's bookworm (Python 3.11) and trixie (3.13). TORCH is the version of
# PyTorch, LOAD_TORCH that of the environment without a compiler. A machine is a minimal Debian in build/machine/SUITE,
# entered by chroot, without LLVM, a compiler or a network. Needs root and debootstrap. The last line is
# "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "expected root, for debootstrap and chroot" >&2; exit 2; }
[ $# -gt 0 ] || set -- bookworm trixie
for package in rgnn rgnn_runtime; do
  compgen -G "dist/$package-*.whl" >/dev/null || { echo "expected dist/$package-*.whl, got none: make wheel" >&2; exit 2; }
done

# enter ROOT COMMAND...: in namespaces of its own, so that nothing mounted or started outlives it.
enter() {
  local root=$1
  shift
  unshare --mount --net --pid --ipc --fork sh -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount -t tmpfs tmpfs "$root/dev/shm"
    exec chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 "$@"' sh "$root" "$@"
}

# packages VERSION TORCH: what pip has to install there, fetched here, as there is no network.
packages() {
  local folder=build/machine/packages-$1-$2 platforms=(--platform manylinux2014_x86_64) minor
  for minor in $(seq 5 36); do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
  mkdir -p "$folder"
  .venv/bin/pip download --quiet --disable-pip-version-check --only-binary :all: --python-version "$1" \
    --implementation cp --abi "cp${1/./}" --abi abi3 --abi none "${platforms[@]}" --dest "$folder" \
    "torch==$2" torch-geometric numpy safetensors
  rm -f "$folder"/rgnn*.whl
  cp dist/rgnn*.whl "$folder"
}

torch=${TORCH:-2.13.0} passed=0 failed=0
for suite in "$@"; do
  root=$PWD/build/machine/$suite
  if [ ! -e "$root/.ready" ]; then
    echo "[install] making a minimal Debian $suite in $root"
    rm -rf "$root" && mkdir -p build/machine
    debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" >"$root.log" ||
      { echo "debootstrap failed: is '$suite' a suite of Debian? $root.log says more" >&2; exit 2; }
    touch "$root/.ready"
  fi
  version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  rm -rf "$root/check"
  mkdir -p "$root/check/build"
  cp README.md test/Install/*.py "$root/check"
  for check in "compile.py $torch" "load.py ${LOAD_TORCH:-$torch}"; do
    echo "[install] $suite, Python $version: $check"
    packages "$version" "${check#* }"
    rm -rf "$root/check/packages"
    cp -r "build/machine/packages-$version-${check#* }" "$root/check/packages"
    if enter "$root" sh -c "cd /check && python3 $check"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
