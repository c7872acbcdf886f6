#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# run.sh TARGET SEEDS...: fuzz for FUZZ_SECONDS (5), beginning with the seeds
# (files or folders). With FUZZ_CORPUS, what it learns is kept in a folder there
# and gone on from. What makes a target fail is kept, and its name printed.
set -eu

target=$1
shift
name=$(basename "$target")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/idlest-fuzz.XXXXXX")
corpus=${FUZZ_CORPUS:+$FUZZ_CORPUS/$name}
corpus=${corpus:-$scratch/corpus}
mkdir -p "$corpus" "$scratch/seeds" "$scratch/found"
for seed; do
	cp -r "$seed" "$scratch/seeds/"
done
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
if "$target" -seed=1 -max_total_time="${FUZZ_SECONDS:-5}" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
	-artifact_prefix="$scratch/found/" "$corpus" "$scratch/seeds" </dev/null >"$scratch/log" 2>&1; then
	echo "$name: $(tail -n 1 "$scratch/log")"
	rm -rf "$scratch"
else
	tail -n 60 "$scratch/log"
	echo "$name: what made it fail: $scratch/found"
	exit 1
fi
