# The commands of the README; the work is in utils/setup.sh and CMake.
.PHONY: setup build demo check check-all check-install check-page check-pyg check-torch fuzz lint bench bench-dgl bench-memory bench-plans \
  coverage gpu-check docs site wheel runtime-wheel
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

# With all parameters of the tests of which `make check` runs a sample.
check-all: build
	@RGNN_CHECK=all utils/check.sh

# Random models beside PyTorch, until it is interrupted; it goes on where it stopped: make fuzz [FUZZ="--count 100"]
fuzz: build
	@$(PYTHON) utils/fuzz.py $(FUZZ)

# The page of rgnn.explain in Chromium, which it installs.
check-page: build
	@utils/setup.sh chromium
	@$(PYTHON) -m pytest -q test/python/test_page_in_browser.py

# PyG's own tests with its modules compiled: make check-pyg PYG=PATH_OF_A_CHECKOUT [TESTS="nn/conv nn/norm"]
check-pyg: build
	@utils/check_pyg.sh $(PYG) $(TESTS)

lint: build
	@utils/lint.sh

bench: build
	@benchmark/install_peers.sh
	@$(PYTHON) benchmark/run.py

# rgnn.dgl beside DGL, which takes long and goes on where it stopped: make bench-dgl [BENCH="--only GATConv"]
bench-dgl: build
	@benchmark/install_peers.sh
	@$(PYTHON) benchmark/beside_dgl.py $(BENCH)

# Rules and costs against every plan of a layer, which takes long and goes on where it stopped: make bench-plans [BENCH="--models hgt"]
bench-plans: build
	@$(PYTHON) benchmark/plans.py $(BENCH)

# What calls take of memory on large graphs, predicted and measured: make bench-memory [BENCH="--models hgt --budget 8e9"]
bench-memory: build
	@$(PYTHON) benchmark/memory.py $(BENCH)

# What of PyG is compiled whole, how fast and how exactly: make coverage [COVERAGE="--quick --layers GCN,GAT"]
coverage: build
	@$(PYTHON) benchmark/cover.py $(or $(COVERAGE),--out docs/Coverage.md)

gpu-check: build runtime-wheel
	@$(PYTHON) benchmark/gpu/check.py

# The packages rgnn, with the compiler (PYTHON=... for another Python), and rgnn-runtime, which runs saved modules.
wheel:
	@utils/setup.sh liblld-22-dev
	@utils/make_wheel.sh rgnn
	@utils/make_wheel.sh rgnn-runtime

runtime-wheel: setup
	@utils/make_wheel.sh rgnn-runtime

# Both packages on machines that have Python and nothing else; as root, in minutes. Takes what is in dist.
check-install:
	@utils/setup.sh debootstrap
	@utils/check_install.sh

# The tests of Python with another version of PyTorch, which is installed in build/torch: make check-torch TORCH=2.12.1
check-torch: build
	@utils/check_torch.sh $(TORCH)

docs: build
	@cmake --build build --target rgnn-doc

# The documentation as a site: build/site/index.html.
site: build docs
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r utils/requirements-site.txt
	@$(PYTHON) benchmark/gallery.py build/gallery
	@$(PYTHON) -m sphinx --fail-on-warning --quiet -b html -c docs/site . build/site
	@echo build/site/index.html
