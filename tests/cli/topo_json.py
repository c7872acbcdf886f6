#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""topo_json.py IDLEST FOLDER: idlest topo --json against what real kernels recorded in FOLDER.

FOLDER holds KERNEL_MACHINE.txt (tests/data/domains). Every key of the JSON is checked, and that
there is no other.
"""
import glob
import json
import os
import re
import subprocess
import sys

PROFILES = {"v6.1": "v6.1.192", "v6.12": "v6.12.95", "v7.3": "v7.3"}
PRESETS = {"m8", "m16smt", "m16cls", "m16cls1", "m32nps1",
           "m8uma", "m12llc3", "m16smtcls", "m18odd", "m16snc", "m16ring"}
NUMBERS = ["min_interval", "max_interval", "busy_factor", "imbalance_pct", "cache_nice_tries"]


def cpus_of(text):
    cpus = []
    for part in text.split(","):
        lo, _, hi = part.partition("-")
        cpus += range(int(lo), int(hi or lo) + 1)
    return cpus


def recorded(path):
    """cpu -> list of domains, as the JSON should have them"""
    domains, cpu = {}, None
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if m := re.match(r"cpu([\d,-]+)/domain(\d+) name=(\w+) flags=(.*?) (min_interval=.*)", line):
            numbers = dict(item.split("=") for item in m.group(5).split())
            for c in cpus_of(m.group(1)):
                domains.setdefault(c, {})[int(m.group(2))] = {
                    "name": m.group(3), "flags": m.group(4).split(),
                    **{n: int(numbers[n]) for n in NUMBERS}}
        elif m := re.match(r"CPU(\d+) attaching", line):
            cpu = int(m.group(1))
        elif m := re.match(r"domain-(\d+): span=(\S+)", line):
            domain = domains[cpu][int(m.group(1))]
            domain["span"] = m.group(2)
        elif line.startswith("groups: "):
            domain["groups"] = re.findall(r"span=(\S+)", line)
    return {c: [d[i] for i in sorted(d)] for c, d in domains.items()}


def main():
    idlest, compared = sys.argv[1], 0
    for path in sorted(glob.glob(os.path.join(sys.argv[2], "*.txt"))):
        kernel, machine = os.path.basename(path)[:-4].split("_")
        if machine not in PRESETS:
            continue
        p = subprocess.run([idlest, "topo", f"qemu:{machine}", "-k", PROFILES[kernel], "--json"],
                           capture_output=True, text=True, check=True)
        got, want = json.loads(p.stdout), recorded(path)
        if set(got) != {"cpus"} or [c["cpu"] for c in got["cpus"]] != sorted(want):
            sys.exit(f"{path}: not the recorded CPUs")
        for c in got["cpus"]:
            for domain in c["domains"]:
                if not isinstance(domain.pop("imb_numa_nr"), int):
                    sys.exit(f"{path}: imb_numa_nr is no number")
            if c["domains"] != want[c["cpu"]]:
                sys.exit(f"{path}: cpu{c['cpu']}: expected {want[c['cpu']]}\ngot {c['domains']}")
            compared += len(c["domains"])
    print(f"{compared} domains equal")
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main())
