#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py IDLEST FILE.cases...: command lines with what they must print.

A case is a block of lines:

    $ topo zen3-2s:nps9          arguments of idlest, as a shell splits them
    status 2                     exit status
    err: nps1.*nps2              a regular expression that standard error must match
    out: ...                     the same of standard output
    err! ...                     one that must not match
    stdout /dev/full             where standard output goes

A crash (a signal), a hang (60 s) or more than 20 lines on standard error of a
failing command fail too. Files are named from the folder of the cases.
"""
import os
import re
import shlex
import subprocess
import sys


def cases(path):
    case = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith("$ "):
                if case:
                    yield case
                case = {"line": number, "args": line[2:], "status": 0, "checks": []}
            elif line.startswith("stdout "):
                case["stdout"] = line.split()[1]
            elif line.startswith("status "):
                case["status"] = int(line.split()[1])
            elif re.match(r"(out|err)[:!] ", line):
                case["checks"].append((line[:3], line[3], line[5:]))
            else:
                sys.exit(f"{path}:{number}: neither a command, a status nor a check: {line}")
    if case:
        yield case


def run(idlest, folder, case):
    """what is wrong with the case, as a list of lines"""
    out = open(case["stdout"], "wb") if "stdout" in case else subprocess.PIPE
    try:
        p = subprocess.run([idlest] + shlex.split(case["args"]), cwd=folder, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return ["no end within 60 s"]
    wrong = []
    if p.returncode != case["status"]:
        wrong.append(f"exit status {p.returncode}, expected {case['status']}")
    if p.returncode and len(p.stderr.splitlines()) > 20:
        wrong.append(f"{len(p.stderr.splitlines())} lines on standard error")
    if p.returncode == 2 and not p.stderr.strip():
        wrong.append("exit status 2 without a message")
    for stream, kind, pattern in case["checks"]:
        text = (p.stdout or "") if stream == "out" else p.stderr
        if bool(re.search(pattern, text, re.S)) != (kind == ":"):
            wrong.append(f"{stream}{kind} {pattern}")
    if wrong:
        wrong += ["  | " + line for line in (p.stdout[:1500] + p.stderr[:3000]).splitlines()]
    return wrong


def main():
    idlest = os.path.abspath(sys.argv[1])
    passed = failed = 0
    for path in sys.argv[2:]:
        for case in cases(path):
            wrong = run(idlest, os.path.dirname(os.path.abspath(path)), case)
            if wrong:
                failed += 1
                print(f"{path}:{case['line']}: idlest {case['args']}")
                print("\n".join("  " + line for line in wrong))
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
