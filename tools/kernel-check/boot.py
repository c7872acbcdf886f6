#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""boot.py LAB BUILD KERNEL MACHINE OUT [NAME=WORKLOAD ...]: run workloads under a real kernel.

Boots KERNEL (a folder of LAB, which fetch.sh filled) under QEMU on MACHINE (anything that
`idlest topo --qemu` takes), runs the workloads one after the other and leaves in OUT: dump,
NAME.trace, NAME.out, NAME.schedstat-before and -after, console. BUILD is a build folder.

Time is counted in instructions, so that a run repeats bit for bit and nothing that the host does
shows in it; docs/kernel-check.md says what that means for the figures.
"""
import glob
import io
import os
import stat
import subprocess
import sys
import time

# In this order; kernels that have them built in have no such files.
MODULES = ["virtio/virtio_ring", "virtio/virtio", "virtio/virtio_pci_legacy_dev",
           "virtio/virtio_pci_modern_dev", "virtio/virtio_pci", "char/virtio_console"]

QEMU = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
        "-machine", "q35,hpet=off,smbus=off,sata=off",
        "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
        "-rtc", "clock=vm,base=2024-01-01T00:00:00", "-seed", "1",
        # AMD models have no topology extension under TCG; rdrand would be chance
        "-cpu", "SapphireRapids,-rdrand,-rdseed",
        "-device", "virtio-serial-pci,ioeventfd=off",
        "-device", "virtserialport,chardev=port,name=port"]

APPEND = ("console=ttyS0 quiet nokaslr mitigations=off tsc=reliable panic=-1 cryptomgr.notests "
          "sched_verbose log_buf_len=4M")


class BootError(Exception):
    pass


def cpio(files):
    """newc archive of (name, mode, bytes), with nothing in it that depends on when or who"""
    out = io.BytesIO()
    entries = sorted(files) + [("TRAILER!!!", 0, b"")]
    for inode, (name, mode, data) in enumerate(entries):
        fields = [inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        out.write(b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0")
        out.write(b"\0" * (-out.tell() % 4))
        out.write(data)
        out.write(b"\0" * (-out.tell() % 4))
    return out.getvalue()


def content(path):
    with open(path, "rb") as f:
        return f.read()


def initrd(lab, build, kernel, jobs):
    """the guest's file system: init, the runner, modules as far as needed, and the jobs"""
    guest = os.path.join(build, "tools/kernel-check")
    program, folder, plain = stat.S_IFREG | 0o755, stat.S_IFDIR | 0o755, stat.S_IFREG | 0o644
    files = [(d, folder, b"") for d in ("bin", "dev", "lib")]
    files += [("init", program, content(os.path.join(guest, "kernel-check-init"))),
              ("bin/wl", program, content(os.path.join(guest, "idlest-wl"))),
              ("jobs", plain, "".join(f"{n} {w}\n" for n, w in jobs).encode())]
    modules = []
    for m in MODULES:
        found = sorted(glob.glob(f"{lab}/kernel/{kernel}/**/drivers/{m}.ko", recursive=True))
        if found:
            modules.append(f"lib/{os.path.basename(m)}.ko")
            files.append((modules[-1], plain, content(found[0])))
    files.append(("modules", plain, "".join(f"/{m}\n" for m in modules).encode()))
    return cpio(files)


def kernel_image(lab, kernel):
    for pattern in ("boot/vmlinuz-*", "usr/lib/modules/*/vmlinuz"):
        found = sorted(glob.glob(f"{lab}/kernel/{kernel}/{pattern}"))
        if found:
            return found[-1]
    raise BootError(f"no kernel image below {lab}/kernel/{kernel}; fetch.sh {lab} brings it there")


def unpack(stream, out):
    """the port's stream of "NAME SIZE" lines and bytes into files; whether the last is there"""
    with open(stream, "rb") as f:
        while line := f.readline():
            try:
                name, size = line.split()
                name, size = os.path.basename(name.decode()), int(size)
            except ValueError:
                return False
            data = f.read(size)
            if len(data) != size:
                return False
            if name == "end":
                return True
            with open(os.path.join(out, name), "wb") as to:
                to.write(data)
    return False


def boot(lab, build, kernel, machine, out, jobs, limit=1800):
    """as the file's head says; raises BootError. Returns the seconds it took."""
    os.makedirs(out, exist_ok=True)
    idlest = os.path.join(build, "src/cmd/idlest")
    p = subprocess.run([idlest, "topo", "--qemu", machine], capture_output=True, text=True)
    if p.returncode:
        raise BootError(p.stderr.strip())
    stream, ird = os.path.join(out, "stream"), os.path.join(out, "initrd")
    with open(ird, "wb") as f:
        f.write(initrd(lab, build, kernel, jobs))
    command = ["nice", "-n", "10", f"{lab}/qemu/usr/bin/qemu-system-x86_64", "-L", f"{lab}/bios"]
    command += QEMU + p.stdout.split()
    command += ["-kernel", kernel_image(lab, kernel), "-initrd", ird, "-append", APPEND,
                "-chardev", f"file,id=con,path={out}/console", "-serial", "chardev:con",
                "-chardev", f"file,id=port,path={stream}"]
    start = time.monotonic()
    try:
        q = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=limit)
    except subprocess.TimeoutExpired:
        raise BootError(f"{kernel} on {machine} wasn't done after {limit} s; see {out}/console")
    if q.returncode:
        raise BootError(f"QEMU: {q.stderr.strip()[-500:]}")
    complete = os.path.exists(stream) and unpack(stream, out)
    os.remove(ird)
    if not complete:
        raise BootError(f"{kernel} on {machine} handed out no complete result; see {out}/console")
    os.remove(stream)
    for name, _ in jobs:
        printed = content(os.path.join(out, name + ".out")).decode()
        if "exit status 0\n" not in printed or "lost events: 0\n" not in printed:
            raise BootError(f"{kernel} on {machine}, {name}: {printed}")
    return time.monotonic() - start


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    jobs = [tuple(a.split("=", 1)) for a in sys.argv[6:]]
    try:
        took = boot(*sys.argv[1:6], jobs)
    except BootError as e:
        print(f"boot.py: {e}", file=sys.stderr)
        return 1
    print(f"{len(jobs)} workloads in {took:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
