# `make demo` and `make test` do all the set-up that a fresh machine with Python 3.11+ needs.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

SHELL := bash
.SHELLFLAGS := -o pipefail -c

# Of what pip says, a line for each package and step, and whatever goes wrong with what follows it.
define PIP_STEPS
'/^Collecting / { print "      " $$2; fflush() } \
 /^Installing collected packages/ { print "  3 of 3: installing them"; fflush() } \
 /ERROR|[Ee]rror:/ { failed = 1 } failed { print; fflush() }'
endef

.PHONY: demo test lint types check bench bench-ingest bench-pages bench-run bench-ranking bench-summaries summary-weights fuzz serve constraints clean

demo: $(INSTALLED)
	@$(BIN)/paperbot demo state/demo

test: $(INSTALLED)
	$(BIN)/pytest --numprocesses auto $(ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(INSTALLED)
	$(BIN)/mypy

check: lint types
	$(MAKE) test ARGS="--cov --cov-report=term"

bench: $(INSTALLED)
	PYTHONPATH=.:tests $(BIN)/python tests/bench/delivery_load.py

bench-pages: $(INSTALLED)  # how many thumb pages one core serves
	$(BIN)/python tests/bench/thumb_page.py

bench-run: $(INSTALLED)  # what a reader costs in the daily run: make bench-run DATA=papers.jsonl.gz
	$(BIN)/python tests/bench/daily_run.py $(DATA)

fuzz: $(INSTALLED)  # hostile inputs for parsers, mails, LaTeX and forms: make fuzz SECONDS=60; what was learned stays in .fuzz
	@$(BIN)/python -c "import atheris" 2>/dev/null || $(BIN)/pip install --quiet '.[fuzz]' \
	    || echo "atheris can't be installed here; hypothesis fuzzes instead, which looks at no code"
	PYTHONPATH=.:tests OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/fuzz.py $(or $(SECONDS),60) $(TARGETS)

serve: $(INSTALLED)
	$(BIN)/paperbot serve

bench-ranking: $(INSTALLED)  # what fits cost, and a reader: make bench-ranking DATA=papers.jsonl.gz
	$(BIN)/python tests/bench/ranking.py $(DATA)

summary-weights: $(INSTALLED)  # learns bot/summaries/weights.json: make summary-weights BENCH=../shared/bench
	OMP_NUM_THREADS=1 PYTHONPATH=.:tests/bench $(BIN)/python tests/bench/summary_weights.py $(BENCH)

bench-summaries: $(INSTALLED)  # coverage, findings, openers, cost: make bench-summaries BENCH=... SEEDS=...
	OMP_NUM_THREADS=1 PYTHONPATH=.:tests/bench $(BIN)/python tests/bench/summary_report.py $(BENCH) --seeds $(SEEDS)

bench-ingest: $(INSTALLED)  # what a day of 1,000 papers costs: make bench-ingest DATA=papers.jsonl.gz
	$(BIN)/python tests/bench/ingest.py $(DATA)

constraints: $(INSTALLED)  # pins every dependency anew, without the address of any registry
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --upgrade --extra dev --no-emit-index-url \
	    --no-emit-find-links --no-header --no-annotate --strip-extras --quiet pyproject.toml --output-file constraints.txt

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Setting up .venv, once; it takes a minute or two."
	@echo "  1 of 3: making a virtual environment"
	@$(PYTHON) -m venv .venv
	@echo "  2 of 3: fetching packages"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --constraint constraints.txt \
	    --editable '.[dev]' 2>&1 | awk $(PIP_STEPS)
	@touch $@

clean:
	rm -rf .venv build dist .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
