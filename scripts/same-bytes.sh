#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# same-bytes.sh IDLEST...: the same commands print the same bytes from every
# binary given and from a gcc -O0 build made here, however many jobs run.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/idlest-bytes.XXXXXX")
trap 'rm -rf "$work"' EXIT

CC=gcc meson setup "$work/gcc-O0" -Dbuildtype=debug -Doptimization=0 >/dev/null
ninja -C "$work/gcc-O0" >/dev/null
set -- "$@" "$work/gcc-O0/src/cmd/idlest"

commands() {
	"$1" compare -m zen3-2s:nps4 -w stream:threads=16,ntimes=2 --base v5.17 --variant v5.18 -n 2 --json
	"$1" compare -m zen3-2s -w hackbench:groups=2,loops=20,pipe --base v5.10 --variant v6.6 -n 2 --json -j "$2"
	"$1" run -m kunpeng920-2s -w periodic:n=40,period=4ms,run=1ms,duration=200ms -k v6.12 --json
	"$1" run -m haswell-2s-e5-2670v3 -w hackbench:groups=2,loops=20,socket,threads -k v7.3 --json
	"$1" topo zen3-2s:nps2 -k v6.1 --json
}

status=0 jobs=1
for binary; do
	commands "$binary" "$jobs" >"$work/out.$jobs" 2>&1 || { cat "$work/out.$jobs"; exit 1; }
	if [ "$jobs" -gt 1 ] && ! cmp "$work/out.1" "$work/out.$jobs"; then
		echo "same-bytes: $binary (-j $jobs) prints other bytes than $1"
		status=1
	fi
	jobs=$((jobs + 1))
done
[ $status = 0 ] && echo "same-bytes: $# binaries, $(wc -c <"$work/out.1") bytes each, all equal"
exit $status
