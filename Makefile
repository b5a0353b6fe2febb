# Two commands do all the set-up: `make play` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
EXTRAS ?= train,lab,cluster,test

.PHONY: play test check build bench fuzz clean gnugo

play: $(VENV)/.play
	$(BIN)/tengen play

test: $(VENV)/.test gnugo
	$(MAKE) check
	$(BIN)/python -m pytest

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/project

bench: $(VENV)/.test
	$(BIN)/tengen bench playouts --size 9
	$(BIN)/tengen bench playouts --size 19

# Compiled modules in place; one at a time, since several terminals may share a checkout.
build: | $(VENV)/bin/python
	@mkdir -p build && flock build/.lock $(BIN)/python setup.py -q build_ext --inplace

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel "cython>=3.1,<4"

$(VENV)/.play: pyproject.toml setup.py | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: pyproject.toml setup.py | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[$(EXTRAS)]"
	@touch $@ $(VENV)/.play

# GNU Go is the opponent of a few tests; they are skipped with a plain message where it cannot be had.
gnugo:
	@command -v gnugo >/dev/null || [ -x /usr/games/gnugo ] || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -q && apt-get install -y -q gnugo; } || \
	  echo "gnugo is not installed: tests that play it are skipped"

clean:
	rm -rf build src/tengen/*/*.so src/tengen/*/*.c
