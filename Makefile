# `make demo` and `make test` do all the set-up that a fresh machine with Python 3.11+ needs.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: demo test lint types check bench bench-ingest bench-pages bench-run bench-ranking bench-summaries summary-weights serve constraints clean

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
	PYTHONPATH=.:tests $(BIN)/python tests/bench/delivery.py

bench-pages: $(INSTALLED)  # how many thumb pages one core serves
	$(BIN)/python tests/bench/thumb_page.py

bench-run: $(INSTALLED)  # what a reader costs in the daily run: make bench-run DATA=papers.jsonl.gz
	$(BIN)/python tests/bench/daily_run.py $(DATA)

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
	@echo "Setting up .venv (once; half a minute) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv build dist .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
