# The only entry points. Plain `make` lists them.

SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
CHAPTERS := $(notdir $(patsubst %/,%,$(wildcard solutions/[0-9]*/)))
CLASS := build/class
STUDENTS := 24

# Each module is compiled when it is first imported: to compile all of them takes a minute. What a
# sandbox loads is imported once by `setup`, since a sandbox may not keep what it compiles.
export PYTHONDONTWRITEBYTECODE :=

# npm comes from PyPI with the rest; nothing that it brings may run a script here.
NPM := PATH="$(abspath $(BIN)):$$PATH" npm ci --prefix build/npm --ignore-scripts --no-audit --no-fund --loglevel=error

SOLUTIONS := $(wildcard solutions/*/*.py solutions/*/*.md)
ENGINE := $(shell find autograder -type f -not -path '*/__pycache__/*') nbgrader_config.py
RELEASED := $(foreach chapter,$(CHAPTERS),exercises/$(chapter)/$(chapter).ipynb)

# $(call debian,package,command,what it is for): installed where we may, named where we may not.
debian = command -v $(2) >/dev/null || { \
  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    echo "== Installing $(1), to $(3)"; \
    { apt-get -qq update && apt-get -qqy install --no-install-recommends $(1); } >build/$(1).log 2>&1 \
      || echo "$(1) could not be installed; see build/$(1).log"; \
  else echo "To $(3), install $(1); on Debian and Ubuntu: sudo apt install $(1)"; fi; }

.DEFAULT_GOAL := help
.PHONY: help setup learn course book pdf release term check check-chapter named test newest measure words \
  bench pictures audit lint serve clean

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1|/' | column -t -s '|'

setup: build/setup.done ## make .venv from the lock file; install bubblewrap where we are root
	@$(call debian,bubblewrap,bwrap,confine the code that is graded)

