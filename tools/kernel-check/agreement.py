#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agreement.py IDLEST FOLDER [FLOORS]: what idlest agree says of recordings, against stated floors.

FOLDER holds KERNEL_MACHINE_WORKLOAD.trace.xz. Prints, by kernel and workload, how many decisions
were contested and how many of them the core takes as the kernel did; undetermined ones count as
wrong. FLOORS has lines "KERNEL WORKLOAD FIGURE PER-CENT" (a "*" stands for any); exit status 1 if
one isn't reached.
"""
import glob
import json
import os
import subprocess
import sys

PROFILES = {"v6.1": "v6.1.192", "v6.12": "v6.12.95", "v7.3": "v7.3"}

# what is asked of each part of the answer: figure -> part, agreed, of how many
FIGURES = {
    "wake_cpu": ("wakeups", "strict_contested_same_cpu", "contested"),
    "wake_llc": ("wakeups", "strict_contested_same_llc", "contested"),
    "naive_cpu": ("wakeups", "naive_contested_same_cpu", "contested"),
    "forks": ("forks", "same_or_equal", "n"),
    "picks": ("picks", "contested_same_task", "contested"),
    "pulls": ("pulls", "strict_same_source", "n"),
}


class AskError(Exception):
    pass


def ask(idlest, path, machine, kernel):
    """figure -> (agreed, of how many), of one recording"""
    try:
        p = subprocess.run([idlest, "agree", path, "-m", machine, "-k", PROFILES[kernel],
                            "--json"], capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise AskError(f"{path}: idlest agree wasn't done after 600 s")
    if p.returncode:
        raise AskError(f"{path}: idlest agree ends with {p.returncode}: {p.stderr.strip()}")
    answer = json.loads(p.stdout)
    return {f: (answer[part][agreed], answer[part][n]) for f, (part, agreed, n) in FIGURES.items()}


def add(sums, key, figures):
    total = sums.setdefault(key, dict.fromkeys(FIGURES, (0, 0)))
    for f, (agreed, n) in figures.items():
        total[f] = total[f][0] + agreed, total[f][1] + n


def share(agreed, n):
    return f"{100 * agreed / n:5.1f} %" if n else "      -"


def table(rows):
    """lines of (name, {figure: (agreed, n)}), aligned"""
    lines = [f"{'':28}" + "".join(f"{f:>18}" for f in FIGURES)]
    for name, figures in rows:
        lines.append(f"{name:28}" + "".join(
            f"{share(*figures[f])} of {figures[f][1]:6d}".rjust(18) for f in FIGURES))
    return "\n".join(lines)


def below_floor(path, sums):
    """lines that say which floor isn't reached"""
    wrong = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("#") or not line.strip():
            continue
        kernel, workload, figure, percent = line.split()
        for (k, w), figures in sums.items():
            agreed, n = figures[figure]
            if kernel in (k, "*") and workload in (w, "*") and 100 * agreed < float(percent) * n:
                wrong.append(f"{k} {w}: {figure} {share(agreed, n).strip()} of {n}; "
                             f"{path}:{number} states {percent} %")
    return wrong


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sums = {}
    for path in sorted(glob.glob(os.path.join(sys.argv[2], "*.trace.xz"))):
        kernel, machine, workload = os.path.basename(path).split(".trace")[0].split("_")
        try:
            figures = ask(sys.argv[1], path, f"qemu:{machine}", kernel)
        except AskError as e:
            sys.exit(str(e))
        add(sums, (kernel, workload), figures)
    if not sums:
        sys.exit(f"no recordings in {sys.argv[2]}")
    print(table([(" ".join(k), figures) for k, figures in sorted(sums.items())]))
    wrong = below_floor(sys.argv[3], sums) if len(sys.argv) == 4 else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
