# All set-up on a machine that has only python3, pip and make.
PYTHON ?= python3
WORKERS ?= 3#  one more than two cores: some tests wait for a server, a browser or a lock
PROFILE  ?= full#  of `make bench`: full or quick
RELEASES ?= 1000#  of `make soak`
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS  = $(shell $(PYTHON) -c "import tomllib; \
  extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies'].values(); \
  print(*(repr(one) for extra in extras for one in extra if not one.startswith('shoal[')))")
unexport PYTHONDONTWRITEBYTECODE#  what Python compiles once is kept for the many processes that follow
STORES := build/stores#  DuckDB with the extension that reads object stores, as PyPI has both, and a store of S3
NOT_YET := --no-compile#  most of what is installed is never imported: Python compiles the rest when it is
AS_IT_IS := --config-settings=--build-option=--compression=stored#  Spark comes as source: its jars are packed already
INSTALLED := $(if $(wildcard $(VENV)/installed-dev),$(VENV)/installed-dev,$(VENV)/installed)

.PHONY: run ui test test-deep test-engines test-web docs pictures mutants soak check hooks kernels wheel format bench clean

run: kernels ## anonymize the bundled example, end to end
	$(BIN)/shoal anonymize examples/hospital/job.toml --omit occupation,admission_date --out examples/hospital/release --force

ui: $(VENV)/installed-ui ## open the app in a browser, with the bundled example; it prints its address as well
	$(BIN)/shoal ui examples/hospital/patients.csv

test: $(VENV)/installed-dev ## every lint, and a small case of everything; the lints run beside the tests
	@$(MAKE) --no-print-directory kernels
	@mkdir -p build; $(MAKE) check >build/check.log 2>&1 & linting=$$!; \
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --assert=plain --showlocals; tested=$$?; \
	wait $$linting || { cat build/check.log; exit 1; }; exit $$tested

test-deep: $(VENV)/installed-dev ## many more examples, all kills, servers and pages: before a release
	@$(MAKE) --no-print-directory kernels
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not engines and not web" --hypothesis-profile=deep
	@$(MAKE) --no-print-directory test-engines
	@$(MAKE) --no-print-directory test-web

test-engines: $(VENV)/installed-dev ## Spark on this machine, with executors of its own, and larger tables; installs Java if it may
	@command -v java >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet openjdk-17-jre-headless; } || \
	  echo "No Java here and no way to install it: its tests will be skipped."
	@$(MAKE) --no-print-directory kernels
	$(BIN)/pytest -m engines
	@$(MAKE) --no-print-directory $(STORES)/installed || echo "No DuckDB with httpfs, or no moto: object stores are not tested."
	@[ ! -e $(STORES)/installed ] || $(STORES)/bin/python -m pytest -m engines tests/tables/test_object_store.py

test-web: $(VENV)/installed-dev ## the app in a real browser; installs chromium and axe-core if it may
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet chromium chromium-driver; } || \
	  echo "No chromium with its driver here and no way to install them: what needs a browser will be skipped."
	@[ -e build/axe/node_modules/axe-core/axe.min.js ] || npm install --silent --no-save --prefix build/axe axe-core@4 || \
	  echo "No npm here, or no way to its packages: axe-core will not judge the pages."
	@$(MAKE) --no-print-directory kernels
	$(BIN)/pytest -m "web or not web" tests/web

docs: $(VENV)/installed-dev ## build the documentation as a site, offline: build/site/index.html
	@$(MAKE) --no-print-directory kernels
	$(BIN)/python -m docs.site.build

pictures: $(VENV)/installed-dev ## take the pictures of docs/ui.md again
	$(BIN)/python -m tests.web.pictures

mutants: $(VENV)/installed-dev ## change what is trusted, one place at a time: a test must notice (FILES=src/... for some only)
	@$(MAKE) --no-print-directory kernels
	$(BIN)/python -m tests.mutants.run $(FILES)

soak: $(VENV)/installed-dev ## random jobs by both ways, and a judge that knows nothing of shoal (RELEASES=1000 SEED=7 FIRST=0)
	@$(MAKE) --no-print-directory kernels
	$(BIN)/python -m tests.soak.run --releases $(RELEASES) $(if $(SEED),--seed $(SEED)) $(if $(FIRST),--first $(FIRST))

check: $(VENV)/installed-dev ## every lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/codespell

kernels: $(INSTALLED) ## compile all loops once, on both cores, so that nothing later has to
	$(BIN)/shoal compile

wheel: $(INSTALLED) ## build a wheel with compiled loops for this Python and platform, and try it
	rm -rf build/kernels dist
	$(BIN)/shoal compile --portable build/kernels
	SHOAL_COMPILED=$(CURDIR)/build/kernels $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python tests/wheel/first_runs.py dist/*.whl

format: $(VENV)/installed-dev ## put the code into the house's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

hooks: $(VENV)/installed-dev ## check before every commit
	$(BIN)/python -m pip install --quiet 'pre-commit>=4.0'
	$(BIN)/pre-commit install

bench: $(VENV)/installed-dev ## measure what the docs claim, and write docs/benchmarks.md (PROFILE=quick for minutes, not hours)
	$(BIN)/python -m benchmarks.run --profile $(PROFILE)

clean:
	rm -rf $(VENV) $(STORES) examples/*/release .mypy_cache .ruff_cache .pytest_cache

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-ui: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[web]'
	touch $@

$(VENV)/installed-dev: pyproject.toml
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet postgresql; } || \
	  echo "No PostgreSQL server here and no way to install one: its tests will be skipped."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(NOT_YET) --editable .
	@$(BIN)/shoal compile & compiling=$$!; \
	$(BIN)/python -m pip install --quiet $(NOT_YET) $(AS_IT_IS) $(EXTRAS) && wait $$compiling
	touch $@

$(STORES)/installed: Makefile $(VENV)/installed-dev
	$(PYTHON) -m venv $(STORES)
	$(STORES)/bin/python -m pip install --quiet $(NOT_YET) duckdb==1.5.5 duckdb-extension-httpfs==1.5.5 \
	  duckdb-extensions==1.5.5 'moto[server]>=5.1'
	$(BIN)/python -c "import site; print('import site; site.addsitedir(%r)' % site.getsitepackages()[0])" \
	  >$$($(STORES)/bin/python -c "import site; print(site.getsitepackages()[0])")/behind.pth
	touch $@