build/setup.done: requirements.lock pyproject.toml book/package-lock.json
	@mkdir -p build
	@echo "== Setting up .venv (some minutes the first time)"
	@date +%s >build/began
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or later is needed. Name it: make PYTHON=python3.11 setup"; exit 1; }
	@$(BIN)/python -m pip --version >build/pip.log 2>&1 || $(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-compile -r requirements.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -c "import autograder.grading.session, matplotlib.pyplot, torch._dynamo"
	@mkdir -p build/npm && cp book/package.json book/package-lock.json build/npm
	@$(NPM) --omit=dev
	@printf '  %-38s%5d s\n' 'its environment' $$(($$(date +%s) - $$(cat build/began))) >>build/seconds.txt
	@touch $@

# From here, so that a card can open a page of the book that is built.
# Root may run JupyterLab only if it says so, as in a container.
learn: setup ## work on the exercises in JupyterLab
	@$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/exercises $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

# The book and the class need nothing of each other, and neither keeps all cores busy.
course: ## build the book and the exercises, make up a class, grade it, write its feedback
	@mkdir -p build && rm -f build/seconds.txt
	@began=$$(date +%s); \
	  $(QUIET) setup && $(QUIET) release || exit; \
	  $(QUIET) book & book=$$!; \
	  $(QUIET) build/class.done; class=$$?; \
	  wait $$book && [ $$class = 0 ] || exit 1; \
	  cat build/summary.txt; \
	  printf '\n%-40s%5d s\n' 'All of this took' $$(($$(date +%s) - began)); cat build/seconds.txt

QUIET = $(MAKE) --no-print-directory

# $(call timed,name,command): its seconds stand at the end of what `make course` prints.
timed = began=$$SECONDS; $(2) || exit; \
  printf '  %-38s%5d s\n' '$(1)' $$((SECONDS - began)) >>build/seconds.txt

book: setup ## build the online book; every cell is executed
	@$(call timed,the book,$(BIN)/python book/build.py)

pdf: book ## print the whole book into build/book/attention-measured.pdf
	@$(call debian,chromium,chromium,print the book)
	@$(BIN)/python book/site/book_as_pdf.py

release: setup $(RELEASED) ## regenerate exercises/ from solutions/

# All at once: to start takes longer than to release.
$(RELEASED) &: $(SOLUTIONS) $(ENGINE) | build/setup.done
	@echo "== Releasing the exercises of $(words $(CHAPTERS)) chapters"
	@$(call timed,the exercises,$(BIN)/attn release)
	@touch $(RELEASED)

# Without a sandbox nothing is graded; the rest is there all the same, and the next run tries again.
build/class.done: $(RELEASED) $(SOLUTIONS) $(ENGINE)
	@echo "== A class of $(STUDENTS): its submissions"
	@mkdir -p $(CLASS)
	@$(call timed,the submissions of a class,$(BIN)/attn simulate $(CHAPTERS) --root $(CLASS) --students $(STUDENTS) --seed 1)
	@echo "== Its marks in $(words $(CHAPTERS)) chapters"
	@status=0; began=$$SECONDS; \
	$(BIN)/attn grade $(CHAPTERS) --yes --root $(CLASS) --results $(CLASS)/results.jsonl || status=$$?; \
	if [ $$status = 2 ] && ! $(confined); then \
	  $(call summary,'Its marks        none: see above for what to install'); exit 0; fi; \
	[ $$status = 0 ] || exit; \
	printf '  %-38s%5d s\n' 'its marks' $$((SECONDS - began)) >>build/seconds.txt; \
	echo "== Its feedback"; \
	$(call timed,its feedback,$(BIN)/attn feedback $(CHAPTERS) --root $(CLASS)); \
	echo "== Its marks as a table"; \
	$(BIN)/nbgrader export --db sqlite:///$(abspath $(CLASS))/gradebook.db --to $(CLASS)/grades.csv --log-level WARN || exit; \
	$(call summary,$(graded)); touch $@

confined = $(BIN)/python -c 'from autograder.sandbox.sandbox import Sandbox; Sandbox().check()' 2>/dev/null

summary = printf '%s\n' '' \
	  'The book         build/book/_build/html/index.html (make serve shows it)' \
	  'The exercises    exercises/CHAPTER/CHAPTER.ipynb' \
	  'A class          $(CLASS)/submitted/STUDENT/CHAPTER/CHAPTER.ipynb' $(1) >build/summary.txt

graded = 'Its verdicts     $(CLASS)/results.jsonl' \
	  'Its marks        $(CLASS)/gradebook.db, $(CLASS)/grades.csv' \
	  'Its feedback     $(CLASS)/feedback/STUDENT/CHAPTER/CHAPTER.html'

# The commands of book/teaching.md, in order, as its tests run them.
term: setup ## run a teacher's whole term on a simulated class of 30, into build/term
	@$(BIN)/python tests/term.py

# Two processes for each core, since half of what tests do is to wait for a browser, a limit or a
# disk. One thread each: where a process keeps to a core, more would only wait for each other. Which
# tests come to one process, tests/spread.py says.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $$((2 * $$(nproc))) --no-loadscope-reorder

check: lint ## ruff, mypy and the tests that need nothing but Python: about a minute
	@$(PYTEST) -q -m "not costly"

# The book is built for some of these tests. The self-test of test_course.py has run by then.
check-chapter: named setup ## all that a change of one chapter can break: make check-chapter C=04_masks
	@$(BIN)/ruff check solutions/$(C)
	@$(BIN)/ruff format --check solutions/$(C)
	@before=$$(cat exercises/$(C)/* 2>/dev/null | sha256sum); \
	  $(BIN)/attn release $(C) >/dev/null || exit; \
	  if [ "$$before" = "$$(cat exercises/$(C)/* | sha256sum)" ]; then echo "exercises/$(C) is as it was."; \
	  else echo "exercises/$(C) has changed: commit it with the solutions."; fi
	@$(BIN)/attn selftest $(C)
	@$(PYTEST) -q -k "($(C) or whole_course) and not test_every_misconception_is_rejected"

named:
	@$(if $(and $(C),$(filter $(C),$(CHAPTERS))),:, \
	  echo "$(if $(C),There is no chapter '$(C)'.,Which chapter?) Give one: make check-chapter C=NAME," \
	    "with NAME one of $(CHAPTERS)." >&2; exit 2)

# The tests build the book themselves, beside others that run, and compare exercises/ as committed.
test: setup ## run all tests
	@$(call debian,chromium,chromium,test the pages in a browser)
	@$(PYTEST)

# Errors may read differently in another version: exercises/ holds those of the pinned one.
newest: setup ## test the exercises and their notebooks with the newest torch (several GB)
	@$(PYTHON) -m venv build/newest
	@build/newest/bin/python -m pip install -q --disable-pip-version-check -r requirements.lock
	@build/newest/bin/python -m pip install -q --disable-pip-version-check --upgrade torch
	@build/newest/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@build/newest/bin/python -c 'import torch; print("== torch", torch.__version__)'
	@build/newest/bin/python -m pytest tests/test_course.py tests/test_torch_weights.py tests/test_lab.py \
	  -k 'not committed_exercises'

# `make measure NAME…`: the names are experiments, not targets. KEEP=1: the pages quote what was found.
# WORDS=1: nothing is measured, the records get the claims as the scripts word them now.
ifeq (measure,$(firstword $(MAKECMDGOALS)))
EXPERIMENTS := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
.PHONY: $(EXPERIMENTS)
$(EXPERIMENTS):
	@:
endif

measure: setup ## run experiments again (all, or those named) and compare their numbers
	@$(BIN)/python book/measure.py $(if $(KEEP),--keep) $(if $(WORDS),--words) $(EXPERIMENTS)

words: setup ## list the sentences of the book that claim much and name no ground
	@$(BIN)/python book/words.py

bench: setup ## measure what a check costs, and grading beside nbgrader and with 10,000 submissions (half an hour)
	@echo "== Writing the notebooks that nbgrader starts from"
	@$(BIN)/attn release > /dev/null
	@echo "== 1 of 4: what a check costs a learner"
	@$(BIN)/python book/experiments/check_cost.py
	@echo "== 2 of 4: a submission of chapter 4 beside nbgrader"
	@$(BIN)/python book/experiments/grading_cost.py
	@echo "== 3 of 4: a submission of the capstone beside nbgrader"
	@$(BIN)/python book/experiments/grading_capstone.py
	@echo "== 4 of 4: a class of 10,000, and submissions that hang"
	@$(BIN)/python book/experiments/grading_scale.py
	@$(BIN)/python book/experiments/grading_table.py

pictures: book ## draw a sheet of all figures and widgets, in both themes and two widths
	@$(call debian,chromium,chromium,open the pages in a browser)
	@$(BIN)/python book/site/pictures.py

audit: book ## measure every page: requests, bytes, layout at four widths, axe, Lighthouse on a phone
	@$(call debian,chromium,chromium,open the pages in a browser)
	@$(NPM)
	@$(BIN)/python book/site/audit.py

lint: setup ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

serve: book ## show the book in a browser on this machine
	@$(BIN)/python book/site/serve.py 8000

clean: ## delete what was built; .venv stays
	rm -rf build .jupyter_cache exercises/*/.ipynb_checkpoints
	rm -f solutions/*/*.ipynb solutions/*/checks.safetensors
