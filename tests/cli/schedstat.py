#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""schedstat.py IDLEST: counters of a run against its own trace, CPU by CPU.

What /proc/schedstat counts of a CPU can be counted again from the switches and wake-ups of the
same run: both must say the same.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r".*\[(\d+)\] \S+ +([\d.]+): (\w+): (.*)$")
RUNS = [("qemu:m16smt", "mix:duration=200ms", "v6.1", 15),
        ("qemu:m8", "hackbench:groups=2,loops=40", "v6.12", 16),
        ("uma-8c", "share:duration=200ms", "v6.6", 15),
        ("qemu:m32nps1", "hackbench:groups=4,loops=30", "v7.3", 17)]


def recount(path):
    """of each CPU: switches to idle and to tasks, wake-ups, ns of stays that ended"""
    cpus = collections.defaultdict(collections.Counter)
    since = {}
    for line in open(path):
        m = LINE.match(line)
        if not m:
            continue
        cpu, us, text = int(m[1]), round(float(m[2]) * 1e6), m[4]
        if m[3] == "sched_switch":
            prev, to = (int(x) for x in re.search(r"prev_pid=(\d+).* next_pid=(\d+)", text).groups())
            cpus[cpu]["goidle" if to == 0 else "pcount"] += 1
            if prev:
                cpus[cpu]["run_us"] += us - since[cpu]
            since[cpu] = us
            cpus[cpu]["running"] = to != 0
        elif m[3] == "sched_waking":
            cpus[cpu]["ttwu"] += 1
    for cpu, seen in cpus.items():  # what was picked away from, but not switched away from
        seen["open_us"] = us - since[cpu] if seen["running"] else 0
    return cpus


def counted(path, version):
    lines = open(path).read().splitlines()
    assert lines[0] == f"version {version}", lines[0]
    assert re.fullmatch(r"timestamp \d+", lines[1]), lines[1]
    cpus, remote = {}, collections.Counter()
    for line in lines[2:]:
        words = line.split()
        if words[0].startswith("cpu"):
            cpu = int(words[0][3:])
            cpus[cpu] = [int(x) for x in words[1:]]
            assert len(cpus[cpu]) == 9
        else:
            assert len(words) == (48 if version == 17 else 38), line
            remote[cpu] += int(words[-3])
    return cpus, remote


def check(idlest, folder, machine, workload, kernel, version):
    trace, stat = folder + "/trace", folder + "/schedstat"
    subprocess.run([idlest, "run", "-m", machine, "-w", workload, "-k", kernel, "--trace", trace,
                    "--schedstat", stat], check=True, stdout=subprocess.DEVNULL)
    cpus, remote = counted(stat, version)
    again = recount(trace)
    for cpu, n in cpus.items():
        _, legacy, sched, goidle, ttwu, local, run, _, pcount = n
        seen, where = again[cpu], f"{machine} {workload} {kernel} cpu{cpu}"
        assert legacy == 0, where
        # the switch that the end of the run cuts off was picked, but not made
        assert 0 <= goidle - seen["goidle"] <= 1, (where, n, seen)
        assert 0 <= pcount - seen["pcount"] <= 1, (where, n, seen)
        assert sched >= goidle + pcount, (where, n)
        assert abs(ttwu - seen["ttwu"]) <= 1, (where, n, seen)
        assert ttwu == local + remote[cpu], (where, n, remote[cpu])
        # from pick to pick here, from switch to switch there: the switches differ in length
        slack = 25 * pcount + 0.05 * seen["run_us"]
        assert -slack <= run / 1000 - seen["run_us"] <= seen["open_us"] + slack, (where, n, seen)


def check_failed(idlest, folder):
    """a run that can't be made leaves no file, and an old one as it was"""
    old, new, bad = folder + "/old", folder + "/new", folder + "/bad.json"
    for path, text in ((old, "kept"), (bad, '{"tasks": {"a": {"cpus": [4095], "run": 1000}}}')):
        with open(path, "w") as f:
            f.write(text)
    p = subprocess.run([idlest, "run", "-m", "uma-8c", "-w", bad, "--trace", new, "--schedstat", old],
                       capture_output=True)
    assert p.returncode == 2, p
    assert open(old).read() == "kept"
    assert sorted(os.listdir(folder)) == ["bad.json", "old"], os.listdir(folder)


def check_offline(idlest, folder):
    """a CPU that is off at the end has no line"""
    stat = folder + "/offline"
    subprocess.run([idlest, "run", "-m", "uma-8c", "-w", "hog:n=4,duration=50ms", "--event", "10ms:cpu_down:5",
                    "--schedstat", stat], check=True, stdout=subprocess.DEVNULL)
    assert re.findall(r"^cpu(\d+)", open(stat).read(), flags=re.M) == list("0123467")


with tempfile.TemporaryDirectory() as folder:
    for run in RUNS:
        check(sys.argv[1], folder, *run)
with tempfile.TemporaryDirectory() as folder:
    check_failed(sys.argv[1], folder)
with tempfile.TemporaryDirectory() as folder:
    check_offline(sys.argv[1], folder)
