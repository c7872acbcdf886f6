#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# run.sh TARGET SAMPLES RUNS: so many runs from seed 1, beginning with the samples.
# What it finds stays in a scratch folder, whose name is printed on failure.
set -eu

scratch=$(mktemp -d "${TMPDIR:-/tmp}/idlest-fuzz.XXXXXX")
mkdir "$scratch/corpus"
if "$1" -seed=1 -runs="$3" -max_len=4096 -artifact_prefix="$scratch/" "$scratch/corpus" "$2" >"$scratch/log" 2>&1; then
	tail -n 1 "$scratch/log"
	rm -rf "$scratch"
else
	tail -n 40 "$scratch/log"
	echo "what made it fail: $scratch"
	exit 1
fi
