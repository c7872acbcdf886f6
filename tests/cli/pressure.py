#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pressure.py IDLEST: the files of --pressure, by the kernel they come from.

Two hogs on one CPU for 5 s: the time that is over is pressure, the averages are those of two
periods of 2 s, and nothing of the system as a whole is full.

Then runs of less than one period are recounted from their own traces: who was runnable where, and
ran or didn't.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

LINE = r'avg10=(\d+\.\d\d) avg60=(\d+\.\d\d) avg300=(\d+\.\d\d) total=(\d+)\n'


EVENT = re.compile(r'.*\[(\d+)\] \S+ +(\d+\.\d+): (\w+): (.*)$')
JIFFY_NS = 4000000


def run(idlest, kernel, folder, machine='pack:1 l3:1 core:1 pu:1', workload='hog:n=2,duration=5s',
        more=()):
    return subprocess.run([idlest, 'run', '-m', machine, '-k', kernel, '-w', workload, '--pressure',
                           folder, *more], check=True, capture_output=True).stdout


def check(idlest, kernel, names, cpu_lines, folder):
    run(idlest, kernel, folder)
    assert sorted(os.listdir(folder)) == names, os.listdir(folder)
    with open(folder + '/cpu', encoding='ascii') as f:
        text = f.read()
    lines = re.findall('(some|full) ' + LINE, text)
    assert [l[0] for l in lines] == cpu_lines and text.count('\n') == len(lines), text
    avg10, avg60, avg300, total = (float(x) for x in lines[0][1:])
    assert 32 < avg10 < 33.5 and 6 < avg60 < 7 and 1 < avg300 < 2, text
    assert 4.9e6 < total < 5.1e6, text
    if len(lines) > 1:
        assert lines[1][1:] == ('0.00', '0.00', '0.00', '0'), text


class Recount:
    """Who is runnable on which CPU, by a trace; ns of some and of anything at all, by CPU."""

    def __init__(self):
        self.where = {}  # CPU of each runnable task, the running ones included
        self.running = {}
        self.now = 0
        self.some, self.nonidle = collections.Counter(), collections.Counter()

    def passes(self, until):
        for cpu, n in collections.Counter(self.where.values()).items():
            self.nonidle[cpu] += until - self.now
            if n > (cpu in self.running):
                self.some[cpu] += until - self.now
        self.now = until

    def event(self, cpu, name, text):
        pid = {key: int(n) for key, n in re.findall(r'(\w*pid|\w+_cpu)=(\d+)', text)}
        if name.startswith('sched_wakeup'):
            self.where[pid['pid']] = pid['target_cpu']
        elif name == 'sched_migrate_task' and pid['pid'] in self.where:
            self.where[pid['pid']] = pid['dest_cpu']
        elif name == 'sched_switch':
            if pid['prev_pid'] and not re.search(r'prev_state=R', text):
                self.where.pop(pid['prev_pid'], None)
            self.running.pop(cpu, None)
            if pid['next_pid']:
                self.running[cpu] = pid['next_pid']
                self.where[pid['next_pid']] = cpu

    def total_us(self):
        weight = {cpu: ns // JIFFY_NS for cpu, ns in self.nonidle.items()}
        return sum(self.some[c] * w for c, w in weight.items()) / sum(weight.values()) / 1000


def recounted(idlest, kernel, machine, workload, folder):
    run(idlest, kernel, folder, machine, workload, ['--trace', folder + '.trace'])
    seen = Recount()
    with open(folder + '.trace', encoding='ascii') as f:
        for line in f:
            m = EVENT.match(line)
            if m:
                seen.passes(round(float(m[2]) * 1e9))
                seen.event(int(m[1]), m[3], m[4])
    with open(folder + '/cpu', encoding='ascii') as f:
        said = int(re.match('some ' + LINE, f.read())[4])
    # a switch is told when it is over, and pressure ends when the next task is picked
    assert said > 50000 and abs(said - seen.total_us()) < 0.002 * said, \
        (kernel, machine, workload, said, seen.total_us())


def main():
    idlest = os.path.abspath(sys.argv[1])
    three = ['cpu', 'io', 'memory']
    with tempfile.TemporaryDirectory() as top:
        check(idlest, 'v5.10', three, ['some'], top + '/a')
        check(idlest, 'v6.12.95', three, ['some', 'full'], top + '/b')
        check(idlest, 'v6.12', ['cpu', 'io', 'irq', 'memory'], ['some', 'full'], top + '/c')
        with open(top + '/c/irq', encoding='ascii') as f:
            assert re.fullmatch('full ' + LINE, f.read())
        run(idlest, 'v6.12.95', top + '/b')  # written anew
        tasks = {f't{i}': {'instance': 2, 'run': 2000 + 700 * i, 'sleep': 1500 + 300 * i}
                 for i in range(5)}
        with open(top + '/sleepers.json', 'w', encoding='ascii') as f:
            json.dump({'tasks': tasks, 'global': {'duration': 1}}, f)
        for i, kernel in enumerate(['v5.10', 'v6.1', 'v6.12', 'v7.3']):
            for cpus in 1, 3:
                recounted(idlest, kernel, f'pack:1 l3:1 core:{cpus} pu:1', top + '/sleepers.json',
                          f'{top}/r{i}-{cpus}')
        # a run that comes to nothing leaves no directory
        bad = top + '/bad.json'
        with open(bad, 'w', encoding='ascii') as f:
            f.write('{"tasks":{"t":{"util_max":100,"run":1000}},"global":{"duration":1}}')
        p = subprocess.run([idlest, 'run', '-m', 'uma-8c', '-k', 'v6.12.95', '-w', bad,
                            '--pressure', top + '/none'], capture_output=True)
        assert p.returncode == 2, p
        assert not os.path.exists(top + '/none')


main()
