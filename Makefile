# The commands of the README; the work is in utils/setup.sh and CMake.
.PHONY: setup build demo check lint bench docs wheel
.DEFAULT_GOAL := build

PYTHON := .venv/bin/python

setup:
	@utils/setup.sh

build: setup
	@[ -e build/build.ninja ] || cmake --preset dev
	@cmake --build build

demo: build
	@$(PYTHON) examples/demo.py

check: build
	@utils/check.sh

lint: build
	@utils/lint.sh

bench: build
	@benchmark/install_peers.sh
	@$(PYTHON) benchmark/run.py

# For machines that run saved modules, without the compiler: dist/rgnn-*.whl.
wheel: setup
	@$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

docs: build
	@cmake --build build --target rgnn-doc
