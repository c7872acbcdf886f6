#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# fetch.sh LAB: bring Debian's kernels 6.1, 6.12 and 7.3 and QEMU 10 into the folder LAB. Packages are
# unpacked there, none is installed; the mirror is the one that this machine's own apt uses, whose
# state isn't touched. What is there already stays.
#	LAB/kernel/{v6.1,v6.12,v7.3}	LAB/qemu	LAB/bios	LAB/VERSIONS
set -eu
lab=${1:?usage: fetch.sh LAB}
mkdir -p "$lab/apt/lists/partial" "$lab/apt/archives/partial" "$lab/debs"
lab=$(cd "$lab" && pwd)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
	echo "fetch.sh: $1" >&2
	exit 2
}

command -v apt-get >/dev/null 2>&1 || fail "this needs a Debian system (apt-get)"
[ -e "$keyring" ] || fail "no $keyring: install debian-archive-keyring"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
	'Component: main' | grep -v security | head -n 1)
[ -n "$mirror" ] || fail "apt's sources name no Debian archive"

for suite in bookworm bookworm-backports trixie-backports; do
	echo "deb [signed-by=$keyring] $mirror $suite main"
done >"$lab/apt/sources.list"
cat >"$lab/apt/apt.conf" <<END
Dir::State::lists "$lab/apt/lists";
Dir::Etc::sourcelist "$lab/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Cache "$lab/apt";
APT::Sandbox::User "";
END
APT_CONFIG=$lab/apt/apt.conf
export APT_CONFIG

# newest PATTERN: the newest package whose whole name matches
newest() {
	apt-cache pkgnames | grep -E "^$1\$" | sort -V | tail -n 1
}

# unpack FOLDER PACKAGE[/SUITE]...
unpack() {
	folder=$lab/$1
	shift
	[ ! -e "$folder" ] || return 0
	for package; do
		name=${package%%/*}
		rm -f "$lab/debs/$name"_*.deb
		(cd "$lab/debs" && apt-get -qq download "$package") || fail "can't fetch $package"
		dpkg -x "$lab/debs/$name"_*.deb "$folder.new"
	done
	mv "$folder.new" "$folder"
}

rm -rf "$lab/kernel/"*.new "$lab/qemu.new"
mkdir -p "$lab/kernel"
if [ ! -e "$lab/kernel/v6.1" ] || [ ! -e "$lab/kernel/v6.12" ] || [ ! -e "$lab/kernel/v7.3" ] ||
	[ ! -e "$lab/qemu" ]; then
	apt-get -qq update || fail "the archive can't be reached"
	unpack kernel/v6.1 "$(newest 'linux-image-6\.1\.[0-9-]+-cloud-amd64')"
	unpack kernel/v6.12 "$(newest 'linux-image-6\.12\.[0-9]+\+deb12-cloud-amd64')"
	unpack kernel/v7.3 "$(newest 'linux-binary-7\.3\.[0-9]+\+deb13-cloud-amd64')"
	unpack qemu qemu-system-x86/bookworm-backports qemu-system-common/bookworm-backports \
		qemu-system-data/bookworm-backports seabios/bookworm
	ls "$lab/debs" >"$lab/VERSIONS"
fi
mkdir -p "$lab/bios"
for f in "$lab"/qemu/usr/share/qemu/*.bin "$lab"/qemu/usr/share/qemu/*.rom \
	"$lab"/qemu/usr/share/seabios/*.bin; do
	[ ! -e "$f" ] || cp -L "$f" "$lab/bios/"
done
[ -e "$lab/bios/bios-256k.bin" ] || fail "no bios-256k.bin was unpacked"

# what QEMU is linked with must be on this system: its libraries aren't fetched
missing=$(ldd "$lab/qemu/usr/bin/qemu-system-x86_64" | grep 'not found' || true)
[ -z "$missing" ] || fail "QEMU lacks libraries here; install qemu-system-x86 for them: $missing"
