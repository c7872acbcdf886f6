#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agree-table.py: idlest agree on every recording of a folder, as one table.

The recordings are named KERNEL_MACHINE_WORKLOAD.trace[.xz]. Prints kernel x machine x
workload and the sums by kernel and workload; shares in per cent:
  wakes      wake-ups of user tasks at which a CPU was chosen
  cont       contested ones: the previous CPU was not idle, or not chosen
  cpu llc    contested: right CPU, right LLC; naive: the previous CPU would have been right
  strict     cpu and llc with undetermined ones counted as wrong;  und: undetermined of all wakes
  fork       forks: same or equally good CPU, of so many
  pick       contested picks: same task, of so many
  pull       recorded pulls: same source, same task, of so many
  kt         contested wake-ups of kernel threads: right CPU, of so many
"""
import argparse, collections, concurrent.futures, json, os, subprocess, sys

PROFILE = {'v6.1': 'v6.1.192', 'v6.12': 'v6.12.95', 'v7.3': 'v7.3'}


def ask(idlest, path, extra):
    name = os.path.basename(path).split('.trace')[0]
    kernel, machine, workload = name.split('_', 2)
    cmd = [idlest, 'agree', path, '-m', 'qemu:' + machine, '-k', PROFILE.get(kernel, kernel) + extra,
           '--json']
    p = subprocess.run(cmd, capture_output=True, text=True)
    if p.returncode:
        return name, kernel, machine, workload, None, p.stderr.strip()[-300:]
    return name, kernel, machine, workload, json.loads(p.stdout), ''


def add(total, j):
    for part, keys in (('wakeups', WAKES), ('kthread_wakeups', WAKES), ('forks', ('n', 'same_cpu', 'same_or_equal')),
                       ('picks', ('n', 'contested', 'contested_same_task', 'contested_undetermined',
                                  'strict_contested_same_task')),
                       ('pulls', ('n', 'same_source', 'same_task'))):
        for k in keys:
            total[part, k] += j[part].get(k, 0)


WAKES = ('n', 'contested', 'contested_same_cpu', 'contested_same_llc', 'naive_contested_same_cpu',
         'undetermined', 'strict_contested_same_cpu', 'strict_contested_same_llc')
HEAD = ('%-22s %6s %6s %5s %5s %5s %12s %5s %12s %12s %18s %10s'
        % ('', 'wakes', 'cont', 'cpu', 'llc', 'naive', 'strict', 'und', 'fork', 'pick', 'pull', 'kt'))


def pc(a, b):
    return '%5.1f' % (100 * a / b) if b else '    -'


def row(name, t):
    w = lambda k: t['wakeups', k]
    c = w('contested')
    return '%-22s %6d %6d %s %s %s  %s/%s %s %s %5d %s %6d %s/%s %5d %s %4d' % (
        name, w('n'), c, pc(w('contested_same_cpu'), c), pc(w('contested_same_llc'), c),
        pc(w('naive_contested_same_cpu'), c), pc(w('strict_contested_same_cpu'), c),
        pc(w('strict_contested_same_llc'), c), pc(w('undetermined'), w('n')),
        pc(t['forks', 'same_or_equal'], t['forks', 'n']), t['forks', 'n'],
        pc(t['picks', 'contested_same_task'], t['picks', 'contested']), t['picks', 'contested'],
        pc(t['pulls', 'same_source'], t['pulls', 'n']), pc(t['pulls', 'same_task'], t['pulls', 'n']),
        t['pulls', 'n'], pc(t['kthread_wakeups', 'contested_same_cpu'], t['kthread_wakeups', 'contested']),
        t['kthread_wakeups', 'contested'])


MD_HEAD = """| %s | wake-ups | contested | same CPU | same LLC | naive | strict CPU/LLC | forks | picks | pulls: source/task |
|---|---|---|---|---|---|---|---|---|---|"""


def md_row(name, t):
    w = lambda k: t['wakeups', k]
    c = w('contested')
    share = lambda a, b: pc(a, b).strip()
    of = lambda a, b: '%s of %d' % (share(a, b), b) if b else '-'
    return '| %s | %d | %d | %s | %s | %s | %s/%s | %s | %s | %s |' % (
        name, w('n'), c, share(w('contested_same_cpu'), c), share(w('contested_same_llc'), c),
        share(w('naive_contested_same_cpu'), c), share(w('strict_contested_same_cpu'), c),
        share(w('strict_contested_same_llc'), c), of(t['forks', 'same_or_equal'], t['forks', 'n']),
        of(t['picks', 'contested_same_task'], t['picks', 'contested']),
        '%s/%s' % (share(t['pulls', 'same_source'], t['pulls', 'n']),
                   of(t['pulls', 'same_task'], t['pulls', 'n'])))


def family(workload):
    for f in ('msg', 'sh', 'per', 'mix', 'forks', 'rt', 'dl', 'bw'):
        if workload.startswith(f):
            return f
    return workload


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--idlest', default=os.path.join(os.path.dirname(__file__), '../build/src/cmd/idlest'))
    ap.add_argument('--traces', help='folder (default: $IDLEST_SHARED/kernel-truth/traces)')
    ap.add_argument('--only', default='', help='recordings whose name has this in it')
    ap.add_argument('--extra', default='', help='added to the kernel, as ",NO_SIS_UTIL"')
    ap.add_argument('--markdown', action='store_true', help='tables for the documentation')
    ap.add_argument('-j', type=int, default=2)
    o = ap.parse_args()
    folder = o.traces or os.path.join(os.environ.get('IDLEST_SHARED', '../shared'), 'kernel-truth/traces')
    try:
        paths = sorted(os.path.join(folder, f) for f in os.listdir(folder)
                       if '.trace' in f and o.only in f)
    except OSError as e:
        sys.exit('agree-table: %s: %s; set IDLEST_SHARED or give --traces' % (folder, e.strerror))
    if not paths:
        sys.exit('agree-table: %s: no recording there' % folder)
    sums = collections.defaultdict(lambda: collections.defaultdict(int))
    failed = 0
    show = md_row if o.markdown else row
    rows = []
    if not o.markdown:
        print(HEAD)
    with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
        for name, kernel, machine, workload, j, why in pool.map(lambda p: ask(o.idlest, p, o.extra), paths):
            if j is None:
                print('%-22s %s' % (name, why))
                failed += 1
                continue
            one = collections.defaultdict(int)
            add(one, j)
            rows.append(show(name, one))
            if not o.markdown:
                print(rows[-1], flush=True)
            add(sums[kernel, family(workload)], j)
            add(sums[kernel, 'all'], j)
    if o.markdown:
        print(MD_HEAD % 'kernel, workloads')
    else:
        print()
    for (kernel, workload), t in sorted(sums.items()):
        print(show('%s %s' % (kernel, workload), t))
    if o.markdown:
        print('\n' + MD_HEAD % 'recording', *rows, sep='\n')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
