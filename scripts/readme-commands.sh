#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# readme-commands.sh FOLDER: run every idlest command that README.md shows (in
# its indented blocks), with the binary of FOLDER; each must end with status 0.
set -eu
PATH="$(cd "${1:?usage: readme-commands.sh FOLDER}" && pwd):$PATH"
export PATH
cd "$(dirname "$0")/.."

list=$(sed -n 's/^    \(idlest .*\)$/\1/p' README.md)
[ -n "$list" ] || { echo "readme-commands: README.md shows no command"; exit 1; }
echo "$list" | while IFS= read -r line; do
	echo "+ $line"
	sh -ec "$line" </dev/null >/dev/null || { echo "readme-commands: failed: $line"; exit 1; }
done
