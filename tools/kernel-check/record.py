#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py --lab LAB --build BUILD --out FOLDER: record the matrix kernel x machine x workload.

Leaves in FOLDER, for each, KERNEL_MACHINE_WORKLOAD.trace.xz and .schedstat.xz, and for each boot
KERNEL_MACHINE.dump; MANIFEST lists them with machine, workload and QEMU's arguments. What is there
already isn't recorded again.
"""
import argparse
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

import boot

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = ["core", "all"]
KERNELS = ["v6.1", "v6.12", "v7.3"]


def preset_machines(build):
    """the options of the preset that describes emulated machines"""
    idlest = os.path.join(build, "src/cmd/idlest")
    p = subprocess.run([idlest, "machines", "--json"], capture_output=True, text=True, check=True)
    for m in json.loads(p.stdout)["machines"]:
        if m["name"] == "qemu":
            return re.findall(r"\w+", m["doc"].split("; options ")[1].replace("(default)", ""))
    sys.exit("idlest machines knows no preset 'qemu'")


def nr_cpus(build, machine):
    idlest = os.path.join(build, "src/cmd/idlest")
    p = subprocess.run([idlest, "topo", f"qemu:{machine}", "--qemu"], capture_output=True,
                       text=True, check=True)
    return int(re.search(r"-smp (\d+)", p.stdout).group(1)), p.stdout.strip()


def workloads(which, cpus, names=None):
    """(name, expression) of a set, for a machine of so many CPUs"""
    jobs = []
    for line in open(os.path.join(HERE, "workloads"), encoding="utf-8"):
        if line.startswith("#") or not line.strip():
            continue
        name, belongs, expr = line.split()
        if names and name not in names or not names and SETS.index(belongs) > SETS.index(which):
            continue
        value = lambda m: str(eval(m.group(1), {"__builtins__": {}, "max": max, "cpus": cpus}))
        jobs.append((name, re.sub(r"\{(.*?)\}", value, expr)))
    return jobs


def pack(source, target, preset):
    with open(source, "rb") as f, lzma.open(target + ".new", "wb", preset=preset) as to:
        to.write(f.read())
    os.replace(target + ".new", target)


def record(args, kernel, machine):
    cpus, qemu = nr_cpus(args.build, machine)
    stem = lambda name: os.path.join(args.out, f"{kernel}_{machine}_{name}")
    jobs = [(n, w) for n, w in workloads(args.set, cpus, args.workload)
            if args.again or not os.path.exists(stem(n) + ".trace.xz")]
    if not jobs:
        return
    with tempfile.TemporaryDirectory(prefix="idlest-boot.") as tmp:
        took = boot.boot(args.lab, args.build, kernel, f"qemu:{machine}", tmp, jobs)
        for name, _ in jobs:
            pack(f"{tmp}/{name}.trace", stem(name) + ".trace.xz", 9 | lzma.PRESET_EXTREME)
            both = f"{tmp}/both"
            with open(both, "wb") as f:
                f.write(boot.content(f"{tmp}/{name}.schedstat-before"))
                f.write(boot.content(f"{tmp}/{name}.schedstat-after"))
            pack(both, stem(name) + ".schedstat.xz", 6)
        dump = boot.content(f"{tmp}/dump")
        with open(os.path.join(args.out, f"{kernel}_{machine}.dump"), "wb") as f:
            f.write(dump)
        release = dump.decode().split("Linux version ")[1].split()[0]
        with open(os.path.join(args.out, "MANIFEST"), "a", encoding="utf-8") as f:
            for i, (name, expr) in enumerate(jobs):
                printed = boot.content(f"{tmp}/{name}.out").decode().split("exit status")[0]
                f.write(json.dumps({"name": f"{kernel}_{machine}_{name}", "kernel": release,
                                    "machine": f"qemu:{machine}", "workload": expr,
                                    "job": f"{i + 1}/{len(jobs)}", "qemu": qemu,
                                    "printed": printed.strip().replace("\n", "; ")}) + "\n")
    print(f"{kernel} {machine}: {len(jobs)} workloads in {took:.0f} s", flush=True)


def arguments(parser):
    """what says which part of the matrix"""
    parser.add_argument("--lab", required=True, help="folder that fetch.sh filled")
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--kernel", action="append", help="repeatable; default: all of the lab")
    parser.add_argument("--machine", action="append", help="option of the preset qemu; default: all")
    parser.add_argument("--workload", action="append", help="name; default: those of the set")
    parser.add_argument("--set", default="core", choices=SETS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments(parser)
    parser.add_argument("--out", required=True)
    parser.add_argument("--again", action="store_true", help="record what is there, too")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    failed = 0
    for machine in args.machine or preset_machines(args.build):
        for kernel in args.kernel or KERNELS:
            try:
                record(args, kernel, machine)
            except boot.BootError as e:
                print(f"record.py: {e}", file=sys.stderr)
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
