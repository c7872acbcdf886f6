#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""waste.py IDLEST: the waste of runs: by how near, by how long, and together, must be the same."""
import json
import subprocess
import sys

# all CPUs but one idle and 3 tasks for it: nobody is allowed elsewhere
BOUND = '{"tasks": {"a": {"instance": 3, "cpus": [2], "loop": 1, "run": 20000}}}'
RUNS = [("uma-8c", "hackbench:groups=3,loops=60", "v6.12"),
        ("zen3-2s:nps4", "hackbench:groups=4,loops=30", "v5.18"),
        ("qemu:m16smt", "mix:duration=150ms", "v6.1"),
        ("zen3-2s", "stream:threads=16,array=400K,ntimes=2", "v5.17"),
        ("uma-8c", "hackbench:groups=3,loops=60", "v6.6", "--event", "2ms:cpu_down:5-6", "--event", "20ms:cpu_up:5"),
        ("uma-8c", "periodic:n=20,duration=100ms", "v6.12", "--isolcpus", "2-3", "--event", "30ms:affinity:periodic:1-2"),
        ("pack:1 core:1 pu:1", "hog:n=3,duration=20ms", "v6.6")]


def run(idlest, machine, workload, kernel, *more):
    p = subprocess.run([idlest, "run", "-m", machine, "-w", workload, "-k", kernel, "--waste", "--json", *more],
                       capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)


def check(idlest, *how):
    j = run(idlest, *how)
    waste, counters = j["waste"], j["counters"]
    total, busy = counters["idle_while_waiting_ns"], counters["busy_ns"]
    assert total == sum(level["ns"] for level in waste), (how, total, waste)
    for level in waste:
        lasted = level["lasted"]
        assert level["ns"] == sum(b["ns"] for b in lasted), (how, level)
        limits = [0] + [b["below_ns"] for b in lasted[:-1]] + [None]
        for b, low, high in zip(lasted, limits, limits[1:]):
            assert b["times"] * low <= b["ns"], (how, level)
            assert high is None or b["ns"] <= b["times"] * (high - 1), (how, level)
    assert abs(j["work_conservation"] - busy / (busy + total)) < 1e-9, how
    return j


for how in RUNS:
    check(sys.argv[1], *how)
# three hogs that may use one CPU of eight: two always wait, and nothing is wasted
with open("bound.json", "w") as f:
    f.write(BOUND)
j = check(sys.argv[1], "uma-8c", "bound.json", "v6.12")
assert j["counters"]["wait_ns"] > 2 * 20e6, j["counters"]
assert j["counters"]["idle_while_waiting_ns"] < 0.01 * j["counters"]["wait_ns"], j["counters"]
