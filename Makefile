# Two commands do all the set-up: `make play` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
EXTRAS ?= train,lab,cluster,test
TESTS ?=

.PHONY: play test check format bench build checked fuzz clean gnugo

play: $(VENV)/.play
	$(BIN)/tengen play

# The whole suite, the project's own rules among it.
test: $(VENV)/.test gnugo
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(TESTS)

# A contributor's habit, under a minute: format, lint, types, the project's rules and the documents' examples.
check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/project

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test
	$(BIN)/tengen bench playouts --size 9
	$(BIN)/tengen bench playouts --size 19
	$(BIN)/tengen bench search --size 9

fuzz: $(VENV)/.test
	$(BIN)/tengen fuzz --help

# Compiled modules in place; one at a time, since several terminals may share a checkout.
build: | $(VENV)/bin/python
	@mkdir -p build && flock build/.lock $(BIN)/python setup.py -q build_ext --inplace

# The checked build (bounds and None checks) in a copy of its own, and the whole suite in it.
checked: $(VENV)/.test gnugo
	@mkdir -p build/checked && rm -rf build/checked/src build/checked/tests
	cp -R setup.py pyproject.toml README.md Makefile .gitignore src tests docs build/checked/
	cp -R experiments build/checked/ 2>/dev/null || true
	find build/checked/src -name '*.so' -delete
	cd build/checked && TENGEN_CHECKED=1 $(abspath $(BIN))/python setup.py -q build_ext --inplace
	cd build/checked && PYTHONPATH=src $(abspath $(BIN))/python -m pytest --ignore tests/project $(TESTS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip "setuptools>=77" wheel "cython>=3.1,<4"

# The editable install compiles the modules in place, on all processors.
$(VENV)/.play: pyproject.toml setup.py | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: pyproject.toml setup.py | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[$(EXTRAS)]"
	@touch $@ $(VENV)/.play

# GNU Go is the opponent of a few tests; they are skipped with a plain message where it cannot be had.
gnugo:
	@command -v gnugo >/dev/null || [ -x /usr/games/gnugo ] || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -q && apt-get install -y -q gnugo; } || \
	  echo "gnugo is not installed: tests that play it are skipped"

clean:
	rm -rf build src/tengen/*/*.so src/tengen/*/*.c
