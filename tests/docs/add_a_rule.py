#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""add_a_rule.py SOURCE: follow docs/add-a-rule.md word by word in a scratch copy of the tree.

Each sentence "In `FILE`, before the line that begins with `TEXT`:" is obeyed with the block that
comes after it, each line of a sh block is run, in the order of the page. Then what the page says of
the outcome is checked.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

INSERT = re.compile(r"In\s+`(?P<file>[^`]+)`,\s+before\s+the\s+line\s+that\s+begins\s+with\s+`(?P<text>[^`]+)`:\s*\Z")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.S | re.M)


def steps(page):
    """(kind, ...) in the order of the page"""
    end = 0
    for m in BLOCK.finditer(page):
        before, kind, block = page[end:m.start()], m.group(1), m.group(2)
        end = m.end()
        if kind == "sh":
            for line in block.splitlines():
                yield "run", line, None, None
        elif kind == "c":
            where = INSERT.search(before)
            if not where:
                sys.exit(f"a c block without its sentence:\n{block}")
            yield "insert", where["file"], where["text"], block


def insert(path, text, block):
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    at = [i for i, line in enumerate(lines) if line.startswith(text)]
    if len(at) != 1:
        sys.exit(f"{path}: {len(at)} lines begin with '{text}', expected one")
    lines[at[0]:at[0]] = [block]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)


def run(line, tree):
    p = subprocess.run(line, shell=True, cwd=tree, capture_output=True, text=True,
                       env={**os.environ, "CFLAGS": "-O1"})
    if p.returncode:
        sys.exit(f"$ {line}\n{p.stdout[-3000:]}{p.stderr[-3000:]}\nexit status {p.returncode}")
    return p.stdout


def to_waker(result):
    counters = result["counters"]
    return counters["wakeups_waker_cpu"] / counters["wakeups"]


def without_name(result):
    return {k: v for k, v in result.items() if k != "kernel"}


def check(outputs):
    """what the page promises"""
    by_command = {line.split("idlest ", 1)[1]: out for line, out in outputs if "idlest " in line}
    features = next(out for c, out in by_command.items() if c.startswith("features"))
    if " WA_QUEUE " not in features:
        sys.exit(f"WA_QUEUE is not on in: {features}")
    plain, off, on = (json.loads(out) for c, out in by_command.items() if c.startswith("run"))
    if without_name(plain) != without_name(off):
        sys.exit("switched off, the rule changes a run")
    if to_waker(on) == to_waker(plain):
        sys.exit("switched on, the rule changes no wake-up")
    tables = [out for c, out in by_command.items() if c.startswith("compare")]
    if len(tables) != 2 or not all("time:" in t and "better" in t for t in tables):
        sys.exit(f"no two tables: {tables}")
    if numbers(tables[0]) != numbers(tables[1]):
        sys.exit(f"the series is not the feature:\n{tables[0]}\n{tables[1]}")
    if "WA_QUEUE_V1" not in by_command["kernels"]:
        sys.exit("idlest kernels doesn't list the series")
    print(f"wake-ups to the waker's CPU: {to_waker(plain):.1%} without, {to_waker(on):.1%} with the rule")


def numbers(table):
    return re.findall(r"time: +(.*)", table)[0].split()


def main():
    source = os.path.abspath(sys.argv[1])

    def generated(folder, names):
        return [n for n in names if n == ".git" or os.path.exists(os.path.join(folder, n, "meson-private"))]

    with open(os.path.join(source, "docs/add-a-rule.md"), encoding="utf-8") as f:
        page = f.read()
    with tempfile.TemporaryDirectory() as scratch:
        tree = os.path.join(scratch, "tree")
        shutil.copytree(source, tree, symlinks=True, ignore=generated)
        outputs = []
        for kind, what, text, block in steps(page):
            if kind == "insert":
                insert(os.path.join(tree, what), text, block)
            else:
                outputs.append((what, run(what, tree)))
        check(outputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
