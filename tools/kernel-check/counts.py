# SPDX-License-Identifier: BSD-2-Clause
"""counts.py: how often a workload's own tasks woke, switched in and migrated in a trace, and how far.

Own tasks are those that were forked below the runner (recorded) or by the simulation's init.
"""
import re

import timing

LEVELS = ["smt", "cluster", "llc", "node", "far"]


def cpus_of(text):
    cpus = []
    for part in text.split(","):
        lo, _, hi = part.partition("-")
        cpus += range(int(lo), int(hi or lo) + 1)
    return cpus


class Topology:
    """what CPUs share, from the dump of the machine"""

    def __init__(self, path):
        self.shared, self.node = {}, {}
        for line in open(path, encoding="utf-8"):
            if m := re.match(r"cpu(\d+) physical.* smt=(\S+) cluster=(\S+) .* L3=(\S+)", line):
                self.shared[int(m[1])] = m[2], m[3], m[4]
            elif m := re.match(r"node(\d+) cpus=(\S+)", line):
                self.node.update((c, int(m[1])) for c in cpus_of(m[2]))

    def level(self, a, b):
        for i, name in enumerate(LEVELS[:3]):
            if self.shared[a][i] == self.shared[b][i]:
                return name
        return "node" if self.node.get(a) == self.node.get(b) else "far"


def count(path, topology):
    """event -> how often: wakes, switches, and migrations by level"""
    own, runner, n = set(), set(), dict.fromkeys(["wakes", "switches"] + LEVELS, 0)
    recorded = False
    for _, _, pid, event, text in timing.events(path):
        if event == "sched_process_exec" and "filename=/bin/wl " in text:
            recorded = True
            runner.add(pid)
            own.clear()
        elif event == "sched_process_fork":
            parent, child = timing.number(text, "pid"), timing.number(text, "child_pid")
            if not recorded or parent in own or parent in runner:
                own.add(child)
        elif event == "sched_wakeup" and timing.number(text, "pid") in own:
            n["wakes"] += 1
        elif event == "sched_switch" and timing.number(text, "next_pid") in own:
            n["switches"] += 1
        elif event == "sched_migrate_task" and timing.number(text, "pid") in own:
            a, b = timing.number(text, "orig_cpu"), timing.number(text, "dest_cpu")
            n[topology.level(a, b)] += a != b
    return n
