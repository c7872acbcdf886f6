#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""self_agreement.py IDLEST: the core agrees with itself.

A trace that a simulated run wrote is put to `idlest agree` under the same kernel and
machine. What disagrees then was lost between run and reconstruction: the trace tells
microseconds, no idle states, no utilisation left by boot, and not when in a pass or a
switch something happened.
"""
import json, os, subprocess, sys, tempfile

idlest = sys.argv[1]
FLOORS = [
    # machine, workload, per cent of: contested wake-ups, contested picks, pulls, forks
    ('qemu:m8', 'hackbench:groups=2,loops=20', 90, None, 80, 95),
    ('qemu:m16smt', 'periodic:n=20,period=8ms,run=2ms,duration=500ms', 85, 90, 95, 95),
    ('zen3-2s', 'hackbench:groups=1,loops=100', 80, 75, 85, None),
    ('zen3-2s', 'hackbench:groups=4,loops=20', 85, 90, 90, None),
    ('zen3-2s', 'pipeline', 90, None, None, None),
]


def share(part, good, of):
    return 100.0 * part[good] / part[of] if part[of] >= 10 else None


bad = 0
with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'trace')
    for machine, workload, *floors in FLOORS:
        for kernel in 'v6.1', 'v6.12', 'v7.3':
            common = ['-m', machine, '-k', kernel]
            subprocess.run([idlest, 'run', '-w', workload, '--trace', trace] + common, check=True,
                           stdout=subprocess.DEVNULL)
            j = json.loads(subprocess.run([idlest, 'agree', trace, '--json'] + common, check=True,
                                          capture_output=True, text=True).stdout)
            got = (share(j['wakeups'], 'contested_same_cpu', 'contested'),
                   share(j['picks'], 'contested_same_task', 'contested'),
                   share(j['pulls'], 'same_source', 'n'), share(j['forks'], 'same_or_equal', 'n'))
            for name, is_, floor in zip(('wake-ups', 'picks', 'pulls', 'forks'), got, floors):
                ok = is_ is None or floor is None or is_ >= floor
                bad += not ok
                if is_ is not None:
                    print('%s %s %s: %s %.1f %% (%s)%s' % (kernel, machine, workload, name, is_, floor,
                                                        '' if ok else ' TOO LOW'))
            w = j['wakeups']
            for far, near in (('contested_same_node', 'contested_same_llc'), ('contested_same_llc', 'contested_same_cluster'),
                              ('contested_same_cluster', 'contested_same_core'), ('contested_same_core', 'contested_same_cpu')):
                assert w[far] >= w[near], (far, near)
            assert w['n'] >= w['contested'] >= w['contested_same_node'], w
sys.exit(bad != 0)
