# Everything runs inside .venv, which is built from the locked dependencies in constraints.txt.

VENV      := .venv
BIN       := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP       := $(BIN)/python -m pip

# The interpreter that creates .venv: the first of these that is at least Python 3.11.
# Override it with `make PYTHON=/path/to/python ...`.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo "$$p"; break; }; done)

# Where Flink is installed for `make bench-peers`, and the interpreter that it can run on.
FLINK := build/peers/flink
FLINK_PYTHON ?= $(shell for p in "$(PYTHON)" python3.11 python3.12; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' >/dev/null 2>&1 \
	&& { echo "$$p"; break; }; done)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test session live apart compiled cluster check fast operators elements fuzz kill soak bench bench-against bench-peers performance nexmark linear-road lint format api lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Install what is needed and run the demonstration
	@$(BIN)/continua demo

# One Spark session seldom keeps both cores busy, so the suite is three runs, two at a time: live
# runs, everything else that shares a session, and what does without one.
test: $(INSTALLED) ## Run the test suite
	@$(MAKE) --no-print-directory --jobs=2 session live apart

session: $(INSTALLED)
	$(BIN)/python -m pytest -m "not apart" --ignore=tests/live

live: $(INSTALLED)
	@mkdir -p build
	@$(BIN)/python -m pytest -m "not apart" tests/live >build/live.log 2>&1; \
		status=$$?; cat build/live.log; exit $$status

apart: $(INSTALLED)
	@mkdir -p build
	@$(BIN)/python -m pytest -m apart >build/apart.log 2>&1; \
		status=$$?; cat build/apart.log; exit $$status

# Beside sqlglot there is a compiled build of it, under which subclassing would fail.
compiled: $(VENV)/compiled/.installed ## Run the tests of the language on compiled sqlglot
	PYTHONPATH=$(VENV)/compiled $(BIN)/python -c \
		'from sqlglot.tokens import SQLGLOTC_INSTALLED as compiled; assert compiled'
	PYTHONPATH=$(VENV)/compiled $(BIN)/python -m pytest -m "not spark" tests/unit/sql tests/scripts

$(VENV)/compiled/.installed: $(INSTALLED) constraints-compiled.txt
	@$(PIP) install --quiet --upgrade --require-hashes --no-deps --only-binary :all: \
		--target $(VENV)/compiled -r constraints-compiled.txt
	@touch $@

# Executors are processes of their own: nothing may lean on the driver's memory or folders.
cluster: $(INSTALLED) ## Run the core of the tests on a small cluster
	CONTINUA_TEST_MASTER='local-cluster[2,1,1024]' $(BIN)/python -m pytest -m core

fuzz: $(INSTALLED) ## Look for new failures: make fuzz SEED=1 MINUTES=30
	$(BIN)/python tests/properties/fuzz.py --seed $(or $(SEED),1) --minutes $(or $(MINUTES),30)

kill: $(INSTALLED) ## Kill a live run a hundred times: make kill KILLS=100 SEED=1
	CONTINUA_KILLS=$(or $(KILLS),100) CONTINUA_SEED=$(or $(SEED),1) \
		$(BIN)/python -m pytest tests/live/test_kill.py

soak: $(INSTALLED) ## Run a live query for long, and look whether anything grows: make soak SLABS=1000
	CONTINUA_SLABS=$(or $(SLABS),1000) $(BIN)/python -m pytest tests/live/test_soak.py

nexmark: $(INSTALLED) ## Compare NEXMark's queries with DuckDB: make nexmark EVENTS=1000000 QUERIES="q05 tods"
	$(BIN)/python bench/nexmark_check.py $(QUERIES) $(if $(EVENTS),--events $(EVENTS))

bench: $(INSTALLED) ## Measure costs as ratios: make bench ROWS=2000000 CASES="span hot"
	$(BIN)/python bench/run.py $(CASES) $(if $(ROWS),--rows $(ROWS))

bench-against: $(INSTALLED) ## Measure this checkout against another commit: make bench-against REV=main~5
	@git worktree add --quiet --force --detach build/against $(REV)
	@$(BIN)/python bench/against.py build/against $(if $(ROWS),--rows $(ROWS)); \
		status=$$?; git worktree remove --force build/against; exit $$status

linear-road: $(INSTALLED) ## Find the highest load of Linear Road: make linear-road MINUTES=15
	$(BIN)/python bench/linear_road/run.py $(if $(MINUTES),--minutes $(MINUTES))

bench-peers: $(INSTALLED) $(FLINK)/.installed ## Measure beside Flink, Spark, DuckDB: make bench-peers EVENTS=1000000 CASES="sliding q7"
	PYTHONPATH=bench $(BIN)/python bench/peers/run.py $(CASES) \
		$(if $(EVENTS),--events $(EVENTS)) $(if $(REPEATS),--repeats $(REPEATS))

performance: $(INSTALLED) ## Write docs/performance.md from what bench-peers has measured
	$(BIN)/python bench/peers/page.py

# PyFlink wants other versions of what we use, so it lives apart.
$(FLINK)/.installed: bench/peers/flink.txt
	@if [ -z "$(FLINK_PYTHON)" ]; then \
		echo "Flink needs Python 3.11 or 3.12: make FLINK_PYTHON=/path/to/python3.11 bench-peers" >&2; \
		exit 1; \
	fi
	@echo "Installing Flink into $(FLINK) (0.8 GB: this takes a few minutes)"
	@rm -rf $(FLINK)
	@"$(FLINK_PYTHON)" -m venv $(FLINK)
	@$(FLINK)/bin/python -m pip install --quiet --require-hashes --no-deps -r bench/peers/flink.txt
	@touch $@

check: lint ## Format, lint, types, layers and the fast tests: the one-minute loop
	@$(MAKE) --no-print-directory --jobs=2 operators fast elements

fast: $(INSTALLED)
	$(BIN)/python -m pytest -m "not spark" tests/unit tests/scripts --ignore=tests/unit/physical

operators: $(INSTALLED)
	@mkdir -p build
	@$(BIN)/python -m pytest -m "not spark" tests/unit/physical/test_operators.py \
		>build/operators.log 2>&1; status=$$?; cat build/operators.log; exit $$status

elements: $(INSTALLED)
	@mkdir -p build
	@$(BIN)/python -m pytest -m "not spark" tests/unit/physical \
		--ignore=tests/unit/physical/test_operators.py >build/elements.log 2>&1; \
		status=$$?; cat build/elements.log; exit $$status

lint: $(INSTALLED) ## Format, lint, types and layers, without the tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED) ## Rewrite the sources in the project's format
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

install: $(INSTALLED) ## Create .venv and install the locked dependencies and the project

# pyspark is published as source only. The tools that build it are installed first, out of the
# same lock, so that nothing at all is installed without its hash having been checked.
$(INSTALLED): pyproject.toml constraints.txt
	@if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo "continua needs Python 3.11 or later, and '$(or $(PYTHON),python3)' is not one." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; \
		exit 1; \
	fi
	@echo "Creating $(VENV) with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv $(VENV)
	@echo "Installing the locked dependencies (more than 0.5 GB to download: this takes a few minutes)"
	@awk '/^[^ #]/ { keep = /^(setuptools|wheel|packaging)==/ } keep' constraints.txt > $(VENV)/build-tools.txt
	@$(PIP) install --quiet --require-hashes --no-deps -r $(VENV)/build-tools.txt
	@$(PIP) install --quiet --require-hashes --no-build-isolation --use-pep517 -r constraints.txt
	@echo "Installing continua"
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

api: $(INSTALLED) ## Write docs/api.md from the docstrings
	$(BIN)/python tests/docs/test_api.py --write

# Versions already locked are kept where they still fit; `make lock UPGRADE=1` takes the newest.
lock: ## Regenerate constraints.txt from pyproject.toml
	@test -x $(BIN)/uv || $(MAKE) $(INSTALLED)
	$(BIN)/uv pip compile pyproject.toml --quiet --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) \
		--output-file constraints.txt
	echo 'sqlglot[c]' | $(BIN)/uv pip compile - --quiet --constraint constraints.txt --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) \
		--output-file constraints-compiled.txt
	echo 'apache-flink>=2.3,<2.4' | $(BIN)/uv pip compile - --quiet --universal --no-annotate \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) \
		--output-file bench/peers/flink.txt

clean: ## Remove caches and build outputs (.venv stays)
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -rf spark-warehouse metastore_db derby.log
	@find . -path ./$(VENV) -prune -o -path ./.git -prune -o \
		-type d \( -name __pycache__ -o -name '*.egg-info' \) -exec rm -rf {} +
