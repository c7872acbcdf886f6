#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check.py --lab LAB --build BUILD [--out FOLDER]: real kernels as judges (make kernel-check).

Records what isn't recorded yet of the matrix kernel x machine x workload, and prints for each
  - whether idlest topo builds the domains that the kernel built
  - what idlest agree says of its decisions (undetermined ones count as wrong)
  - how often the simulation of the same workload wakes, switches and migrates its tasks against the
    kernel: simulated/recorded, migrations by what the two CPUs share
Exit status 1 if a domain differs or a floor isn't reached.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import agreement
import boot
import counts
import record

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tests/cli"))
import topo_json  # noqa: E402: the reader of recorded domains


def domains_differ(idlest, dump, kernel, machine):
    """the first CPU whose domains aren't as recorded, or None"""
    p = subprocess.run([idlest, "topo", f"qemu:{machine}", "-k", agreement.PROFILES[kernel],
                        "--json"], capture_output=True, text=True, check=True)
    want = topo_json.recorded(dump)
    for c in json.loads(p.stdout)["cpus"]:
        for domain in c["domains"]:
            domain.pop("imb_numa_nr")
        if c["domains"] != want.get(c["cpu"], []):
            return c["cpu"]
    return None


def simulate(idlest, machine, kernel, workload, topology):
    """counts of the same workload, simulated; None if there is no such model"""
    with tempfile.TemporaryDirectory(prefix="idlest-run.") as tmp:
        trace = os.path.join(tmp, "run.txt")
        p = subprocess.run([idlest, "run", "-m", f"qemu:{machine}", "-w", workload, "-k",
                            agreement.PROFILES[kernel], "--trace", trace],
                           capture_output=True, text=True)
        if "there is no workload" in p.stderr:
            return None
        if p.returncode:
            sys.exit(f"{workload} on qemu:{machine}: {p.stderr.strip()}")
        return counts.count(trace, topology)


def ratios(simulated, recorded):
    if not simulated:
        return "not simulated"
    return "  ".join(f"{k} {simulated[k]}/{recorded[k]}" for k in recorded
                     if simulated[k] or recorded[k])


def manifest(folder):
    with open(os.path.join(folder, "MANIFEST"), encoding="utf-8") as f:
        return {e["name"]: e for e in map(json.loads, f)}


def check_boot(args, kernel, machine, sums):
    """one kernel on one machine; returns what is wrong"""
    idlest, wrong = os.path.join(args.build, "src/cmd/idlest"), []
    dump = os.path.join(args.out, f"{kernel}_{machine}.dump")
    cpu = domains_differ(idlest, dump, kernel, machine)
    if cpu is not None:
        wrong.append(f"{kernel} {machine}: CPU {cpu} has other domains than idlest topo says")
    print(f"\n{kernel} {machine}: domains {'as recorded' if cpu is None else 'DIFFER'}")
    topology, listed = counts.Topology(dump), manifest(args.out)
    cpus, _ = record.nr_cpus(args.build, machine)
    rows, loads = [], []
    for name, _ in record.workloads(args.set, cpus, args.workload):
        stem = f"{kernel}_{machine}_{name}"
        path = os.path.join(args.out, stem + ".trace.xz")
        if stem not in listed or not os.path.exists(path):
            continue
        try:
            figures = agreement.ask(idlest, path, f"qemu:{machine}", kernel)
        except agreement.AskError as e:
            wrong.append(str(e))
            continue
        agreement.add(sums, (kernel, name), figures)
        rows.append((name, figures))
        loads.append((name, ratios(
            simulate(idlest, machine, kernel, listed[stem]["workload"], topology),
            counts.count(path, topology))))
    print(agreement.table(rows))
    print("\n".join(f"  {name:10} {text}" for name, text in loads), flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    record.arguments(parser)
    parser.add_argument("--out", required=True, help="where recordings are, or will be")
    parser.add_argument("--again", action="store_true", help="record what is there, too")
    parser.add_argument("--floors", default=os.path.join(HERE, "floors"))
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    sums, wrong = {}, []
    for machine in args.machine or record.preset_machines(args.build):
        for kernel in args.kernel or record.KERNELS:
            try:
                record.record(args, kernel, machine)
                wrong += check_boot(args, kernel, machine, sums)
            except boot.BootError as e:
                wrong.append(str(e))
    print("\nall machines")
    print(agreement.table([(" ".join(k), f) for k, f in sorted(sums.items())]))
    wrong += agreement.below_floor(args.floors, sums)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
