#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# demo.sh IDLEST: the tables of `make demo`.
set -eu
idlest=${1:?usage: demo.sh IDLEST}

echo "STREAM, 16 threads, unbound, on a two-socket 64-core Zen3 in each of its node modes:"
echo "the allowed NUMA imbalance of v5.17 (a quarter of the span) against v5.18 (one task per LLC)."
echo
"$idlest" compare -m zen3-2s:nps1 -m zen3-2s:nps2 -m zen3-2s:nps4 -w stream:threads=16 \
	--base v5.17 --variant v5.18
echo
echo "hackbench, pipes, on the same machine in NPS1:"
echo
"$idlest" compare -m zen3-2s:nps1 -w hackbench:groups=1,pipe,loops=500 \
	-w hackbench:groups=2,pipe,loops=500 -w hackbench:groups=4,pipe,loops=500 --base v5.17 --variant v5.18
echo
echo "Your own machine:  $idlest compare -m this -w hackbench:groups=4,pipe --base v6.6 --variant v6.12"
echo "Your own change:   docs/add-a-rule.md, then $idlest compare ... --variant v6.12,+YOUR_RULE"
