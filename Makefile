# SPDX-License-Identifier: BSD-2-Clause
#
# The front door. Meson does the work in build/; `make demo` and `make check`
# first install what is missing through the system's package manager.

BUILD ?= build
BUILDTYPE ?= release
MESON_FLAGS ?=
IDLEST := $(BUILD)/src/cmd/idlest

.PHONY: all deps demo check bench install clean

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

install: all
	@meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD)
