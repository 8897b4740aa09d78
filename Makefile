# `make demo` installs what Paperbot needs on a new machine with Python 3.11+, `make test` what its development needs.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
DEVELOPMENT := .venv/.installed-development
PIP := $(BIN)/python -m pip install --disable-pip-version-check

# Processes of all tests, twice as many as cores: for a third of the time tests wait for servers and a browser. The quick
# ones wait for little, and each process imports everything.
CORES = $(shell $(PYTHON) -c 'import os; print(os.cpu_count() or 1)')
PROCESSES = $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')
# Tests commit thousands of times, and a disk takes milliseconds for each. Where files in memory have room, they are there.
MEMORY = $(shell grep -qs ' /dev/shm .*noexec' /proc/mounts || df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print $$6 }')

SHELL := bash
.SHELLFLAGS := -o pipefail -c

# pip's output, reduced to a line for each package and step, and to an error with the lines after it.
define PIP_STEPS
'/^Collecting / { print "      " $$2; fflush() } \
 /^Installing collected packages/ { print "  3 of 3: installing them"; fflush() } \
 /ERROR|[Ee]rror:/ { failed = 1 } failed { print; fflush() }'
endef

# Installs a file of pinned requirements, and Paperbot itself, into .venv. Everything fetched has a hash there: wheels only,
# as a build would fetch what it needs without one. Compiled afterwards, on all cores, which pip doesn't use.
define SET_UP
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Paperbot needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>/dev/null || echo missing`." \
	        "Install a newer one, and name it: make PYTHON=python3.13 $(or $(MAKECMDGOALS),demo)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	    echo "$(PYTHON) can't make virtual environments here. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }
	@echo "Setting up .venv (only the first time); it takes a minute or two."
	@echo "  1 of 3: making a virtual environment"
	@$(PYTHON) -m venv .venv
	@echo "  2 of 3: fetching packages"
	@$(PIP) --progress-bar off --no-compile --only-binary :all: --no-deps --require-hashes --requirement $(1) 2>&1 | awk $(PIP_STEPS)
	@$(BIN)/python -m compileall -q -j 0 -x '/tests?/' .venv/lib
	@$(PIP) --quiet --no-deps --no-build-isolation --editable .
	@touch $@
endef

.PHONY: demo test test-all lint types check coverage bench bench-ingest bench-pages bench-run bench-scale bench-hostile bench-summaries summary-weights pictures fuzz serve constraints release release-files clean

demo: $(INSTALLED)
	@$(BIN)/paperbot demo state/demo

# Tests start a hundred processes and more, which shouldn't compile Paperbot each; and for matrices of a few hundred
# rows, several threads take longer than one.
test test-all coverage: export PYTHONDONTWRITEBYTECODE =
test test-all coverage: export OMP_NUM_THREADS = 1
test test-all coverage: export OPENBLAS_NUM_THREADS = 1
test test-all coverage: export PYTEST_DEBUG_TEMPROOT = $(MEMORY)

# Before every commit: all but what is marked `slow`, with fewer examples of hypothesis. Needs no server and no browser.
test: $(DEVELOPMENT)
	$(BIN)/pytest --numprocesses $(CORES) --dist worksteal -m "not slow" --hypothesis-profile quick $(ARGS)

# Everything. What needs PostgreSQL, RabbitMQ, Redis or Chromium is skipped where there is none; .ci/run installs them.
test-all: $(DEVELOPMENT)
	$(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal $(ARGS)

lint: $(DEVELOPMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(DEVELOPMENT)
	$(BIN)/mypy

check: lint types test-all

# Not part of `check`: on Python 3.11, measuring branches takes 1.5 to 2 times the processor time.
coverage: $(DEVELOPMENT)
	$(BIN)/pytest --numprocesses $(PROCESSES) --cov --cov-report=term $(ARGS)

bench: $(DEVELOPMENT)
	PYTHONPATH=.:tests $(BIN)/python bench/delivery_load.py

bench-pages: $(DEVELOPMENT)  # how many thumb pages per second one core serves
	$(BIN)/python bench/thumb_page.py

bench-run: $(DEVELOPMENT)  # what a reader costs in the daily run: make bench-run DATA=papers.jsonl.gz READERS="1000 20000"
	PYTHONPATH=.:tests OMP_NUM_THREADS=1 $(BIN)/python bench/daily_run.py $(DATA) $(READERS)

# A morning on PostgreSQL and RabbitMQ: a tenth of READERS with one worker and with two, then all of them with two.
bench-scale: $(DEVELOPMENT)  # make bench-scale READERS=100000 [DATA=papers.jsonl.gz]; takes an hour for 100,000
	PYTHONPATH=.:tests OMP_NUM_THREADS=1 $(BIN)/python bench/scale.py $(or $(READERS),10000) --growth \
	    $(if $(DATA),--data $(DATA)) --json state/bench-scale.json

bench-hostile: $(DEVELOPMENT)  # 6,000 readers while workers are killed, PostgreSQL restarts once and RabbitMQ twice
	PYTHONPATH=. $(BIN)/pytest --numprocesses 0 -m hostile -s tests/worker

fuzz: $(DEVELOPMENT)  # hostile input for parsers, mails, LaTeX and forms: make fuzz SECONDS=60; the corpus stays in .fuzz
	@$(BIN)/python -c "import atheris" 2>/dev/null || $(PIP) --quiet --only-binary :all: --no-deps --require-hashes -r $(REQUIREMENTS)/fuzz.txt \
	    || echo "atheris can't be installed here; hypothesis is used instead, without coverage guidance"
	PYTHONPATH=.:tests OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/fuzz.py $(or $(SECONDS),60) $(TARGETS)

serve: $(INSTALLED)
	$(BIN)/paperbot serve

summary-weights: $(DEVELOPMENT)  # learns bot/summaries/weights.json: make summary-weights BENCH=../shared/bench
	OMP_NUM_THREADS=1 $(BIN)/python bench/summary_weights.py $(BENCH)

bench-summaries: $(DEVELOPMENT)  # coverage, findings, openers, cost: make bench-summaries BENCH=... SEEDS=...
	OMP_NUM_THREADS=1 $(BIN)/python bench/summary_report.py $(BENCH) --seeds $(SEEDS)

pictures: $(DEVELOPMENT)  # the README's, from the sample digests; needs chromium, fontconfig and fonts-noto-color-emoji (Debian)
	PYTHONPATH=. OMP_NUM_THREADS=1 $(BIN)/python bench/deciding.py
	PYTHONPATH=. OMP_NUM_THREADS=1 $(BIN)/python bench/pictures.py

bench-ingest: $(DEVELOPMENT)  # the time to ingest a day of 1,000 papers: make bench-ingest DATA=papers.jsonl.gz
	$(BIN)/python bench/ingest.py $(DATA)

.PHONY: docs schemas
schemas: $(DEVELOPMENT)  # docs/schemas, after a change of settings or profiles, or of what the documents say about them
	PYTHONPATH=. $(BIN)/python bench/reference.py schemas

docs: $(DEVELOPMENT)  # the site of docs/, in site/; a broken link is a failure
	PYTHONPATH=. $(BIN)/python bench/reference.py
	$(BIN)/zensical build --clean --strict

REQUIREMENTS := .ci/requirements

constraints: $(DEVELOPMENT)  # pins what pyproject.toml has changed; with UPGRADE=1, every dependency again
	$(BIN)/python .ci/lock $(if $(UPGRADE),--upgrade)

release: $(DEVELOPMENT)  # builds, compares and tags this commit; the version is in bot/__init__.py only
	PYTHON=$(BIN)/python .ci/release --tag

release-files: $(DEVELOPMENT)  # the same without the tag
	PYTHON=$(BIN)/python .ci/release

$(INSTALLED): pyproject.toml $(REQUIREMENTS)/run.txt
	$(call SET_UP,$(REQUIREMENTS)/run.txt)

$(DEVELOPMENT): pyproject.toml constraints.txt
	$(call SET_UP,constraints.txt)

clean:
	rm -rf .venv build dist site .cache .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
