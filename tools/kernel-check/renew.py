#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""renew.py --lab LAB --build BUILD --out FOLDER: record anew what FOLDER/MANIFEST lists.

Each kernel and machine is booted once with the workloads of core, as when they were recorded first
(the jobs before are part of a run), and those that are listed are kept.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile

import boot
import record


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in "lab", "build", "out":
        parser.add_argument("--" + option, required=True)
    args = parser.parse_args()
    with open(os.path.join(args.out, "MANIFEST"), encoding="utf-8") as f:
        wanted = [e["name"] for e in map(json.loads, f)]
    entries = []
    with tempfile.TemporaryDirectory(prefix="idlest-renew.") as tmp:
        part = argparse.Namespace(lab=args.lab, build=args.build, out=tmp, set="core",
                                  workload=None, again=True)
        for kernel, machine in sorted({tuple(n.split("_")[:2]) for n in wanted}):
            try:
                record.record(part, kernel, machine)
            except boot.BootError as e:
                print(f"renew.py: {e}", file=sys.stderr)
                return 1
        with open(os.path.join(tmp, "MANIFEST"), encoding="utf-8") as f:
            entries = [line for line in f if json.loads(line)["name"] in wanted]
        for name in wanted:
            shutil.copyfile(f"{tmp}/{name}.trace.xz", f"{args.out}/{name}.trace.xz")
        with open(os.path.join(args.out, "MANIFEST"), "w", encoding="utf-8") as f:
            f.writelines(sorted(entries))
    return 0


if __name__ == "__main__":
    sys.exit(main())
