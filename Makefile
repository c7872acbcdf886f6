# SPDX-License-Identifier: BSD-2-Clause
#
# The front door. Meson does the work in build/; `make demo` and `make check`
# first install what is missing through the system's package manager.

BUILD ?= build
BUILDTYPE ?= release
MESON_FLAGS ?=
IDLEST := $(BUILD)/src/cmd/idlest

.PHONY: all deps demo check kernel-check bench fuzz install clean

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

# Real kernels under QEMU as judges (docs/kernel-check.md). For a part of the matrix:
# make kernel-check KERNEL_CHECK="--kernel v6.12 --machine m8 --workload msg"
# RENEW=1 records the tests' own recordings anew.
LAB ?= $(BUILD)/kernel-lab
KERNEL_CHECK ?=
KERNEL_CHECK_ARGS = --lab $(LAB) --build $(BUILD)

kernel-check: deps
	@$(MAKE) --no-print-directory all
	@tools/kernel-check/fetch.sh $(LAB)
ifeq ($(RENEW),)
	@tools/kernel-check/check.py $(KERNEL_CHECK_ARGS) --out $(BUILD)/recordings $(KERNEL_CHECK)
else
	@tools/kernel-check/renew.py $(KERNEL_CHECK_ARGS) --out tests/data/recordings
endif

install: all
	@meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD)
