# All set-up on a machine that has only python3, pip and make.
PYTHON ?= python3
WORKERS ?= 3#  one more than two cores: some tests wait for a server, a browser or a lock
PROFILE  ?= full#  of `make bench`: full or quick
RELEASES ?= 1000#  of `make soak`
VENV   := .venv
BIN    := $(VENV)/bin
PYTHONS ?= python3.11 python3.12 python3.13 python3.14#  of `make wheels`
EXTRAS_IN ?= excel,stats,postgresql,duckdb,learn,sign,web#  of `make bundle`; not spark, which has 480 MB and needs Java
BUNDLE   = dist/bundle-$(TAG)
COMPILED = build/kernels/$(TAG)
TAG      = $(shell $(BIN)/python -c "import sys; print('cp%d%d' % sys.version_info[:2])")
EXTRAS  = $(shell $(PYTHON) -c "import tomllib; \
  extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies'].values(); \
  print(*(repr(one) for extra in extras for one in extra if not one.startswith('shoal[')))")
unexport PYTHONDONTWRITEBYTECODE#  what Python compiles once is kept for the many processes that follow
STORES := build/stores#  DuckDB with the extension that reads object stores, as PyPI has both, and a store of S3
NOT_YET := --no-compile#  most of what is installed is never imported: Python compiles the rest when it is
AS_IT_IS := --config-settings=--build-option=--compression=stored#  Spark comes as source: its jars are packed already
INSTALLED := $(if $(wildcard $(VENV)/installed-dev),$(VENV)/installed-dev,$(VENV)/installed)

.PHONY: run ui test test-deep test-engines test-web test-r test-dbt docs pictures mutants soak check hooks kernels wheel wheels sdist bundle container format bench clean

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

test-r: $(VENV)/installed-dev ## the R package, with Debian's R; installs it if it may
	@command -v Rscript >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet --no-install-recommends \
	  r-base-core r-cran-reticulate r-cran-haven; } || { echo "No R here and no way to install it."; exit 1; }
	mkdir -p build/r && R CMD INSTALL --no-test-load --library=build/r packages/r/shoal
	RETICULATE_PYTHON=$(CURDIR)/$(BIN)/python R_LIBS=$(CURDIR)/build/r Rscript tests/bridges/r/test_shoal.R

test-dbt: $(VENV)/installed-dev build/dbt/installed ## the tests for dbt, on a DuckDB of its own
	$(BIN)/python tests/bridges/dbt_run.py build/dbt/bin/dbt

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
	rm -rf $(COMPILED) dist/*-$(TAG)-*.whl
	$(BIN)/shoal compile --portable $(COMPILED)
	SHOAL_COMPILED=$(abspath $(COMPILED)) $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python tests/wheel/first_runs.py dist/*-$(TAG)-*.whl

wheels: ## the same for each Python that is here (PYTHONS=...), each in an environment of its own; says which are not
	@for python in $(PYTHONS); do \
	  if "$$python" -c "" 2>/dev/null; then \
	    $(MAKE) --no-print-directory wheel PYTHON="$$python" VENV=build/environments/$$(basename "$$python") || exit 1; \
	  else echo "No $$python here: no wheel for it."; fi; done

sdist: $(INSTALLED) ## build the source distribution, install it elsewhere, and try it
	rm -f dist/*.tar.gz
	$(BIN)/python -m pip install --quiet 'hatchling>=1.26'
	$(BIN)/python -m hatchling build --target sdist --directory dist
	$(BIN)/python tests/wheel/from_source.py dist/*.tar.gz

bundle: $(INSTALLED) ## all wheels in one folder with their hashes, for machines without network (EXTRAS_IN=web,excel), and try it
	@ls dist/*-$(TAG)-*.whl >/dev/null 2>&1 || $(MAKE) --no-print-directory wheel
	rm -rf $(BUNDLE)
	$(BIN)/python packages/bundle.py dist/*-$(TAG)-*.whl --extras "$(EXTRAS_IN)" --out $(BUNDLE)
	$(BIN)/python tests/wheel/offline.py $(BUNDLE)

container: bundle ## build the containers of the command line and of the app, and run both (BASE=an image with this Python)
	@command -v podman >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet podman runc debootstrap; } || \
	  { echo "No podman here and no way to install it: the containers are not built."; exit 1; }
	$(BIN)/python tests/wheel/container.py $(BUNDLE) $(if $(BASE),--base $(BASE))

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

build/dbt/installed:
	$(PYTHON) -m venv build/dbt
	build/dbt/bin/python -m pip install --quiet $(NOT_YET) --only-binary=:all: 'dbt-core>=1.5,<3' 'dbt-duckdb>=1.5'
	touch $@

$(STORES)/installed: Makefile $(VENV)/installed-dev
	$(PYTHON) -m venv $(STORES)
	$(STORES)/bin/python -m pip install --quiet $(NOT_YET) duckdb==1.5.5 duckdb-extension-httpfs==1.5.5 \
	  duckdb-extensions==1.5.5 'moto[server]>=5.1'
	$(BIN)/python -c "import site; print('import site; site.addsitedir(%r)' % site.getsitepackages()[0])" \
	  >$$($(STORES)/bin/python -c "import site; print(site.getsitepackages()[0])")/behind.pth
	touch $@
