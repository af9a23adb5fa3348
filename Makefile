# `make setup` makes .venv; `make check` is what a change has to pass. With PY=… everything runs in an
# environment that exists already (flowc has to be importable there) and nothing is installed.

PYTHON ?= python3
FALLBACK ?= yes
JOBS ?= 3

ifeq ($(origin PY),undefined)
PY := .venv/bin/python
READY := .venv/.ready
endif

TYPES := PYTHONPATH="$(CURDIR)/.types$${PYTHONPATH:+:$$PYTHONPATH}"

.DEFAULT_GOAL := help
.PHONY: help setup format lint check quick test slow soak crash mutants faults langgraph bench golden docs conformance rules hashes audit clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

setup: .venv/.ready ## .venv with flowc, the development tools and the optional parts, at pinned versions, by their hashes; FALLBACK=no: not without

.venv/.ready: pyproject.toml constraints.txt constraints-hashes.txt
	$(PYTHON) -m venv .venv
	FALLBACK=$(FALLBACK) .venv/bin/python tests/pins.py install
	@touch $@
	@echo "flowc is installed in .venv: try .venv/bin/flowc --help"

format: $(READY) ## rewrite the layout of every Python file
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

lint: $(READY) ## layout, lint, types, who may import whom
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(TYPES) $(PY) -m mypy
	$(TYPES) $(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

check: lint quick ## what a change has to pass before it is shown to anybody, within ten minutes on two cores

quick: $(READY) ## the tests without the slow ones; what takes long and is not among those is named
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not soak and not slow" --durations 10 --durations-min 5

test: $(READY) ## every test, with small counts for the fuzzers
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not soak"

slow: $(READY) ## every test, and anew the table of those that `make check` leaves out
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not soak" --junitxml .pytest_cache/times.xml
	$(PY) tests/fixtures/slow_tests.py .pytest_cache/times.xml

soak: $(READY) ## the fuzzers with 10,000 examples each, 2,000 swaps of a folder, 1,000 kills, 150 mutants, 200 workflows in four hosts: make soak PART=hosts
	FLOWC_FUZZ=soak $(PY) -m pytest -q -rP -n $(JOBS) tests -m "soak or fuzz" $(if $(PART),-k "$(PART)") --timeout 7200

crash: $(READY) ## `flowc torture` on a workflow of every shape, beside LangGraph alone, then in each host, and an edit of a sound: make crash KILLS=40, which are 1,000
	$(PY) -m tests.crash --kills $(or $(KILLS),20)

mutants: $(READY) ## change the code a little again and again, count what the tests notice: make mutants COUNT=300 SEED=7
	nice -n 10 $(PY) -m tests.mutants --count $(or $(COUNT),300) $(if $(SEED),--seed $(SEED))

faults: $(READY) ## make a person's mistakes in good workflows, count what `flowc check` says of them: make faults ARGS="--dialect steps --missed"
	$(TYPES) $(PY) -m tests.faults $(ARGS)

langgraph: $(READY) ## what flowc relies on of LangGraph, with the oldest and the newest that is allowed
	$(PY) tests/langgraph_versions.py

bench: $(READY) ## times, each beside a reference measured in the same run
	$(PY) tests/bench/run.py

golden: $(READY) ## rewrite the expected output of the corpus; read the diff before you commit it
	$(PY) -m pytest -q tests --update-golden

docs: $(READY) ## rewrite the pages that are generated from tables in the code
	$(PY) -m pytest -q tests -k generated --update-golden

conformance: $(READY) ## compare with other engines' readings: make conformance CORPUS=folder
	@test -n "$(CORPUS)" || { echo "say where the files are: make conformance CORPUS=folder"; exit 2; }
	$(PY) -m tests.conformance "$(CORPUS)"

rules: $(READY) ## every rule of the formats beside the tests that hold it
	$(PY) tests/rules.py

hashes: ## write constraints-hashes.txt for the versions of constraints.txt
	$(PYTHON) tests/pins.py hashes

audit: $(READY) ## which of the pinned versions have known vulnerabilities; says so where nobody can be asked
	$(PY) tests/pins.py audit

clean: ## remove what the tools leave behind, .venv too
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
