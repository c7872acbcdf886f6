# SPDX-License-Identifier: BSD-2-Clause
#
# The front door. Meson does the work in build/; `make demo` and `make check`
# first install what is missing through the system's package manager.

BUILD ?= build
BUILDTYPE ?= release
MESON_FLAGS ?=
IDLEST := $(BUILD)/src/cmd/idlest

.PHONY: all deps demo check bench fuzz install clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup $(BUILD) --buildtype=$(BUILDTYPE) $(MESON_FLAGS)

deps:
	@scripts/install-deps.sh

demo: deps
	@$(MAKE) --no-print-directory all
	@scripts/demo.sh $(IDLEST)

check: deps
	@$(MAKE) --no-print-directory all
	@meson test -C $(BUILD) --print-errorlogs

bench: deps
	@$(MAKE) --no-print-directory all
	@$(BUILD)/tools/bench --json $(BUILD)/bench.json

# FUZZ_TIME seconds each; what is learnt stays in build-fuzz/corpus, and the next time goes on from there
FUZZ_TIME ?= 600

fuzz: deps
	@[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz --buildtype=debugoptimized -Dfuzz=true \
		-Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-fuzz
	@FUZZ_SECONDS=$(FUZZ_TIME) FUZZ_CORPUS=$(CURDIR)/build-fuzz/corpus meson test -C build-fuzz --suite fuzz --print-errorlogs

install: all
	@meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD)
