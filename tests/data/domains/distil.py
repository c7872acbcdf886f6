#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""distil.py DUMP > FILE: what a recorded dump of a real kernel says about domains, in few lines.

Keeps the topology, the domains' attributes (CPUs whose lines are alike share one) and the groups
from the boot log. The output has the dump's own form, so that one reader serves both.
"""
import re
import sys


def cpu_list(cpus):
    parts, cpus = [], sorted(cpus)
    while cpus:
        n = 1
        while n < len(cpus) and cpus[n] == cpus[0] + n:
            n += 1
        parts.append(str(cpus[0]) if n == 1 else f"{cpus[0]}-{cpus[n - 1]}")
        cpus = cpus[n:]
    return ",".join(parts)


section, topology, domains, groups, version = "", [], {}, [], ""
for line in open(sys.argv[1]):
    line = line.rstrip()
    if line.startswith("# "):
        section = line[2:]
    elif section == "kernel" and line.startswith("Linux version"):
        version = line.split()[2]
    elif section == "topology":
        topology.append(line)
    elif section == "domains":
        m = re.match(r"cpu(\d+)/(domain\d+ .*)", line)
        text = re.sub(r" (max_newidle_lb_cost|newidle_\w+)=\S*", "", m.group(2))
        domains.setdefault(text, []).append(int(m.group(1)))
    elif section.startswith("domain building"):
        if re.match(r"CPU\d+ attaching sched-domain| *domain-\d+: span=| *groups: ", line):
            groups.append(re.sub(" attaching.*", " attaching sched-domain(s):", line.strip()))

print("# kernel\nLinux version " + version + "\n# topology")
print("\n".join(topology))
print("# domains")
for text, cpus in sorted(domains.items(), key=lambda d: (d[0].split()[0], min(d[1]))):
    print(f"cpu{cpu_list(cpus)}/{text}")
print("# domain building")
print("\n".join(groups))
