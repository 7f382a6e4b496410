# make demo | test | check | bench | torture | format | pictures | clean
#
# Each target makes what it needs first: the virtual environment .venv, and in it the pinned
# packages of constraints.txt. PYTHON=... chooses the interpreter (3.11 or newer).

VENV ?= .venv
DEMO ?= demo
BIN := $(VENV)/bin
OLDEST := (3, 11)
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11 python; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' 2>/dev/null && { command -v "$$each"; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check bench torture format pictures clean

help:
	@echo 'make demo      try it: installs the app, builds a demo workspace, opens it'
	@echo 'make test      all tests'
	@echo 'make check     format, lint, types, architecture'
	@echo 'make bench     the benchmarks, as one table'
	@echo 'make torture   the reliability tests at full length'
	@echo 'make format    formats the code'
	@echo 'make pictures  draws docs/images anew'
	@echo 'make clean     removes what was installed and cached; never a workspace'

demo: $(VENV)/.app
	@$(BIN)/tui-annotate demo $(DEMO) --data sample_data

test: $(VENV)/.dev
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.dev
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/.dev
	@$(BIN)/python -m benchmarks

torture: $(VENV)/.dev
	@TUI_ANNOTATE_TORTURE=1 $(BIN)/python -m pytest --timeout 7200 $(PYTEST_ARGS)

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

pictures: $(VENV)/.dev
	@PYTHONPATH=. TUI_ANNOTATE_STATE=$(VENV)/state TUI_ANNOTATE_CONFIG=$(VENV)/none.toml $(BIN)/python docs/pictures.py docs/images

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find tui_annotate tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
	@test ! -e $(DEMO) || echo '$(DEMO)/ stays: it may hold annotations'

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'no Python 3.11 or newer was found; say where it is: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' || { echo '$(PYTHON) is older than Python 3.11; choose another: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@echo "· making $(VENV) with $$('$(PYTHON)' --version)"
	@'$(PYTHON)' -m venv $(VENV) || { rm -rf $(VENV); echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }

# Editable, so that a change of the sources never meets an older copy of them.
$(VENV)/.app: pyproject.toml constraints.txt | $(BIN)/python
	@echo '· installing tui-annotate and its libraries (about 400 MB, a minute or two)'
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	@echo '· installing what tests and checks need'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
