#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""same_periods.py IDLEST RUNNER: an expression means the same tasks, simulated and for real.

How many periods there are depends on what was drawn for each task, and on nothing else.
"""
import json
import re
import subprocess
import sys


def main():
    idlest, runner = sys.argv[1:]
    for seed in 1, 2, 77:
        expr = "periodic:n=5,period=3ms,load=5,mixed,duration=30ms,lead=1ms"
        real = subprocess.run([runner, f"--seed={seed}", expr], capture_output=True, text=True,
                              check=True).stdout
        simulated = json.loads(subprocess.run(
            [idlest, "run", "-m", "uma-8c", "-w", expr, "-k", "v6.12", "--seed", str(seed), "--json"],
            capture_output=True, text=True, check=True).stdout)
        want = next(m["value"] for m in simulated["metrics"] if m["name"] == "done")
        got = int(re.search(r"done (\d+) periods", real).group(1))
        if got != want:
            sys.exit(f"seed {seed}: {got} periods for real, {want} simulated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
