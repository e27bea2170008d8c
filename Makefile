# All set-up on a machine that has only python3, pip and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: run test check kernels format bench clean

run: $(VENV)/installed ## anonymize the bundled example, end to end
	$(BIN)/shoal anonymize examples/hospital/job.toml --out examples/hospital/release --force

test: $(VENV)/installed-dev ## every lint and every test; one core lints while the other compiles
	$(MAKE) --jobs=2 --output-sync=target check kernels
	$(BIN)/pytest -n 2

check: $(VENV)/installed-dev ## every lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/codespell

kernels: $(VENV)/installed-dev ## compile most loops once, where each of two test processes would
	$(BIN)/pytest -q tests/cli/test_anonymize.py

format: $(VENV)/installed-dev ## put the code into the house's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/installed-dev ## measure what the docs claim
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) examples/*/release .mypy_cache .ruff_cache .pytest_cache

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet postgresql; } || \
	  echo "No PostgreSQL server here and no way to install one: its tests will be skipped."
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@
