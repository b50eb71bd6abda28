# Needs git, make and Python 3.11 or newer. `make eval` runs the evaluation, `make test` the tests.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

SUITE ?= os-adr
MODEL ?=
SCENARIO ?=
ARM ?=
TRIALS ?=
JOBS ?=
RESULTS ?= results
GRID ?=

option = $(if $(strip $(2)),$(foreach value,$(2),$(1) '$(value)'))
OPTIONS = $(call option,--scenario,$(SCENARIO)) $(call option,--arm,$(ARM)) $(call option,--model,$(MODEL)) \
	$(call option,--trials,$(TRIALS)) $(call option,--jobs,$(JOBS)) --results '$(RESULTS)'

.PHONY: lock help setup setup-dev eval test check lint types floors calibrate bench grid nightly clean

help:
	@echo 'make eval [MODEL=haiku] [SUITE=os-adr] [SCENARIO=R1] [ARM=new] [TRIALS=3] [JOBS=2] [RESULTS=results]'
	@echo 'make eval SUITE=skills [SKILLS=fixtures/skills-repo]    each skill against none and against its old version'
	@echo 'make test    run the tests'
	@echo 'make check   lint, types, floors, tests: what CI runs'
	@echo 'make calibrate  prove that the checkers tell right from wrong'
	@echo 'make bench [SCALE=0.1]   what harness adds to bare claude runs'

$(VENV)/.made:
	@test -n '$(PYTHON)' || { echo 'harness needs Python 3.11 or newer; install it, or: make PYTHON=/path/to/python3.11' >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The bundled binary is 178 MB, so it is fetched only where there is no claude to run.
$(VENV)/.claude: $(VENV)/.run requirements/claude.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/claude.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

setup: $(VENV)/.run
	@if [ -z "$${HARNESS_CLAUDE:-}" ] && ! command -v claude >/dev/null 2>&1; then $(MAKE) --no-print-directory $(VENV)/.claude; fi

setup-dev: setup $(VENV)/.dev

# SUITE=skills is the example tree of skills, or the one that SKILLS names; it holds a skill that fails on purpose.
SKILLS ?= fixtures/skills-repo
EVALUATED = $(if $(filter skills,$(SUITE)),--skills '$(SKILLS)','$(SUITE)')

eval: setup
	@$(BIN)/harness eval $(EVALUATED) $(OPTIONS)

grid: setup
	@test -n '$(GRID)' || { echo 'which one? make grid GRID=nightly (a file in grids/, or a path)' >&2; exit 2; }
	@$(BIN)/harness grid '$(GRID)' --results '$(RESULTS)'

# A folder for each night: the same cells are asked again, and an interrupted night goes on.
nightly:
	@$(MAKE) --no-print-directory grid GRID=nightly RESULTS='results/nightly-$(shell date +%F)'

test: setup-dev
	$(BIN)/python -m pytest -n auto $(PYTEST_OPTIONS)

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup-dev
	$(BIN)/mypy

floors: setup-dev
	$(BIN)/lint-imports

check: lint types floors test

# Every playbook of the example suite through the real claude, against the outcome it declares.
calibrate: setup
	$(BIN)/harness calibrate --jobs 3

bench: setup-dev
	$(BIN)/python bench/bench.py
	$(BIN)/python bench/stream_throughput.py
	$(BIN)/python bench/grid.py $(if $(SCALE),--scale $(SCALE))

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Needs uv on PATH. Hashes pin the bytes; no index or host is named, so any mirror serves.
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate
lock:
	$(COMPILE) pyproject.toml requirements/build.in --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra claude -c requirements/dev.txt -o requirements/claude.txt
	$(COMPILE) pyproject.toml requirements/build.in -c requirements/dev.txt -o requirements/run.txt
