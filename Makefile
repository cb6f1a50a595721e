# Verbs for people; the build itself is CMake's.
SHELL := /bin/sh
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CTEST = ctest --output-on-failure -j$(JOBS)
VENV = .venv
TORCH = torch==2.13.0

.DEFAULT_GOAL := help
.PHONY: run build test golden oracle asan clang page bench coverage generate format tidy install help

run: ## install what is missing, build, and lower a real model
	@sh scripts/setup.sh test
	cmake --preset release >/dev/null
	cmake --build --preset release -j$(JOBS) --target rung_tool
	@sh scripts/demo.sh build/release/rung

build: ## build everything: build/release/rung
	@sh scripts/setup.sh test
	cmake --preset release >/dev/null
	cmake --build --preset release -j$(JOBS)

test: build ## all tests that need no torch
	$(CTEST) --test-dir build/release

golden: build ## what torch printed, only
	$(CTEST) --test-dir build/release -R golden

oracle: build $(VENV)/oracle ## against live torch 2.13: export, lower, load, compare values
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tests/oracle/run.sh $(ORACLE_ARGS)

$(VENV)/oracle:
	@sh scripts/setup.sh python
	[ -x $(VENV)/bin/python ] || python3 -m venv $(VENV)
	$(VENV)/bin/python -m pip -q --disable-pip-version-check install $(TORCH) numpy expecttest
	touch $@

asan: ## all tests under AddressSanitizer and UBSan
	@sh scripts/setup.sh test
	cmake --preset asan >/dev/null
	cmake --build --preset asan -j$(JOBS)
	$(CTEST) --test-dir build/asan

clang: ## golden tests with a second compiler: it evaluates operands in another order
	@sh scripts/setup.sh clang
	cmake --preset clang >/dev/null
	cmake --build --preset clang -j$(JOBS) --target rung_golden rung_metas rung_tool ladder four_ops net
	$(CTEST) --test-dir build/clang -R golden

page: ## the page of `rung explain --html` in Chromium: what stands there, and screenshots
	@sh scripts/setup.sh page
	cmake --preset release >/dev/null
	cmake --build --preset release -j$(JOBS) --target rung_tool rung_big_page
	$(CTEST) --test-dir build/release -R '^page$$'

bench: build $(VENV)/oracle ## measure, and write docs/performance.md
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" bench/run.sh

coverage: build ## write docs/coverage.md, docs/rules.md and docs/opsets.md
	build/release/tests/rung_coverage .
	build/release/tests/rung_rules .
	build/release/tests/rung_opsets .

generate: ## write the operator tables from data/
	python3 scripts/gen_schema.py
	python3 scripts/gen_opsets.py
	python3 scripts/gen_page.py

format: ## format all C++
	@sh scripts/format.sh

tidy: build ## clang-tidy's short list
	@sh scripts/tidy.sh

install: ## library, headers, CMake package and rung, under PREFIX
	@sh scripts/setup.sh test
	cmake --preset release >/dev/null
	cmake --build --preset release -j$(JOBS) --target rung rung_tool
	cmake --install build/release --prefix $(PREFIX)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1 \2/p' Makefile | awk '{name = $$1; $$1 = ""; printf "  make %-9s%s\n", name, $$0}'
