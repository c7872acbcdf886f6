#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Install what building and testing need, where anything is missing. With no
# known package manager, or without the right to use it, print the list.
set -eu

PKG_CONFIG_MODULES="hwloc libcyaml yaml-0.1 jansson zlib liblzma libzstd libprotobuf-c libtracecmd libtraceevent cmocka"
PROGRAMS="cc meson ninja pkg-config python3 protoc-c"

missing=""
for program in $PROGRAMS; do
	command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
if command -v pkg-config >/dev/null 2>&1; then
	for module in $PKG_CONFIG_MODULES; do
		pkg-config --exists "$module" || missing="$missing $module"
	done
else
	missing="$missing $PKG_CONFIG_MODULES"
fi
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 && as_root=sudo || as_root=none
fi

give_list() {
	cat >&2 <<-END
	idlest needs what is missing here:$missing
	$1 Install a C compiler, meson (0.64 or newer), ninja, pkg-config, python3 and
	the development files of hwloc (2.x), libcyaml (1.3 or newer), libyaml, jansson, zlib, liblzma (xz),
	libzstd, libprotobuf-c (with its compiler protoc-c), libtracecmd (with libtracefs, libtraceevent) and cmocka.
	END
	exit 2
}

[ "$as_root" != none ] || give_list "You aren't root and there is no sudo."

echo "installing what is missing:$missing"
if command -v apt-get >/dev/null 2>&1; then
	packages="gcc libc6-dev meson ninja-build pkg-config python3 libhwloc-dev libcyaml-dev libyaml-dev libjansson-dev zlib1g-dev liblzma-dev libzstd-dev libprotobuf-c-dev protobuf-c-compiler libtracecmd-dev libtracefs-dev libtraceevent-dev libcmocka-dev"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	install="$as_root apt-get install -y -q --no-install-recommends $packages"
	$install >/dev/null 2>&1 || { $as_root apt-get update -q >/dev/null && $install >/dev/null; } ||
		give_list "apt-get could not install it (its message is above)."
elif command -v dnf >/dev/null 2>&1; then
	$as_root dnf install -y gcc meson ninja-build pkgconf-pkg-config python3 hwloc-devel \
		libcyaml-devel libyaml-devel jansson-devel zlib-devel xz-devel libzstd-devel protobuf-c-devel protobuf-c-compiler \
		libtracecmd-devel libtracefs-devel libtraceevent-devel libcmocka-devel || give_list "dnf could not install it."
elif command -v pacman >/dev/null 2>&1; then
	$as_root pacman -S --needed --noconfirm gcc meson ninja pkgconf python hwloc libcyaml libyaml \
		jansson zlib xz zstd protobuf-c libtracecmd libtracefs libtraceevent cmocka || give_list "pacman could not install it (libcyaml is in the AUR)."
else
	give_list "No package manager that this script knows (apt, dnf, pacman)."
fi
