# Lastword on a machine with Python >= 3.11 and make: every target sets up what it needs; a second run starts at once.

PYTHON ?= python3
CONFIG ?= bots.yaml
VENV := .venv
BIN := $(VENV)/bin
SOURCES := PYTHONPATH=.:adapters:agents
SECONDS ?= 20
FUZZER := .cache/fuzz/lib
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input

.PHONY: demo run test check setup format bench fuzz chaos lock clean

demo: $(VENV)/.run  ## the main job, without token, key or server: a web chat that explains every ending
	$(SOURCES) $(BIN)/python -m gateway demo $(ARGS)

run: $(VENV)/.run  ## run the bots of CONFIG
	$(SOURCES) $(BIN)/python -m gateway run $(CONFIG) $(ARGS)

test: $(VENV)/.dev  ## everything, browser and kill tests included
	$(BIN)/python -m pytest -n auto $(ARGS)

check: $(VENV)/.dev  ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

setup: $(VENV)/.dev  ## everything a developer needs

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev  ## ratios against the bare library, in one run
	$(BIN)/python -m tests.bench $(ARGS)

fuzz: $(VENV)/.dev $(FUZZER)/.ready  ## hostile inputs by coverage, SECONDS for each target
	PYTHONPATH=$(FUZZER):.:adapters:agents $(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(ARGS)

chaos: $(VENV)/.dev  ## real gateways killed, frozen and cut off while people write; CHAOS_SECONDS in all, CHAOS_SEED to begin with
	$(SOURCES) $(BIN)/python -m tests.chaos $(ARGS)

lock: $(VENV)/.dev  ## renew the lock files from pyproject.toml
	$(PIP) uv
	$(BIN)/uv lock --upgrade --quiet
	$(BIN)/uv export --quiet --all-extras --format requirements-txt --no-emit-project --no-dev --no-header --no-annotate > requirements.lock
	$(BIN)/uv export --quiet --all-extras --group dev --format requirements-txt --no-emit-project --no-header --no-annotate > requirements-dev.lock

clean:
	rm -rf $(VENV) .cache dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Lastword needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock | $(BIN)/python
	$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes -r requirements-dev.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.run

$(FUZZER)/.ready: tests/fuzz/requirements.txt | $(BIN)/python
	@rm -rf $(FUZZER)
	@$(PIP) --require-hashes --no-deps --only-binary :all: --target $(FUZZER) -r $< || { echo "There is no fuzzer for $$($(BIN)/python -VV | head -1) on this machine: atheris has wheels for Linux and Python 3.11 to 3.13 only. Everything but make fuzz works without."; exit 1; }
	@touch $@
