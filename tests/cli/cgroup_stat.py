#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cgroup_stat.py IDLEST: what run --cgroup-stat writes, in the kernel's format and consistent with itself."""
import os
import re
import subprocess
import sys
import tempfile

GROUPS = """groups:
  - path: /limited
    cpu.max: 20000 100000
  - path: /limited/half
    cpu.weight: 50
"""
WORKLOAD = ("cgexec:/limited/half/hog:n=3,nice=5,duration=1s + cgexec:/limited/hog:n=1,duration=1s + "
            "cgexec:/free/forks:n=4,work=1ms")
PRESSURE = re.compile(r"(some|full) avg10=\d+\.\d\d avg60=\d+\.\d\d avg300=\d+\.\d\d total=\d+")


def numbers(path):
    with open(path, encoding="utf-8") as f:
        return {name: int(value) for name, value in (line.split() for line in f)}


def check(idlest, kernel, names):
    with tempfile.TemporaryDirectory() as folder:
        tree, stat = os.path.join(folder, "tree.yaml"), os.path.join(folder, "stat")
        with open(tree, "w", encoding="utf-8") as f:
            f.write(GROUPS)
        subprocess.run([idlest, "run", "-m", "uma-8c", "-w", WORKLOAD, "-k", kernel, "--cgroups", tree,
                        "--cgroup-stat", stat], check=True, stdout=subprocess.DEVNULL)
        limited = numbers(os.path.join(stat, "limited/cpu.stat"))
        half = numbers(os.path.join(stat, "limited/half/cpu.stat"))
        free = numbers(os.path.join(stat, "free/cpu.stat"))
        root = numbers(os.path.join(stat, "cpu.stat"))
        assert list(limited) == names, (kernel, list(limited))
        assert list(root) == [n for n in names if n.endswith("_usec") and n not in ("throttled_usec", "burst_usec")]
        for group in limited, half, free, root:
            assert group["user_usec"] + group["system_usec"] == group["usage_usec"]
        assert 190000 <= limited["usage_usec"] <= 260000, limited
        assert half["usage_usec"] < limited["usage_usec"]
        assert limited["usage_usec"] + free["usage_usec"] <= root["usage_usec"]
        assert 9 <= limited["nr_periods"] <= 11 and limited["nr_throttled"] >= limited["nr_periods"] - 1
        assert limited["throttled_usec"] > 500000 and half["nr_throttled"] == 0
        if "nice_usec" in names:
            assert half["nice_usec"] > 0 and free["nice_usec"] == 0
        for group in "", "limited", "limited/half", "free":
            for res in "cpu", "io", "memory":
                with open(os.path.join(stat, group, res + ".pressure"), encoding="utf-8") as f:
                    lines = f.read().splitlines()
                assert lines and all(PRESSURE.fullmatch(line) for line in lines), lines
        with open(os.path.join(stat, "tasks.schedstat"), encoding="utf-8") as f:
            tasks = [re.fullmatch(r"(\d+) \((.*)\) (\d+) (\d+) (\d+)\n", line).groups() for line in f]
        assert [t[0] for t in tasks] == sorted((t[0] for t in tasks), key=int)
        assert sum(t[1].startswith("hog") for t in tasks) == 4 and len(tasks) == 9, tasks
        ran = sum(int(t[2]) for t in tasks) // 1000
        # the kernel's own threads are in the root group
        assert 0 <= root["usage_usec"] - ran <= 50000, (root, ran)
        waited = sum(int(t[3]) for t in tasks if t[1].startswith("hog")) // 1000
        assert waited > 3 * 700000, waited


def hotplug_usage(idlest, kernel):
    """us of CPU in 2 s that 8 hogs get of 50 ms per 100 ms while a CPU goes and comes"""
    with tempfile.TemporaryDirectory() as folder:
        tree, stat = os.path.join(folder, "tree.yaml"), os.path.join(folder, "stat")
        with open(tree, "w", encoding="utf-8") as f:
            f.write("groups:\n  - path: /q\n    cpu.max: 50000 100000\n")
        command = [idlest, "run", "-m", "uma-8c", "-w", "cgexec:/q/hog:n=8,duration=2s", "-k", kernel,
                   "--cgroups", tree, "--cgroup-stat", stat, "--check"]
        for i in range(1, 20):
            command += ["--event", f"{100 * i}ms:cpu_{'down' if i % 2 else 'up'}:7"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return numbers(os.path.join(stat, "q/cpu.stat"))["usage_usec"]


V1 = "usage_usec user_usec system_usec nr_periods nr_throttled throttled_usec".split()
BURST = "nr_bursts burst_usec".split()
check(sys.argv[1], "v5.7", V1)
check(sys.argv[1], "v6.1", V1 + BURST)
for name in "v6.12.95", "v6.18", "v7.3":
    check(sys.argv[1], name, V1[:3] + ["nice_usec"] + V1[3:] + BURST)
for name in "v5.7", "v6.12.95", "v7.3":
    assert 950000 <= hotplug_usage(sys.argv[1], name) <= 1120000, name
for name in "v6.12.95", "v7.3": # their periods don't end when the CPU goes
    assert hotplug_usage(sys.argv[1], name + ",+HOTPLUG_UNTHROTTLE") > 1250000, name
