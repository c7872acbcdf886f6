#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pressure.py IDLEST: the files of --pressure, by the kernel they come from.

Two hogs on one CPU for 5 s: some of the time that is over is pressure, the averages are those of two
periods of 2 s, and nothing of the system as a whole is full.
"""
import os
import re
import subprocess
import sys
import tempfile

LINE = r'avg10=(\d+\.\d\d) avg60=(\d+\.\d\d) avg300=(\d+\.\d\d) total=(\d+)\n'


def run(idlest, kernel, folder):
    return subprocess.run([idlest, 'run', '-m', 'pack:1 l3:1 core:1 pu:1', '-k', kernel, '-w',
                           'hog:n=2,duration=5s', '--pressure', folder],
                          check=True, capture_output=True).stdout


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
        # a run that comes to nothing leaves no directory
        bad = top + '/bad.json'
        with open(bad, 'w', encoding='ascii') as f:
            f.write('{"tasks":{"t":{"util_max":100,"run":1000}},"global":{"duration":1}}')
        p = subprocess.run([idlest, 'run', '-m', 'uma-8c', '-k', 'v6.12.95', '-w', bad, '--pressure',
                            top + '/none'], capture_output=True)
        assert p.returncode == 2, p
        assert not os.path.exists(top + '/none')


main()
