#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# fresh-machine.sh CHECKOUT: prove the two commands of the README on a minimal
# Debian made in a scratch folder: the checkout copied in, `make demo` and
# `make check` run there by chroot. The mirror is the one this machine's own
# apt uses. Exit status 77: skipped, with the reason said.
set -eu

checkout=$(cd "${1:?usage: fresh-machine.sh CHECKOUT}" && pwd)
suite=${SUITE:-bookworm}

skip() {
	echo "fresh-machine: skipped: $1"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "making a chroot needs root"
command -v debootstrap >/dev/null 2>&1 || skip "no debootstrap here"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" \
	'Component: main' | head -n 1)
[ -n "$mirror" ] || skip "apt's sources name no archive with $suite"

root=$(mktemp -d "${TMPDIR:-/tmp}/idlest-fresh.XXXXXX")
mounted=""
cleanup() {
	for m in $mounted; do
		umount -l "$root/$m" 2>/dev/null || true
	done
	# nothing below a mount that is still there may be removed
	if ! grep -q " $root/" /proc/mounts; then
		rm -rf --one-file-system "$root"
	fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM

echo "fresh-machine: minimal Debian $suite in a scratch folder"
if ! debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$root" "$mirror" \
	>"$root.log" 2>&1; then
	reached=$(grep -c '^I: Retrieving' "$root.log" || true)
	tail -n 5 "$root.log"
	rm -f "$root.log"
	[ "$reached" -gt 1 ] || skip "the archive can't be reached"
	echo "fresh-machine: debootstrap failed"
	exit 1
fi
rm -f "$root.log"

for m in proc sys dev; do
	mount --rbind "/$m" "$root/$m" 2>/dev/null && mount --make-rslave "$root/$m" && mounted="$m $mounted"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
mkdir "$root/idlest"
(cd "$checkout" && git ls-files -z | tar -c --null -T - -f -) | tar -x -C "$root/idlest" -f -

in_root() {
	chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C \
		CI="${CI:-}" sh -ec "cd /idlest && $1"
}
echo "fresh-machine: make demo"
in_root "make demo MESON_FLAGS=-Dwerror=true"
echo "fresh-machine: make check"
in_root "make check"
